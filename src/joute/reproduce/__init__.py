"""The experiments of the five papers, played again and compared with the published numbers."""
