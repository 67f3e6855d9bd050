"""The page: play in a browser. FastAPI serves a JSON API, one WebSocket and static ES modules.

app.py joins the parts; routes/ has one file an area; live.py is a game in memory, tables.py all of them, store.py the
SQLite file that keeps them; pool.py runs engine work in processes (worker.py, jobs/); messages.py describes what the
browser sends; security.py and limits.py protect the server. docs/page.md explains the whole.
"""
