"""Stand-ins for seahorse and the Divercité course's files, so that a student's file runs with nothing else installed.

They are written from the documented interface and from how agents use it, under the names of version 1.1 and, where
1.2 has others, under those as well. What only the course's own program needs is not here: master, proxies, network.
"""
