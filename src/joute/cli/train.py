"""``joute train``: train a network by self-play."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from joute.cli.common import GameArgument
from joute.cli.ray_option import RayOption
from joute.example import GAME

# On a CPU, inference with the default network is so slow that the first learner step takes minutes.
_EPILOG = f"""Example: joute train {GAME} --minutes 20 --out runs/{GAME}

Without a GPU: joute train {GAME} --minutes 20 --out runs/small --pools 2 --games 256 --channels 16 --blocks 2
--batch 256"""


def train(
    game: GameArgument,
    *,
    out: Annotated[Path, typer.Option(help="The folder of the run; an existing run is resumed.", metavar="DIR")],
    preset: Annotated[
        str, typer.Option(help="Settings under one name, as a spec: NAME or NAME:key=value.", metavar="SPEC")
    ] = "",
    ray: RayOption = None,
    **settings: Any,
) -> None:
    """Train a network by self-play, with checkpoints, ratings and a report.

    The same command resumes the run after an interruption. It needs PyTorch, which the extra `train` installs.
    """
    from joute.train.command import train as run

    given = {name: value for name, value in settings.items() if value is not None}
    run(game, out, given, typer.echo, preset=preset, ray=ray)


def _options() -> Iterator[inspect.Parameter]:
    """An option for each training parameter. Values stay text here; the parameter classes parse and check them."""
    from joute.spec import parameters_of
    from joute.train.parameters import GROUPS

    for group in GROUPS:
        for each in parameters_of(group):
            option = typer.Option(
                f"--{each.name.replace('_', '-')}",
                help=f"{each.help} (default: {each.default_text})",
                metavar=each.range.upper() if each.range == "text" else each.range,
                rich_help_panel=(group.__doc__ or "").strip(),
            )
            yield inspect.Parameter(
                each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, option]
            )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    signature = inspect.signature(train, eval_str=True)
    fixed = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    options = list(_options())

    @functools.wraps(train)
    def described(**settings: Any) -> None:
        train(**settings)

    described.__signature__ = signature.replace(parameters=[*fixed, *options])  # type: ignore[attr-defined]
    described.__annotations__ = {each.name: each.annotation for each in (*fixed, *options)}
    app.command(epilog=_EPILOG)(described)
