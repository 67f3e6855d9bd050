"""Protocols between Joute and other programs: UGI, the analysis service, and the interfaces of courses.

ugi.py parses and writes UGI commands; ugi_engine.py serves an agent over UGI, with a listener thread (ugi_listener.py)
and options (ugi_options.py). The other end is `ExternalPlayer` of the arena.

analysis_service.py answers requests in JSON (analysis_request.py) with analyses (analysis_data.py); analysis_lines.py
reads and writes its lines, analysis_tasks.py queues its work, and analysis_client.py is the other end.

course.py describes the interfaces of courses; course_agent.py serves a Joute agent to a course's referee, and
course_player.py asks a course's agent for moves, both over XML-RPC (xml_rpc.py). thinker.py runs an agent in a thread,
and streams.py frees the standard streams for a protocol.
"""
