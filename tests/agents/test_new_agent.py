"""The agent that `joute new-agent` writes plays every game, and plays it sensibly."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from joute import Agent, Clock, Random, new
from joute.agents.new_agent import new_agent
from joute.arena.check import check_agent
from joute.cli import command_line
from joute.games import find_game
from joute.match.clock import TimeControl


def made(game: str) -> Agent:
    """The agent of a new file."""
    module = ModuleType("made")
    exec(compile(new_agent(find_game(game)), f"{game}_agent.py", "exec"), module.__dict__)
    agent: Agent = module.MyAgent()
    return agent


def test_a_new_agent_plays_legal_moves(game: str) -> None:
    agent, state, rng = made(game), new(game), Random(1)
    for remaining_s in (0.6, 0.0, 0.3, 0.01):
        if state.is_terminal:
            break
        move = agent.choose(state, Clock(remaining_s=remaining_s))
        assert state.is_legal(move)
        state = state.play(move, rng)


def test_a_new_agent_wins_blocks_and_keeps_an_early_win() -> None:
    agent = made("connect4")
    assert str(agent.choose(new("connect4", "121212"), Clock())) == "1"
    assert str(agent.choose(new("connect4", "12131"), Clock())) == "1"  # else first wins there


def test_a_new_agent_looks_past_its_own_move() -> None:
    """It blocks a threat, which a search of one ply does not see."""
    agent = made("tictactoe")
    assert str(agent.choose(new("tictactoe", "XX..O...."), Clock())) == "3"


def test_a_new_file_names_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command_line("new-agent"), ["new-agent", "quoridor"])
    assert done.exit_code == 0
    text = (tmp_path / "quoridor_agent.py").read_text()
    assert text == new_agent(find_game("quoridor"))
    assert "from joute.games.quoridor import Quoridor\n" in text
    assert "State" not in text
    assert "joute check quoridor_agent.py --game quoridor" in done.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["quoridor", "mine.py"], "mine.py exists and is not replaced"),
        (["quoridor", "mine.txt"], "must end with .py"),
        (["quoridor", "nowhere/mine.py"], "cannot be written: No such file or directory"),
        (["quorido"], "quoridor"),
    ],
)
def test_mistakes_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("my own")
    done = CliRunner().invoke(command_line("new-agent"), ["new-agent", *arguments])
    assert done.exit_code == 2
    assert complaint in done.output + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    assert (tmp_path / "mine.py").read_text() == "my own"


@pytest.mark.slow
def test_a_new_agent_passes_the_check(game: str, tmp_path: Path) -> None:
    if find_game(game).__module__ == "conftest":
        pytest.skip("the process of an agent does not find the toys of this one")
    path = tmp_path / f"{game}_agent.py"
    path.write_text(new_agent(find_game(game)))
    clocks = TimeControl.parse("10"), TimeControl.parse("1")
    assert check_agent(str(path), game, clock=clocks[0], low_clock=clocks[1], games=1).passed
