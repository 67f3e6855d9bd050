"""``joute odds``: the odds of a battle of Vampires vs Werewolves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, echo, print_json

if TYPE_CHECKING:
    from joute.games.vampires.state import BattleOdds

# Rarer outcomes are not listed; a battle of a hundred units has hundreds of outcomes.
_RARE = 0.001


def odds(
    attackers: Annotated[
        int, typer.Argument(metavar="ATTACKERS", help="The number of attacking units.", min=1, max=255)
    ],
    defenders: Annotated[
        int, typer.Argument(metavar="DEFENDERS", help="The number of defending units.", min=1, max=255)
    ],
    *,
    against: Annotated[str, typer.Option(help="The defenders: humans or monsters.", metavar="WHOM")] = "monsters",
    rules: Annotated[str, typer.Option(help="The rules profile (see 'joute games').", metavar="PROFILE")] = "official",
    as_json: JsonOption = False,
) -> None:
    """Show the attackers' probability to win a battle, the distribution of the survivors, and their mean number.

    Outcomes with a probability of at least 0.1% are listed; `--json` has them all.
    """
    from joute.games.vampires.state import battle_odds
    from joute.spec import look_up

    against_humans = look_up("defender", against, {"humans": True, "monsters": False})
    found = battle_odds(attackers, defenders, against_humans=against_humans, rules=rules)
    if as_json:
        print_json(
            {
                "attackers": attackers,
                "defenders": defenders,
                "against": against,
                "rules": rules,
                "win": found.win,
                "empty": found.empty,
                "attackers_left": found.attackers,
                "defenders_left": found.defenders,
                "expected_attackers": found.expected_attackers,
                "expected_defenders": found.expected_defenders,
            }
        )
        return
    _print(found, f"{attackers} attack {defenders} {against} ({rules})", with_converts=against_humans)


def _print(found: BattleOdds, what: str, *, with_converts: bool) -> None:
    from joute.cli.common import console, table

    if found.win == 1:
        verdict = "the attackers win for certain"
    elif found.win == 0:
        verdict = "the attackers lose for certain"
    else:
        verdict = f"the attackers win with chance {found.win:.4g}"
    echo(f"{what}: {verdict}")
    winners = f"{found.expected_attackers:.4g} attackers{', converts included' if with_converts else ''}"
    echo(f"left on average: {winners}; {found.expected_defenders:.4g} defenders")
    listing = table("left", "chance", numbers=("chance",))
    rows = list(_rows(found))
    for left, chance in rows:
        if chance >= _RARE:
            listing.add_row(left, f"{chance:.2%}")
    console().print(listing)
    if rare := sum(chance for _, chance in rows if chance < _RARE):
        echo(f"less likely numbers together: {rare:.2%}")


def _rows(found: BattleOdds) -> Iterator[tuple[str, float]]:
    """Yield the possible survivors, most attackers first, with their probability."""
    for number, chance in reversed(list(enumerate(found.attackers, start=1))):
        yield _counted(number, "attacker"), chance
    yield "nobody", found.empty
    for number, chance in enumerate(found.defenders, start=1):
        yield _counted(number, "defender"), chance


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(odds)
