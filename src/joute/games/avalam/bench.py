"""The benchmark of Avalam: its engine, the agents of the paper, and the searches of every game.

Specs set a limit and little else, so that a change of a default or of an evaluation changes a signature too.
"""

from joute.match.signature import AGENTS_OF_EVERY_GAME, Bench

BENCH = Bench(
    "avalam",
    (
        "Aa/AaAa/aAaAaA/AaAaAaAa/AaAaaAaA/aAaAaAaA/AaAaAa/aAaA/aA",
        "Aa/AaAa/bAB.aA/A.baAaAa/AaA.aAaA/aAaAaAaA/Aa..Aa/cAbA/.A",
        "Aa/A.AC/cA..aA/A.ba.BAa/AaA.aAaA/aAaAbA.A/A...b./cAD./.A",
        "Aa/A.AC/cA..aC/..ba...a/.CA.cA.C/aAaA.A.A/A...b./D.D./.A",
        ".a/A.../cC...C/..bE...D/.CA.cA../aA.b.A.A/A...b./D.D./.A",
    ),
    {
        "engine": "avalam:nodes=30000",
        "uct": "avalam-uct:iterations=1000",
        "solver": "avalam-solver:nodes=30000",
        "greedy-course": "avalam-greedy",
        "mcts-faithful": "avalam-mcts:version=faithful,iterations=300",
        "mcts-6s-faithful": "avalam-mcts-6s:version=faithful,iterations=300",
        "rave-faithful": "avalam-rave:version=faithful,iterations=300",
        "minimax-score-faithful": "avalam-minimax-score:version=faithful",
        "minimax-guaranteed-faithful": "avalam-minimax-guaranteed:version=faithful",
        "minimax-h1-faithful": "avalam-minimax-h1:version=faithful",
        "minimax-h2-faithful": "avalam-minimax-h2:version=faithful",
        "mcts-corrected": "avalam-mcts:version=corrected,iterations=300",
        "mcts-6s-corrected": "avalam-mcts-6s:version=corrected,iterations=300",
        "rave-corrected": "avalam-rave:version=corrected,iterations=300",
        "minimax-score-corrected": "avalam-minimax-score:version=corrected",
        "minimax-guaranteed-corrected": "avalam-minimax-guaranteed:version=corrected",
        "minimax-h1-corrected": "avalam-minimax-h1:version=corrected",
        "minimax-h2-corrected": "avalam-minimax-h2:version=corrected",
        **AGENTS_OF_EVERY_GAME,
    },
)
