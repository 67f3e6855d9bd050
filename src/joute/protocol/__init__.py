"""Protocols between Joute and other programs: UGI, and the interfaces of courses.

ugi.py parses and writes UGI commands; ugi_engine.py serves an agent over UGI, with a listener thread (ugi_listener.py)
and options (ugi_options.py). The other end is `ExternalPlayer` of the arena. course.py describes the interfaces of
courses; course_agent.py serves a Joute agent to a course's referee, and course_player.py asks a course's agent for
moves, both over XML-RPC (xml_rpc.py). thinker.py runs an agent in a thread.
"""
