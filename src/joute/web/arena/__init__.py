"""Tournaments of the page: begun from a form, played beside the server, watched and replayed.

workspace.py lists the databases of one folder; ledger.py keeps what the page knows of them besides; wishes.py checks
what visitors ask for; runs.py starts and stops the processes of driver.py, which play the tournaments with the driver
of the command line and draw the running games (boards.py). Databases are read by jobs (web/jobs/arena.py), and
fragments.py makes tables and plots of them in the reader's language.
"""
