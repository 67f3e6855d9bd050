"""The benchmark of Vampires vs Werewolves: its engine, the agents of the paper, and the searches of every game.

Specs set a limit and little else, so that a change of a default or of an evaluation changes a signature too.
"""

from joute.match.signature import AGENTS_OF_EVERY_GAME, Bench

BENCH = Bench(
    "vampires",
    (
        "10x10/3v5.9+3w4.0+17h6.1+2h3.2+2h0.3+8h1.3+1h3.3+1h9.4+1h0.5+1h6.6+8h8.6+2h9.6+2h6.7+17h3.8",
        "10x10/2v3.7+1v5.7+5w3.2+17h6.1+2h0.3+8h1.3+1h3.3+1h9.4+1h0.5+1h6.6+8h8.6+2h9.6+2h6.7+17h3.8/4",
        "10x10/2v2.5+4v6.7+2w2.4+1w3.4+2w4.4+1w5.4+17h6.1+2h0.3+8h1.3+1h9.4+1h0.5+8h8.6+2h9.6+17h3.8/8",
        "10x10/1v0.4+2v9.4+1v3.5+2v5.6+4w3.3+17h6.1+2h0.3+8h1.3+1h0.5+8h8.6+2h9.6+17h3.8/14",
    ),
    {
        "engine": "vampires:nodes=10000",
        "to-the-nearest-house": "vampires-greedy",
        "langorou-faithful": "langorou:version=faithful,nodes=5000",
        "langorou-corrected": "langorou:version=corrected,nodes=5000",
        "langorou-values": "langorou:table=values,nodes=5000",
        "langorou-random": "langorou-random",
        **AGENTS_OF_EVERY_GAME,
    },
)
