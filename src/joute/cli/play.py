"""``joute play``: a game against an agent in the terminal."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, PositionOption, SeedOption, command_line

if TYPE_CHECKING:
    from joute._core import Random
    from joute.agents import Agent
    from joute.games import State

_HELP = """\
Type a move, or one of:
  moves    list the legal moves
  hint     ask the hint agent
  undo     take back your last move
  resign   give up
  quit     leave; the position to continue from is shown
  help     this list"""


def play(
    game: GameArgument,
    *,
    against: Annotated[str, typer.Option(help="The agent to play against.", metavar="SPEC")] = "greedy",
    second: Annotated[bool, typer.Option("--second", help="Let the agent move first.")] = False,
    hints: Annotated[
        str | None,
        typer.Option(help="The agent that gives hints; one that knows the truth if there is one.", metavar="SPEC"),
    ] = None,
    seed: SeedOption = 0,
    position: PositionOption = None,
) -> None:
    """Play a game in the terminal, with undo, hint and resign."""
    from joute._core import Random
    from joute.agents import exact_agent
    from joute.games import new
    from joute.match.player import MisconductError, seat

    if isinstance(sys.stdin, io.TextIOWrapper):  # stray bytes are an illegal move like any other
        sys.stdin.reconfigure(errors="backslashreplace")
    state = new(game, position)
    hints = hints or exact_agent(state.game) or "greedy"
    try:
        opponent, hint_agent = (seat(spec, spec, state.game, seed) for spec in (against, hints))
    except MisconductError as misconduct:
        typer.echo(f"joute: {misconduct.reason.value} before the game by {misconduct}", err=True)
        raise typer.Exit(1) from misconduct
    table = _Table(
        state=state,
        human=1 if second else 0,
        opponent=opponent,
        opponent_name=against,
        hint_agent=hint_agent,
        hint_name=hints,
        seed=seed,
        dice=Random(seed),
    )
    table.run()


@dataclass
class _Table:
    """A game in progress: the position, who plays what, and the positions to go back to."""

    state: State
    human: int
    opponent: Agent
    opponent_name: str
    hint_agent: Agent
    hint_name: str
    seed: int
    dice: Random
    history: list[State] = field(default_factory=list)

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
                self.state = self.state.resolve(self.state.draw_outcome(self.dice))
                typer.echo(f"chance:\n{self.state}")
            elif self.state.to_move != self.human:
                self.opponent_moves()
            elif not self.human_acts():
                return
        self.announce()

    def opponent_moves(self) -> None:
        from joute.agents import Clock
        from joute.match.player import ask

        move, _ = ask(self.opponent, self.opponent_name, self.state, Clock())
        self.state = self.state.play(move)
        typer.echo(f"\n{self.opponent_name} plays {move}\n{self.state}")

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
                typer.echo(_HELP)
            case "moves":
                typer.echo(" ".join(str(move) for move in self.state.legal_moves))
            case "hint":
                self.hint()
            case "undo":
                self.undo()
            case "resign":
                typer.echo(f"You resign; {self.opponent_name} wins.")
                return False
            case "quit":
                typer.echo(self.how_to_go_on())
                return False
            case _:
                try:
                    after = self.state.play(words)
                except JouteError as error:
                    typer.echo(str(error))
                else:
                    self.history.append(self.state)
                    self.state = after
                    if not after.is_terminal:
                        typer.echo(f"\n{after}")
        return True

    def hint(self) -> None:
        """The hint agent's move. If it fails, the game goes on without."""
        from joute.agents import Clock
        from joute.match.player import MisconductError, ask

        try:
            move, _ = ask(self.hint_agent, self.hint_name, self.state, Clock())
        except MisconductError as misconduct:
            typer.echo(f"no hint: {misconduct.reason.value} by {misconduct}")
        else:
            typer.echo(f"hint: {move}")

    def how_to_go_on(self) -> str:
        words = ["play", self.state.spec, "--against", self.opponent_name, "--hints", self.hint_name]
        side = ["--second"] if self.human else []
        command = command_line(*words, *side, "--seed", self.seed, "--position", self.state.position)
        return f"To go on: {command}"

    def undo(self) -> None:
        if not self.history:
            typer.echo("There is no move of yours to take back.")
            return
        self.state = self.history.pop()
        typer.echo(str(self.state))

    def announce(self) -> None:
        result = self.state.result
        assert result is not None
        if result.winner is None:
            typer.echo(f"\n{self.state}\nA draw.")
        else:
            typer.echo(
                f"\n{self.state}\n{'You win!' if result.winner == self.human else f'{self.opponent_name} wins.'}"
            )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)
