"""Draw the boards of the documentation, docs/GAME.svg: python tools/board_pictures.py"""

from __future__ import annotations

from pathlib import Path

import joute

DOCS = Path(__file__).parents[1] / "docs"

# The position of each picture, and the move that is played in it and marked.
PICTURES = {
    "connect4": ("444452554543", "6"),
    "avalam": ("b./.aAa/aB.A.D/Ae.B..../..A..b.d/D..AaA../....DB/c.../.d", "d6e6"),
    "divercite": ("r/rR-./..rRb/yB-.R-rG-g/yYr.yByY./rR.GbB-y/..gGb/..././0221", "yi5"),
    "quoridor": ("a1c1c2e2e3a5c5e5g5/f2f4/f3e5/7-2/24", "c4v"),
    "vampires": (
        "10x10/5v7.5+3v9.5+2w1.4+3w3.4+1w1.5+17h6.1+2h0.3+8h1.3+1h9.4+1h0.5+8h8.6+17h3.8/14",
        "7.5-6.4x2+7.5-6.5x3+9.5-8.4x3",
    ),
}


def picture(game: str) -> str:
    """The picture of a game, as SVG."""
    position, move = PICTURES[game]
    return joute.new(game, position).play(move).svg(move)


if __name__ == "__main__":
    for game in PICTURES:
        (DOCS / f"{game}.svg").write_text(picture(game), encoding="utf-8")
