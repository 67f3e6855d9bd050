"""``python -m joute.train GAME --out DIR``: training where only PyTorch, NumPy and Joute's core are installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from joute.example import GAME
from joute.failure import end_after, tell
from joute.spec import parameters_of
from joute.train.command import train
from joute.train.parameters import GROUPS, TrainParameters


def parser() -> argparse.ArgumentParser:
    """The command line, made from the parameters."""
    made = argparse.ArgumentParser(
        prog="python -m joute.train",
        usage="python -m joute.train GAME --out DIR [--minutes N] [--PARAMETER VALUE ...]",
        allow_abbrev=False,
        description="Train a network by self-play. If the folder holds a run, it is resumed.",
    )
    made.add_argument("game", metavar="GAME", help=f"the spec of a game, such as {GAME}")
    made.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder of the run")
    made.add_argument("--preset", metavar="SPEC", default="", help="settings under one name: NAME or NAME:key=value")
    made.add_argument("--ray", metavar="ADDRESS", help="play the games on a Ray cluster (docs/cluster.md)")
    for group in GROUPS:
        section = made.add_argument_group((group.__doc__ or "").strip())
        for each in parameters_of(group):
            section.add_argument(
                f"--{each.name.replace('_', '-')}",
                metavar=each.range,
                default=argparse.SUPPRESS,
                help=f"{each.help} (default: {each.default_text})".replace("%", "%%"),
            )
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    given = vars(parser().parse_args(words))
    names = {each.name for each in parameters_of(TrainParameters)}
    settings = {name: value for name, value in given.items() if name in names}
    try:
        train(
            given["game"],
            given["out"],
            settings,
            lambda text: print(text, flush=True),
            preset=given["preset"],
            ray=given["ray"],
        )
    except KeyboardInterrupt:
        tell("interrupted")
        return 130
    except Exception as error:
        return end_after(error, ("python", "-m", "joute.train", *(sys.argv[1:] if words is None else words)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
