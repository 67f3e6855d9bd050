"""Stand-ins for seahorse and the Divercité course's files: a student's file runs with nothing else installed.

They implement the documented interface, as agents use it, with the names of version 1.1 and those that 1.2 changed. The
parts that only the course's own program needs are missing: master, proxies, network.
"""
