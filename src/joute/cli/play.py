"""``joute play``: play against an agent in the terminal."""

from __future__ import annotations

import io
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, PositionOption, SeedOption, command_line, echo, say, tell_failure
from joute.cli.completion import complete_agent

if TYPE_CHECKING:
    from joute.games import State
    from joute.match.game import GameInProgress
    from joute.match.player import Answer, Player

_HELP = """\
Type a move, or one of:
  moves    list {listed}; moves TEXT lists those that contain TEXT, such as a cell
  hint     ask the hint agent
  undo     take back your last move
  resign   give up
  quit     leave; the position to continue from is shown
  help     this list"""
_LISTED, _LISTED_OF_MORE = "the legal moves", "some legal moves, though any may be typed"


def play(
    game: GameArgument,
    *,
    against: Annotated[
        str, typer.Option(help="The agent to play against.", metavar="SPEC", autocompletion=complete_agent)
    ] = "greedy",
    second: Annotated[bool, typer.Option("--second", help="Let the agent move first.")] = False,
    hints: Annotated[
        str | None,
        typer.Option(
            help="The agent that gives hints. (default: the exact solver, else the strongest agent, else greedy)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    seed: SeedOption = 0,
    position: PositionOption = None,
) -> None:
    """Play a game in the terminal, with undo, hint and resign."""
    from joute.agents import adviser as best_adviser
    from joute.agents.loading import find_source
    from joute.arena.players.isolation import Isolation
    from joute.arena.players.players import make_player
    from joute.games import new
    from joute.match.game import GameInProgress

    if isinstance(sys.stdin, io.TextIOWrapper):  # invalid bytes count as an illegal move
        sys.stdin.reconfigure(errors="backslashreplace")
    state = new(game, position)
    hints = hints or best_adviser(state.game) or "greedy"
    human = 1 if second else 0
    opponent, adviser = (
        make_player(find_source(text, state.spec), text, state.spec, Isolation()) for text in (against, hints)
    )
    try:
        _seat(opponent, state, 1 - human, seed)
        _seat(adviser, state, human, seed)
        in_progress = GameInProgress(state, seed=seed, chance_seed=seed, draws_at_once=False)
        _Table(in_progress, human, opponent, adviser).run()
    finally:
        opponent.end()
        adviser.end()


def _seat(player: Player, state: State, side: int, seed: int) -> None:
    """Prepare a player; exits with its traceback if it fails."""
    from joute.match.player import MisconductError

    try:
        player.begin(state, side, seed)
    except MisconductError as misconduct:
        tell_failure(str(misconduct), player.end(), "the game did not begin")
        raise typer.Exit(1) from misconduct


@dataclass
class _Table:
    """The game and who plays it."""

    game: GameInProgress[State]
    human: int
    opponent: Player
    adviser: Player

    @property
    def state(self) -> State:
        return self.game.state

    def run(self) -> None:
        from joute.match.player import MisconductError

        try:
            self.play_on()
        except MisconductError as misconduct:
            echo(f"joute: {misconduct.reason.value} at ply {self.state.ply} by {misconduct}", err=True)
            echo(self.how_to_go_on())
            raise typer.Exit(1) from misconduct
        except KeyboardInterrupt:
            echo(f"\n{self.how_to_go_on()}")
            raise

    def play_on(self) -> None:
        echo(f"{self.state.title}: you are {self.state.players[self.human]}; type help for the commands.\n")
        echo(str(self.state))
        while not self.game.is_over:
            if self.state.is_chance:
                self.chance_falls()
            elif self.game.to_move != self.human:
                self.opponent_moves()
            elif not self.human_acts():
                return
        self.announce()

    def chance_falls(self) -> None:
        event = self.state
        outcome = self.game.resolve()
        told = f" {text}" if (text := event.outcome_text(outcome)) else ""
        echo(f"chance:{told}\n{self.state}")

    def ask(self, player: Player) -> Answer:
        from joute.agents import Clock

        return player.ask(self.state, self.game.line, Clock(), math.inf)

    def opponent_moves(self) -> None:
        from joute.errors import IllegalMoveError
        from joute.match.player import illegal_move

        answer = self.ask(self.opponent)
        try:
            played = self.game.play(answer.move)
        except IllegalMoveError as error:
            raise illegal_move(self.opponent.name, error) from error
        echo(f"\n{self.opponent.name} plays {played.move}\n{self.state}")

    def human_acts(self) -> bool:
        """Execute one command of the human; False if the human quits or resigns."""
        from joute.errors import JouteError

        try:
            words = input("your move: ").strip()
        except EOFError:
            words = "quit"
        match words:
            case "":
                pass
            case "help" | "?":
                echo(_HELP.format(listed=_LISTED if self.state.complete else _LISTED_OF_MORE))
            case _ if words.split()[0] == "moves":
                self.list_moves(words.removeprefix("moves").strip())
            case "hint":
                self.hint()
            case "undo":
                self.undo()
            case "resign":
                self.game.resign(self.human)
                echo(f"You resign; {self.opponent.name} wins.")
                return False
            case "quit":
                echo(self.how_to_go_on())
                return False
            case _:
                try:
                    self.game.play(words)
                except JouteError as error:
                    echo(str(error))
                else:
                    echo(f"\n{self.state}")
        return True

    def list_moves(self, part: str) -> None:
        """Print the listed moves that contain `part`; moves that begin with it come first."""
        moves = [text for text in map(str, self.state.legal_moves) if part in text]
        moves.sort(key=lambda text: not text.startswith(part))
        if self.state.complete:
            say(" ".join(moves) or f"No legal move contains {part}.")
            return
        say(" ".join(moves) or f"No listed move contains {part}.")
        say("There are more legal moves; any of them may be typed.")

    def hint(self) -> None:
        """Print the adviser's move. If the adviser fails, the game continues without a hint."""
        from joute.match.player import MisconductError, read_move

        try:
            move = read_move(self.ask(self.adviser).move, self.adviser.name, self.state)
        except MisconductError as misconduct:
            echo(f"no hint: {misconduct.reason.value} by {misconduct}")
        else:
            echo(f"hint: {move}")

    def how_to_go_on(self) -> str:
        words = ["play", self.state.spec, "--against", self.opponent.name, "--hints", self.adviser.name]
        side = ["--second"] if self.human else []
        command = command_line(*words, *side, "--seed", self.game.seed, "--position", self.state.position)
        forgets = " (earlier positions will not count as repetitions)" if self.state.past else ""
        return f"To go on{forgets}: {command}"

    def undo(self) -> None:
        """Take back the human's last move and everything after it."""
        players = [played.player for played in self.game.moves]
        if self.human not in players:
            echo("You have no move to take back.")
            return
        self.game.undo(1 + players[::-1].index(self.human))
        echo(str(self.state))

    def announce(self) -> None:
        result = self.game.result
        assert result is not None
        if result.winner is None:
            echo("A draw.")
        else:
            echo("You win!" if result.winner == self.human else f"{self.opponent.name} wins.")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)
