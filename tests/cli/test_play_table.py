"""A game of ``joute play`` by its parts: pauses, clocks, levels, questions before the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest import mock

import pytest
from commands import joute, ok

from joute import Clock, State
from joute.agents import AgentType, register_agent
from joute.cli import play as play_command
from joute.cli.play_frame import View
from joute.cli.play_screen import Screen
from joute.cli.play_table import Table
from joute.cli.terminal import Look
from joute.errors import SpecError
from joute.games import Move, new
from joute.match.clock import controls_of
from joute.match.game import GameInProgress
from joute.match.player import LocalPlayer
from joute.match.record import Reason
from joute.spec import parameter


class First:
    """Plays the first legal move."""

    def choose(self, state: State, clock: Clock) -> Move:
        move: Move = state.legal_moves[0]
        return move


class Typed(Screen):
    """A screen before which somebody types these lines; time passes while it is asked."""

    is_live = True

    def __init__(self, *lines: str, on_ask: Callable[[], None] = lambda: None) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.views: list[View] = []
        self._on_ask = on_ask

    def show(self, view: View, told: str, state: State) -> None:
        self.views.append(view)

    def say(self, text: str, kind: str = "") -> None:
        self.said.append(text)

    def ask(self, view: View) -> str:
        self._on_ask()
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)


@dataclass
class Time:
    """A clock that a test moves."""

    now_s: float = 0.0
    slept_s: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept_s += seconds


def table_of(screen: Screen, time: Time, *, clock: str = "none", pause_s: float = 0.0) -> Table:
    opponent = LocalPlayer(First(), "first")
    game: GameInProgress[State] = GameInProgress(new("connect4"), controls=controls_of(clock), draws_at_once=False)
    opponent.begin(game.state, 1, 0)
    return Table(
        game, 0, opponent, "perfect", None, screen, Look, None,
        pause_s=pause_s, seconds=lambda: time.now_s, sleep=time.sleep,
    )  # fmt: skip


def test_an_answer_that_came_at_once_is_shown_after_a_pause() -> None:
    time = Time()
    table_of(Typed("4", "quit"), time, pause_s=0.7).run()
    assert 0.5 < time.slept_s <= 0.7  # less the time of the answer, which is short
    time = Time()
    table_of(Typed("4", "quit"), time).run()
    assert time.slept_s == 0


def test_there_is_no_pause_where_there_is_no_terminal() -> None:
    with mock.patch("time.sleep") as sleep:
        ok("play", "connect4", "--against", "greedy", "--pause", "9", input="4\nquit\n")
    assert not sleep.called


def test_the_players_clock_runs_while_the_player_thinks() -> None:
    time = Time()

    def think() -> None:
        time.now_s += 20

    table = table_of(Typed("hint", "4", "4", on_ask=think), time, clock="60+1")
    table.run()
    assert [played.time_s for played in table.game.moves if played.player == 0] == [40.0, 20.0]
    assert table.view().sides[0].clock == "0:02"  # 60 - 60, and an increment for each of two moves


def test_a_player_who_is_out_of_time_loses() -> None:
    time = Time()

    def think() -> None:
        time.now_s += 40

    screen = Typed("4", "4", "4", on_ask=think)
    table = table_of(screen, time, clock="60")
    assert table.run()
    assert (table.game.reason, table.game.result and table.game.result.winner) == (Reason.TIME, 1)
    assert screen.said[-2:] == ["You are out of time and lost the game.", "first wins."]


def test_undo_gives_the_time_back() -> None:
    time = Time()

    def think() -> None:
        time.now_s += 10

    table = table_of(Typed("4", "undo", "quit", on_ask=think), time, clock="60")
    table.run()
    assert table.game.moves == []


def test_a_pending_battle_and_a_lost_turn_are_shown() -> None:
    game: GameInProgress[State] = GameInProgress(new("vampires", "5x5/5v1.1+4w2.2+3w4.4"), draws_at_once=False)
    table = Table(game, 0, LocalPlayer(First(), "first"), "", None, Typed(), Look, None)
    game.play("1.1-2.2x5")
    assert table.view().status == "ply 1: a battle of the vampires on 2.2 is pending"
    assert "4w" in table.view().board.text
    game.resolve(5)
    game.lose_turn()
    assert table.view().moves[-1] == (1, "werewolves", "--")
    assert "1v" in table.view().board.text


def test_forced_colours_reach_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    text = ok("play", "connect4", "--against", "greedy", input="4\nquit\n")
    assert "\x1b[38;5;" in text
    assert "\x1b[H" not in text  # a pipe is not redrawn
    assert "ply 2: first (X) to move" in text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in ok("play", "connect4", "--against", "greedy", input="4\nquit\n")


# --- Before the game ---


@dataclass(frozen=True)
class LevelParameters:
    """A stand-in for levels: 1 to 3."""

    number: str = parameter("1", help="the level", source="a test", leads=True)


def checked(parameters: LevelParameters, game: type[State]) -> None:
    if parameters.number not in ("1", "2", "3", "auto"):
        raise SpecError(f"{game.game} has the levels 1 to 3 and auto, not '{parameters.number}'")


@pytest.fixture
def levels() -> Iterator[None]:
    """Levels of all games but one."""
    no_levels = mock.Mock(side_effect=lambda game: "it has no levels" if game.game == "quoridor" else "")
    register_agent(
        AgentType("level", "a level", LevelParameters, lambda *_: First(), check=checked, objection=no_levels)
    )
    with mock.patch("joute.agents.registry._agents.is_ours", return_value=True):
        yield


@pytest.mark.usefixtures("levels")
def test_a_level_is_an_opponent() -> None:
    text = ok("play", "connect4", "--level", "2", "--no-save", input="4\nquit\n")
    assert "level:2 plays 1" in text
    assert "--against level:2" in text
    done = joute("play", "connect4", "--level", "9")
    assert (done.returncode, done.stderr) == (2, "joute: connect4 has the levels 1 to 3 and auto, not '9'\n")


@pytest.mark.usefixtures("levels")
def test_a_game_without_levels_says_so() -> None:
    done = joute("play", "quoridor", "--level", "1")
    assert done.returncode == 2
    assert done.stderr == "joute: there are no levels of quoridor; choose an opponent with --against\n"


@pytest.mark.usefixtures("levels")
def test_the_player_is_asked_for_a_level_until_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    with mock.patch("builtins.input", side_effect=["7", "hard", "3"]):
        assert play_command._chosen_level(new("connect4")) == "level:3"
    assert capsys.readouterr().out.count("has the levels 1 to 3 and auto") == 2
    with mock.patch("builtins.input", return_value=""):
        assert play_command._chosen_level(new("connect4")) == "level:auto"


def test_options_that_contradict_each_other_are_refused() -> None:
    for words, sentence in (
        (("--level", "1", "--against", "random"), "--against and --level both name an opponent; give one of them"),
        (("--theme", "pink"), "there is no theme 'pink'; there are: auto, light, dark"),
        (("--save", "x", "--no-save"), "--save and --no-save contradict each other"),
        (("--clock", "soon"), "'soon' is not a clock such as"),
    ):
        done = joute("play", "connect4", *words)
        assert done.returncode == 2
        assert done.stderr.startswith(f"joute: {sentence}")


def test_a_game_can_be_chosen_through_a_pipe() -> None:
    text = ok("play", "--against", "random", input="\nchess\nconnect4\n4\nquit\n")
    assert "Connect Four (connect4)" in text
    assert "unknown game 'chess'" in text
    assert "To go on: joute play " in text
    done = joute("play", input="")
    assert done.returncode == 2
    assert "the input ended before a game was chosen; 'joute play GAME' names one" in done.stderr
