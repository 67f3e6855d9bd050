"""Games on the nodes of a cluster.

Every node plays with the worker processes of `joute.arena.pool`: the referee, its supervisors and the sandbox are those
of one machine. The driver keeps plan and store, hands out games, and plays the games of a lost node elsewhere.

software.py compares what is installed on two machines. shipment.py carries a tournament with the files of its agents.
speed.py measures a node. host.py runs on every node, driver.py on the driver's machine; machines.py is what they need
of a cluster, and ray_machines.py has it from Ray, the only file that imports it. guard.py insists on Ray's token.
parameters.py has all numbers. `joute.train.cluster` has other hosts and another driver, for self-play.
"""
