"""Training of networks for Divercité: default settings."""

from __future__ import annotations

from collections.abc import Mapping

from joute.spec import Value

#: Training parameters that differ from the general defaults; docs/training.md gives the reasons.
TRAINING: Mapping[str, Value] = {
    # 164 moves at the start: weaker values leave the targets nearly uniform, and fewer simulations see too few moves.
    "c_scale": 1.0,
    "simulations": 64,
    "early_simulations": 32,
    "early_share": 0.3,
    "considered": 32,
    "margin_scale": 5.0,  # points: a Divercité
    "exact_from": 32,  # earlier, a batch often waits for the solver
    "starts": "balanced",  # from random ones the second player won 24 games of 30
    "random_plies": 4,  # beyond those of the opening
    "stagger": 40,  # plies of a game
    "references": "divercite:nodes=2000 divercite:nodes=20000",
    "match_simulations": 128,
}
