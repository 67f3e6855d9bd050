"""Tournaments: scheduling, playing and storing games between agents, and the tables drawn from them.

The driver process (tournament.py) takes the games to play (`Pairing`) from a schedule (schedules/), hands them to
worker processes (pool/) and writes each finished game to the store (store/, one SQLite file). During a tournament only
the driver writes the store. A worker plays one game at a time. Built-in agents run inside the worker; every other local
agent runs in its own process under a supervisor process (players/). A plan (plan.py) fixes all settings before the
first game. standings.py, columns.py, measures.py and verdict.py read the finished games.
"""
