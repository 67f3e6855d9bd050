"""Plays a sweep, a gauntlet of the arena in which every setting meets the opponent, and states its result."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.arena.plan import Plan, make_plan
from joute.arena.plan_file import openings_text
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.frames import frame_of_rows
from joute.match import MatchResult
from joute.match.statistics import elo_of
from joute.numbers import NOTHING, count_of, elo_interval, elo_text, finite, percent
from joute.spec import value_text
from joute.sweeps.comparison import CONFIDENCE, may_be_best, simultaneous_z
from joute.sweeps.grid import Grid, Setting, Variable
from joute.tables import Table, paragraphs
from joute.text import printable

if TYPE_CHECKING:
    from pandas import DataFrame

#: The default number of games of each setting.
GAMES = 100

# Settings of a plan that do not change which games are played.
_NOT_OF_THE_GAMES = {"concurrency", "folder"}


@dataclass(frozen=True)
class SettingResult:
    """The games of one setting against the opponent."""

    setting: Setting
    #: The games so far, counted for the setting.
    match: MatchResult
    #: The interval of its score. The intervals of all settings hold together with 95% confidence.
    interval: tuple[float, float]
    #: Whether it is among the settings that include the truly best one with 95% confidence.
    may_be_best: bool

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The interval of the score, in Elo."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    @property
    def texts(self) -> dict[str, str]:
        """Score and Elo with their intervals, as tables show them."""
        if not self.match.games:
            return dict.fromkeys(("score", "interval", "Elo", "Elo interval"), NOTHING)
        low, high = self.interval
        return {
            "score": percent(self.match.score),
            "interval": f"{percent(low)} to {percent(high)}",
            "Elo": elo_text(self.match.elo),
            "Elo interval": elo_interval(*self.elo_interval),
        }


@dataclass(frozen=True)
class SweepResult:
    """The result of a sweep, finished or not. It prints as a table and shows as one in a notebook."""

    game: str
    grid: Grid
    against: str
    #: In the order of the grid.
    settings: tuple[SettingResult, ...]
    games: int
    games_in_all: int
    #: A sentence for each agent that forfeited games, with an example.
    forfeits: tuple[str, ...] = ()

    @property
    def best(self) -> SettingResult:
        """The setting with the highest score; `may_be_best` tells which others may be as good."""
        return self.ranked[0]

    @property
    def ranked(self) -> list[SettingResult]:
        """The settings by score, best first."""
        return sorted(self.settings, key=lambda setting: -setting.match.score if setting.match.games else 1.0)

    @property
    def table(self) -> Table:
        """A row per setting, best first."""
        rows = self.ranked
        tallies = [row.match.tally() for row in rows]
        names = [variable.name for variable in self.grid.variables]
        return Table(
            {
                **{name: [row.setting.values[index] for row in rows] for index, name in enumerate(names)},
                "wins": [str(wins) for wins, _, _ in tallies],
                "draws": [str(draws) for _, draws, _ in tallies],
                "losses": [str(losses) for _, _, losses in tallies],
                **{name: [row.texts[name] for row in rows] for name in ("score", "interval", "Elo", "Elo interval")},
                "may be best": ["yes" if row.may_be_best else "no" for row in rows],
            }
        )

    @property
    def verdict(self) -> str:
        """Which settings may be the best, as a sentence."""
        if not self.games:
            return "no game is finished yet"
        best, count = self.best.setting.agent, len(self.settings)
        others = sum(setting.may_be_best for setting in self.settings) - self.best.may_be_best
        if others:
            also = "another setting is" if others == 1 else f"{others} other settings are"
            return f"{best} scored best, but {also} not distinguishable from the best at 95%"
        return f"{best} is the best of {count_of(count, 'setting')} (95%)"

    @property
    def notes(self) -> list[str]:
        """The meaning of the columns, and warnings about the games."""
        count = len(self.settings)
        z = simultaneous_z(count)
        notes = [
            f"scores are against {self.against}, from the same openings for all settings",
            f"the {count_of(count, 'interval')} hold together with 95% confidence (Šidák: {z:.2f} standard errors); "
            "the best setting is among those that may be best with 95% confidence (Hsu, Bonferroni)",
        ]
        if self.games < self.games_in_all:
            notes.append(f"{self.games:,} of {count_of(self.games_in_all, 'game')} are played")
        matches = [setting.match for setting in self.settings]
        if (distinct := sum(match.distinct_games for match in matches)) < self.games:
            notes.append(
                f"{distinct:,} of the {count_of(self.games, 'game')} are distinct; a repeated game adds no information"
            )
        return [*notes, *self.forfeits]

    def to_frame(self) -> DataFrame:
        """The table as a data frame of pandas, in the order of the grid; values that are numbers become numbers."""
        variables = self.grid.variables
        names = [*(variable.name for variable in variables), "setting", *_COUNTS, *_ESTIMATES, "may_be_best"]
        rows = []
        for each in self.settings:
            values = map(Variable.read, variables, each.setting.values)
            match = each.match
            estimates = (match.score, *each.interval, match.elo, *each.elo_interval)
            rows.append([*values, each.setting.agent, match.games, *match.tally(), *estimates, each.may_be_best])
        return frame_of_rows(names, rows)

    def as_data(self) -> dict[str, Any]:
        """The result as JSON data; null stands for infinite values."""
        return {
            "game": self.game,
            "agent": self.grid.spec,
            "against": self.against,
            "games": self.games,
            "games_in_all": self.games_in_all,
            "variables": {variable.name: list(variable.values) for variable in self.grid.variables},
            "intervals": {"confidence": CONFIDENCE, "method": "Šidák", "z": simultaneous_z(len(self.settings))},
            "verdict": self.verdict,
            "notes": self.notes,
            "settings": [
                {
                    "agent": each.setting.agent,
                    "values": dict(zip((v.name for v in self.grid.variables), each.setting.values, strict=True)),
                    "games": each.match.games,
                    **dict(zip(("wins", "draws", "losses"), each.match.tally(), strict=True)),
                    "score": each.match.score,
                    "low": each.interval[0],
                    "high": each.interval[1],
                    "elo": finite(each.match.elo),
                    "elo_low": finite(each.elo_interval[0]),
                    "elo_high": finite(each.elo_interval[1]),
                    "pentanomial": list(each.match.pentanomial.counts),
                    "distinct_games": each.match.distinct_games,
                    "forfeits": each.match.forfeits(of_a=True),
                    "may_be_best": each.may_be_best,
                }
                for each in self.settings
            ],
        }

    def __str__(self) -> str:
        return "\n".join([str(self.table), "", *map(printable, (self.verdict, *self.notes))])

    def __repr__(self) -> str:
        return f"<sweep of {self.grid.spec} against {self.against}: {self.games:,} of {self.games_in_all:,} games>"

    def _repr_html_(self) -> str:
        return self.table.html + paragraphs([self.verdict, *self.notes])


_COUNTS = ("games", "wins", "draws", "losses")
_ESTIMATES = ("score", "low", "high", "elo", "elo_low", "elo_high")


def sweep_plan(game: str, grid: Grid, against: str, *, games: int = GAMES, **settings: Any) -> Plan:
    """The plan of a sweep: the settings are the heroes of a gauntlet, and the opponent is the last entrant."""
    if games % 2:
        raise SpecError(f"games must be even, not {games}: each opening is played twice, with colours swapped")
    if "openings" in settings:
        settings["openings"] = openings_text(settings["openings"], Path.cwd())
    agents = [*(setting.agent for setting in grid.settings), against]
    return make_plan(game, agents, schedule=f"gauntlet:heroes={len(grid.settings)}", games=games, **settings)


def default_path(plan: Plan) -> Path:
    """The database of a sweep that names none: the same sweep has the same name, so that it goes on there."""
    text = json.dumps(_of_the_games(plan), sort_keys=True)
    digest = hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
    return Path(f"sweep-{plan.game.partition(':')[0]}-{digest}.db")


def open_sweep(plan: Plan, path: Path, *, command: str = "") -> Tournament:
    """The tournament of a sweep: new, or the one in the file, to go on; SpecError if the file holds another one."""
    if not path.is_file() or not path.stat().st_size:
        return Tournament.create(plan, path, command=command)
    with Store.read(path) as store:
        there, here = _of_the_games(store.plan), _of_the_games(plan)
    for name, value in here.items():
        if there[name] == value:
            continue
        how = f": {name} is {_text(there[name])} there and {_text(value)} here" if name != "entrants" else ""
        raise SpecError(f"{path} holds another tournament{how}; name another file with --db")
    return Tournament.resume(path, concurrency=plan.concurrency)


def result_of(made: Tournament, grid: Grid) -> SweepResult:
    """The result of a sweep so far."""
    opponent = len(grid.settings)
    names = [entrant.name for entrant in made.plan.entrants]
    matches = [
        made.standings.pairings.get((index, opponent)) or MatchResult(names[index], names[opponent])
        for index in range(opponent)
    ]
    z = simultaneous_z(opponent)
    new = [match.distinct_games / match.games if match.games else 1.0 for match in matches]
    candidates = may_be_best(_points(made, opponent), new)
    settings = tuple(
        SettingResult(setting, match, match.interval_at(z), candidate)
        for setting, match, candidate in zip(grid.settings, matches, candidates, strict=True)
    )
    forfeits = tuple(row.forfeits_text for row in made.standings.table if row.forfeits)
    games, games_in_all = made.standings.games, made.schedule.most_games
    return SweepResult(made.plan.game, grid, names[-1], settings, games, games_in_all, forfeits)


def sweep(
    game: str,
    agent: str,
    *,
    against: str,
    games: int = GAMES,
    db: str | Path | None = None,
    on_game: Callable[[SweepResult], None] | None = None,
    **settings: Any,
) -> SweepResult:
    """Play all settings of an agent against one opponent, from the same openings, and compare them.

    `agent` is a spec with values in braces: ``mcts:c={0.3..2.0/8},iterations={200,1000}``. `games` is the number of
    games of each setting. The games are kept in the database `db`; if it holds the same sweep, the sweep goes on
    there. Without `db` nothing is kept. `settings` are those of a tournament: seed, clock, openings, concurrency.
    """
    grid = Grid.parse(agent)
    plan = sweep_plan(game, grid, against, games=games, **settings)
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        path = Path(db) if db is not None else Path(folder) / "sweep.db"
        with open_sweep(plan, path) as made:
            made.play((lambda _: on_game(result_of(made, grid))) if on_game else None)
            return result_of(made, grid)


def _points(made: Tournament, settings: int) -> Any:
    """The points of every setting (rows) in the two games of every opening that all settings have finished (columns).

    A gauntlet plays one opening with all settings before the next, so that the number of a game tells its opening.
    """
    import numpy as np  # imported here: it is slow to import

    rounds: dict[int, dict[int, list[float]]] = {}
    for number, game in made.results.items():
        setting = min(game.players)
        rounds.setdefault(number // (2 * settings), {}).setdefault(setting, []).append(game.points_of(setting))
    whole = [
        [sum(played[setting]) for setting in range(settings)]
        for _, played in sorted(rounds.items())
        if len(played) == settings and all(len(points) == 2 for points in played.values())
    ]
    return np.array(whole, dtype=np.float64).reshape(-1, settings).T


def _of_the_games(plan: Plan) -> Mapping[str, Any]:
    return {name: value for name, value in plan.as_data().items() if name not in _NOT_OF_THE_GAMES}


def _text(value: Any) -> str:
    return value_text(value) if isinstance(value, bool | int | float | str) else json.dumps(value)
