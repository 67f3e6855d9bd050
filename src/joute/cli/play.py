"""``joute play``: a game against an agent in the terminal."""

from __future__ import annotations

import io
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, PositionOption, SeedOption, command_line, say

if TYPE_CHECKING:
    from joute._core import Random
    from joute.games import Move, State
    from joute.match.player import Player

_HELP = """\
Type a move, or one of:
  moves    list {listed}; moves TEXT those with that text in them, such as a cell
  hint     ask the hint agent
  undo     take back your last move
  resign   give up
  quit     leave; the position to continue from is shown
  help     this list"""
_LISTED, _LISTED_OF_MORE = "the legal moves", "some legal moves, though any may be typed"


def play(
    game: GameArgument,
    *,
    against: Annotated[str, typer.Option(help="The agent to play against.", metavar="SPEC")] = "greedy",
    second: Annotated[bool, typer.Option("--second", help="Let the agent move first.")] = False,
    hints: Annotated[
        str | None,
        typer.Option(help="Who gives hints; if left out, who knows the truth or plays best.", metavar="SPEC"),
    ] = None,
    seed: SeedOption = 0,
    position: PositionOption = None,
) -> None:
    """Play a game in the terminal, with undo, hint and resign."""
    from joute._core import Random
    from joute.agents import adviser as best_adviser
    from joute.agents.loading import find_source
    from joute.arena.players.isolation import Isolation
    from joute.arena.players.players import make_player
    from joute.games import new
    from joute.match.player import MisconductError

    if isinstance(sys.stdin, io.TextIOWrapper):  # stray bytes are an illegal move like any other
        sys.stdin.reconfigure(errors="backslashreplace")
    state = new(game, position)
    hints = hints or best_adviser(state.game) or "greedy"
    human = 1 if second else 0
    opponent, adviser = (
        make_player(find_source(text, state.spec), text, state.spec, Isolation()) for text in (against, hints)
    )
    try:
        opponent.begin(state, 1 - human, seed)
        adviser.begin(state, human, seed)
        _Table(state, state, human, opponent, adviser, seed, Random(seed)).run()
    except MisconductError as misconduct:
        typer.echo(f"joute: {misconduct}; the game did not begin", err=True)
        raise typer.Exit(1) from misconduct
    finally:
        opponent.end()
        adviser.end()


@dataclass
class _Table:
    """A game in progress: the position, the line that led to it, who plays what, and where to go back to."""

    start: State
    state: State
    human: int
    opponent: Player
    adviser: Player
    seed: int
    dice: Random
    line: list[str] = field(default_factory=list)
    history: list[tuple[State, int]] = field(default_factory=list)

    def run(self) -> None:
        from joute.match.player import MisconductError

        try:
            self.play_on()
        except MisconductError as misconduct:
            typer.echo(f"joute: {misconduct.reason.value} at ply {self.state.ply} by {misconduct}", err=True)
            typer.echo(self.how_to_go_on())
            raise typer.Exit(1) from misconduct
        except KeyboardInterrupt:
            typer.echo(f"\n{self.how_to_go_on()}")
            raise

    def play_on(self) -> None:
        typer.echo(f"{self.state.title}: you are {self.state.players[self.human]}; type help for the commands.\n")
        typer.echo(str(self.state))
        while not self.state.is_terminal:
            if self.state.is_chance:
                outcome = self.state.draw_outcome(self.dice)
                told = f" {text}" if (text := self.state.outcome_text(outcome)) else ""
                self.go_to(self.state.resolve(outcome), f"#{outcome}")
                typer.echo(f"chance:{told}\n{self.state}")
            elif self.state.to_move != self.human:
                self.opponent_moves()
            elif not self.human_acts():
                return
        self.announce()

    def go_to(self, state: State, token: str) -> None:
        self.state = state
        self.line.append(token)

    def ask(self, player: Player) -> Move:
        from joute.agents import Clock
        from joute.match.player import read_move

        answer = player.ask(self.state, self.line, Clock(), math.inf)
        return read_move(answer.move, player.name, self.state)

    def opponent_moves(self) -> None:
        move = self.ask(self.opponent)
        self.go_to(self.state.play(move), str(move))
        typer.echo(f"\n{self.opponent.name} plays {move}\n{self.state}")

    def human_acts(self) -> bool:
        """One command of the human's. False if they leave."""
        from joute.errors import JouteError

        try:
            words = input("your move: ").strip()
        except EOFError:
            words = "quit"
        match words:
            case "":
                pass
            case "help" | "?":
                typer.echo(_HELP.format(listed=_LISTED if self.state.complete else _LISTED_OF_MORE))
            case _ if words.split()[0] == "moves":
                self.list_moves(words.removeprefix("moves").strip())
            case "hint":
                self.hint()
            case "undo":
                self.undo()
            case "resign":
                typer.echo(f"You resign; {self.opponent.name} wins.")
                return False
            case "quit":
                typer.echo(self.how_to_go_on())
                return False
            case _:
                try:
                    move = self.state.legal_move(words)
                except JouteError as error:
                    typer.echo(str(error))
                else:
                    self.history.append((self.state, len(self.line)))
                    self.go_to(self.state.play(move), str(move))
                    typer.echo(f"\n{self.state}")
        return True

    def list_moves(self, part: str) -> None:
        """The listed moves with a text in them; those that begin with it first."""
        moves = [text for text in map(str, self.state.legal_moves) if part in text]
        moves.sort(key=lambda text: not text.startswith(part))
        if self.state.complete:
            say(" ".join(moves) or f"No legal move has {part} in it.")
            return
        say(" ".join(moves) or f"No move that is listed has {part} in it.")
        say("These are not all: any legal move may be typed.")

    def hint(self) -> None:
        """The adviser's move. If it fails, the game goes on without."""
        from joute.match.player import MisconductError

        try:
            move = self.ask(self.adviser)
        except MisconductError as misconduct:
            typer.echo(f"no hint: {misconduct.reason.value} by {misconduct}")
        else:
            typer.echo(f"hint: {move}")

    def how_to_go_on(self) -> str:
        words = ["play", self.state.spec, "--against", self.opponent.name, "--hints", self.adviser.name]
        side = ["--second"] if self.human else []
        command = command_line(*words, *side, "--seed", self.seed, "--position", self.state.position)
        forgets = " (what came before will not count as repetition)" if self.state.past else ""
        return f"To go on{forgets}: {command}"

    def undo(self) -> None:
        if not self.history:
            typer.echo("There is no move of yours to take back.")
            return
        self.state, length = self.history.pop()
        del self.line[length:]
        typer.echo(str(self.state))

    def announce(self) -> None:
        result = self.state.result
        assert result is not None
        if result.winner is None:
            typer.echo("A draw.")
        else:
            typer.echo("You win!" if result.winner == self.human else f"{self.opponent.name} wins.")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)
