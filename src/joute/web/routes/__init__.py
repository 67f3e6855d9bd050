"""The HTTP API, one file an area of the page. Each has a `router` that app.py includes under /api."""
