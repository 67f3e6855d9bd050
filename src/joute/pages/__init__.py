"""What HTML pages and Markdown texts share: frames, tables, charts, boards."""
