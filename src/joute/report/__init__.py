"""A tournament as a report: one page that opens anywhere, or text, a table and data to go on with."""
