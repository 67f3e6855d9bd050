"""The Divercité course (Polytechnique Montréal, INF8175, autumn 2024 and winter 2025): agents are seahorse files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, ClassVar

from joute._core import one_line
from joute.agents import Agent
from joute.errors import JouteError, SpecError, described
from joute.games.divercite.seahorse.agent import SeahorseAgent
from joute.games.divercite.seahorse.recording import is_recording, read_recording
from joute.games.divercite.state import Divercite
from joute.match.record import GameRecord
from joute.protocol.course import FileCourse

_FILE = '''\
"""Joute: an agent for the Divercité course's program, which needs Joute installed where it runs."""

# Written by: {command}

from pathlib import Path

from player_divercite import PlayerDivercite

from joute.games.divercite.seahorse.agent import SeahorseAgent

AGENT = {agent!r}
SEED = {seed}


class MyPlayer(PlayerDivercite):
    """An agent of Joute's. It uses only the state that the framework passes to it."""

    # A slot: some editions of the course write the contents of __dict__ to their recordings.
    __slots__ = ("_joute",)

    def __init__(self, piece_type: str, name: str = "Joute", *args, **kwargs) -> None:
        super().__init__(piece_type, name, *args, **kwargs)
        self._joute = SeahorseAgent(AGENT, seed=SEED, folder=Path(__file__).parent)

    def compute_action(self, current_state, remaining_time=None, **kwargs):
        """Return the agent's action; if the agent fails, a substitute's."""
        return self._joute.action(current_state, remaining_time)
'''


class DiverciteCourse(FileCourse):
    """The interface of Divercité's course."""

    game: ClassVar[str] = Divercite.game
    file_name: ClassVar[str] = "my_player.py"
    modules: ClassVar[tuple[str, ...]] = ("seahorse", "player_divercite", "game_state_divercite", "board_divercite")

    def player_file(self, agent: str, *, seed: int) -> str:
        """Return a small Python file that calls Joute."""
        words = ("joute", "course", self.game, "--agent", agent, "--seed", str(seed), "--output", self.file_name)
        return _FILE.format(agent=agent, seed=seed, command=one_line(shlex.join(words)))

    def check_agent(self, agent: str, folder: Path) -> None:
        """Raise SpecError unless an agent can run inside the course's program."""
        try:
            SeahorseAgent(agent, folder=folder)
        except JouteError:
            raise
        except Exception as error:
            raise SpecError(f"{agent} does not load: {described(error)}") from error

    def load_agent(self, file: Path, name: str | None, *, seed: int) -> Agent:
        """Return the agent of a student's file, a subclass of the course's PlayerDivercite."""
        from joute.games.divercite.seahorse.player import load  # imported late: Joute's own agents do not need it

        return load(file, name, seed=seed)

    def is_recording(self, data: Any) -> bool:
        """Whether data look like the output of the framework's recorders."""
        return is_recording(data)

    def read_recording(self, data: Any) -> GameRecord:
        """Return the recorded game, checked move by move."""
        return read_recording(data)


COURSE = DiverciteCourse()
