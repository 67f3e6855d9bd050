"""A match between two agents of any kind, as ``joute match`` plays it: in this process, or several games at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import joute.match.match as one_process
from joute._core import Random
from joute.agents import Agent
from joute.agents.source import Source
from joute.arena.openings import default_openings, make_openings, opening_seed
from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.match.clock import Clocks, TimeControl
from joute.match.game import settle
from joute.match.match import MatchResult, add_games
from joute.match.player import MisconductError, Player
from joute.match.record import GameRecord
from joute.match.sprt import Sprt

if TYPE_CHECKING:
    from joute.arena.players.isolation import Isolation
    from joute.arena.pool.blame import Unplayed
    from joute.arena.pool.node import Node
    from joute.arena.pool.pool import Finished
    from joute.arena.pool.venue import Games, Venue


def play_match(
    game: str | State,
    a: str | Agent | Player,
    b: str | Agent | Player,
    *,
    games: int,
    seed: int = 0,
    clock: Clocks = "none",
    openings: str | Sequence[State] | None = None,
    sprt: Sprt | None = None,
    on_game: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play a match; A moves first in every other game, beginning with the first. `on_game` is called after each game.

    `clock` is the time control of both agents, or a pair: A's and B's. `openings` are the start positions: a list, or a
    text such as ``start``, ``balanced``, ``random:plies=6`` or the name of a file, as on the command line. By default
    they are the game's set of balanced openings, or the start position if it has none or if `game` is a position.
    They are used cyclically, each for two games with colours swapped. With `sprt` the match ends when the test is
    decided or the agents only repeat games, at the latest after `games` games.

    >>> result = play_match("connect4", "greedy", "random", games=20, seed=1)
    >>> result.games, result.pentanomial.pairs
    (20, 10)
    """
    start = new(game) if isinstance(game, str) else game
    if openings is None:
        openings = match_openings(start)
    if isinstance(openings, str):
        openings, note = opening_states(start, openings, games, seed)
        if note:
            warnings.warn(note, stacklevel=2)
    return one_process.play_match(
        game, a, b, games=games, seed=seed, clock=clock, openings=openings, sprt=sprt, on_game=on_game
    )


def match_openings(start: State, *, otherwise: str = "start") -> str:
    """The openings of a match if its user names none; `otherwise` in games without a set of balanced ones."""
    is_own_start = start.position == new(start.spec).position
    return default_openings(start.spec, otherwise=otherwise) if is_own_start else "start"


def opening_states(start: State, text: str, games: int, seed: int) -> tuple[list[State], str]:
    """The start positions that a text names, for this many games, and a note about them; none for ``start``."""
    if text == "start":
        return [], ""
    if start.position != new(start.spec).position:
        raise SpecError("games start from a position or from openings, not from both")
    made = make_openings(start.spec, text, (games + 1) // 2, opening_seed(seed))
    return [new(start.spec, opening) for opening in made.positions], made.note


class NotLoadedError(JouteError):
    """An agent failed before the first game. `output` is its standard error, with the traceback if it is in Python."""

    def __init__(self, sentence: str, output: str) -> None:
        super().__init__(sentence)
        self.output = output


@dataclass
class Match:
    """The settings of a match between two agents, A and B; `play` plays it.

    With a limit on nodes or iterations, built-in agents play the same games whatever the `concurrency`.
    """

    start: State
    sources: tuple[Source, Source]
    names: tuple[str, str]
    games: int
    isolation: Isolation
    seed: int = 0
    controls: tuple[TimeControl, TimeControl] = (TimeControl(), TimeControl())
    openings: Sequence[State] = ()
    sprt: Sprt | None = None
    #: Games played at once: 1 in this process, more in worker processes; at a venue, 0 for as many as fit.
    concurrency: int = 1
    #: Whether agents in processes of their own keep running between games, if they speak UGI or are Python files.
    keep_alive: bool = False
    #: Where games are played; None for this machine.
    venue: Venue | None = None
    #: The games that were given up without a result, and why.
    unplayed: list[Unplayed] = field(default_factory=list, init=False)
    #: The nodes of a cluster that played games, or were left out.
    nodes: list[Node] = field(default_factory=list, init=False)

    def play(self, on_game: Callable[[MatchResult], None] | None = None) -> MatchResult:
        """Play the match. NotLoadedError if an agent cannot begin a game."""
        players = self._players()
        try:
            self._check_that_they_load(players)
            if self.concurrency == 1 and self.venue is None:
                return self._play_here(players, on_game)
        finally:
            for player in players:
                player.close()
        return self._play_at_once(on_game)

    def _play_here(self, players: tuple[Player, Player], on_game: Callable[[MatchResult], None] | None) -> MatchResult:
        return one_process.play_match(
            self.start,
            *players,
            games=self.games,
            seed=self.seed,
            clock=self.controls,
            openings=self.openings,
            sprt=self.sprt,
            on_game=on_game,
        )

    def _players(self) -> tuple[Player, Player]:
        from joute.arena.players.players import make_player

        first, second = (
            make_player(
                source, name, self.start.spec, self.isolation, hidden_paths=self._files, keep_alive=self.keep_alive
            )
            for source, name in zip(self.sources, self.names, strict=True)
        )
        return first, second

    @property
    def _files(self) -> list[Path]:
        return [file for source in self.sources for file in source.files]

    def _check_that_they_load(self, players: Sequence[Player]) -> None:
        """Let agents that are not built in begin a game, which shows whether their code can be loaded at all."""
        start, _ = settle(self.openings[0] if self.openings else self.start, Random(self.seed))
        for side, (source, player) in enumerate(zip(self.sources, players, strict=True)):
            if source.runs_in_worker:
                continue
            try:
                player.begin(start, side, self.seed)
            except MisconductError as misconduct:
                raise NotLoadedError(str(misconduct), player.end()) from misconduct
            player.end()

    def _play_at_once(self, on_game: Callable[[MatchResult], None] | None) -> MatchResult:
        from joute.arena.schedules.schedule import Pairing

        starts = self.openings or [self.start]
        pairings = (
            Pairing(number, (number % 2, 1 - number % 2), number // 2 % len(starts)) for number in range(self.games)
        )
        result = MatchResult(*self.names)
        with self._pool(tuple(start.position for start in starts)) as pool:
            try:
                add_games(
                    result, _in_order(pool.play(pairings)), sprt=self.sprt, openings=self.openings, on_game=on_game
                )
            finally:
                self.unplayed += pool.unplayed
        self.nodes += pool.changed_nodes()
        return result

    def _pool(self, openings: tuple[str, ...]) -> Games:
        from joute.arena.plan import Entrant, Plan
        from joute.arena.pool.venue import HERE

        entrants = tuple(
            Entrant(name, source.text, str(control))
            for name, source, control in zip(self.names, self.sources, self.controls, strict=True)
        )
        plan = Plan(
            game=self.start.spec, entrants=entrants, games=self.games, seed=self.seed, isolation=self.isolation,
            folder=str(Path.cwd()),
        )  # fmt: skip
        count = self.concurrency
        return (self.venue or HERE).open(
            plan, self.sources, openings, count, self._files, wanted=count, keep_alive=self.keep_alive
        )


def _in_order(games: Iterable[Sequence[Finished]]) -> Iterator[tuple[int, GameRecord]]:
    """Games by number, as if they had been played one after another; a sequential test then ends at the same game.

    After an interruption, or if a game was given up, later games follow although one before them is missing.
    """
    waiting: dict[int, GameRecord] = {}
    following = 0
    interruption: KeyboardInterrupt | None = None
    try:
        for finished in games:
            waiting.update((each.pairing.number, each.record) for each in finished)
            while following in waiting:
                yield following, waiting.pop(following)
                following += 1
    except KeyboardInterrupt as error:
        interruption = error
    yield from sorted(waiting.items())
    if interruption:
        raise interruption
