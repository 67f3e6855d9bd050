"""The benchmark of Quoridor: its engine, the agents of the paper, and the searches of every game.

Specs set a limit and little else, so that a change of a default or of an evaluation changes a signature too.
"""

from joute.match.signature import AGENTS_OF_EVERY_GAME, Bench

BENCH = Bench(
    "quoridor",
    (
        "//e1e9/10-10/0",
        "g5a7/b6/f4d9/10-7/8",
        "h2g4c5e5g5e6a7d7/e1b6b8d8/g6d9/7-1/20",
        "d3f3h3c4e4g4f5h5d8f8/d4c5f6c7/f6c9/2-4/44",
        "d3f3h3c4e4g4f5h5e7d8f8/d4b5c5f6g6c7/d8b7/0-3/56",
    ),
    {
        "engine": "quoridor:nodes=20000",
        "runner": "quoridor-runner",
        "greedy-course": "quoridor-greedy",
        "paper-alphabeta-faithful": "quoridor-alphabeta:version=faithful,depth=1",
        "paper-mcts-faithful": "quoridor-mcts:version=faithful,iterations=200",
        "paper-alphabeta-corrected": "quoridor-alphabeta:version=corrected,depth=1",
        "paper-mcts-corrected": "quoridor-mcts:version=corrected,iterations=200",
        **AGENTS_OF_EVERY_GAME,
    },
)
