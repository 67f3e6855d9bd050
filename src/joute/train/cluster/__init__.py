"""Self-play on the machines of a cluster: actors play with the newest network, and the driver's process learns.

actor.py runs on every node, driver.py beside the learner. What they need of a cluster is that of tournaments
(`joute.arena.cluster`), and so are the checks of a node.
"""
