"""The report of a tournament: a self-contained HTML page, Markdown, CSV or JSON."""
