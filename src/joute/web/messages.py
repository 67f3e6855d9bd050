"""The messages that browsers send, checked before anything uses them. docs/page.md describes the protocol.

Every message of the WebSocket is a JSON object with the version `v`, a `type` and, if the sender wants a reply, an
`id`. The HTTP API takes the same commands.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from joute.example import GAME
from joute.web.errors import PageError

#: The version of the WebSocket's messages. A change that old pages would misread raises it.
VERSION = 1

_TOKEN = r"^[A-Za-z0-9_-]{6,64}$"

GameId = Annotated[str, Field(pattern=_TOKEN, description="the id of a game", examples=["Q2hX0c8yqBv1"])]
MoveText = Annotated[str, Field(min_length=1, max_length=4096, description="a move in the game's notation")]


class Strict(BaseModel):
    """A model that refuses unknown fields and characters that no text needs."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _no_controls(self) -> Self:
        for value in self.__dict__.values():
            if isinstance(value, str) and any(ord(each) < 32 and each not in "\n\t" for each in value):
                raise ValueError("control characters are not allowed")
        return self


class Seat(Strict):
    """The player of a side: this visitor (`me`), another person by a link (`open`), or an agent."""

    kind: Literal["me", "open", "agent"]
    agent: str = Field("", max_length=400, description="the agent's spec, such as level:3", examples=["level:3"])


class Position(Strict):
    """A position of a game."""

    game: str = Field(max_length=2000, description="the spec of the game", examples=[GAME])
    position: str = Field("", max_length=10_000, description="in the game's notation; empty for the usual start")


class NewGame(Strict):
    """A game to begin."""

    game: str = Field(max_length=2000, description="the spec of the game", examples=[GAME])
    position: str = Field("", max_length=10_000, description="the position to start from; empty for the usual one")
    seats: tuple[Seat, Seat] = Field(description="the first and the second player")
    shuffle: bool = Field(False, description="draw who is first")
    clock: str = Field("none", max_length=60, description="the time of each player: 300, 60+0.5, 10/move or none")
    name: str = Field("", max_length=40, description="how the other person sees you")
    seed: int | None = Field(None, ge=0, lt=2**63, description="the seed of all random numbers")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"game": GAME, "seats": [{"kind": "me"}, {"kind": "agent", "agent": "level:3"}], "clock": "300+2"}
            ]
        }
    )


class Watch(Strict):
    """Follow a game: the server sends it now and after every change."""

    type: Literal["watch"]
    game: GameId


class Leave(Strict):
    """Stop following a game."""

    type: Literal["leave"]
    game: GameId


class Play(Strict):
    """Play a move. `index` is the number of moves before it, so that a message sent twice plays once."""

    type: Literal["play"]
    game: GameId
    move: MoveText
    index: int = Field(ge=0, le=100_000)


class Undo(Strict):
    """Take back one's last move, or propose it to the other person; accepts a proposal of the other person."""

    type: Literal["undo"]
    game: GameId


class Decline(Strict):
    """Decline a proposal to take back a move."""

    type: Literal["decline"]
    game: GameId


class Resign(Strict):
    """Give up."""

    type: Literal["resign"]
    game: GameId


class Hint(Strict):
    """Ask for a good move and the reasons."""

    type: Literal["hint"]
    game: GameId


class Preview(Strict):
    """Ask for the drawing after a move, which is not played."""

    type: Literal["preview"]
    game: GameId
    move: MoveText


class Describe(Strict):
    """Ask what a move does, in words, before it is played."""

    type: Literal["describe"]
    game: GameId
    move: MoveText


#: The parts of a move that is being composed.
Parts = Annotated[
    list[tuple[Annotated[str, Field(max_length=200)], Annotated[int, Field(ge=1, le=10**6)] | None]],
    Field(max_length=64, description="each a text and an amount, or null for the usual amount"),
]


class Build(Strict):
    """Ask for the draft of a move that is composed of parts: what can be added, and what the move does."""

    type: Literal["build"]
    game: GameId
    parts: Parts


class Pause(Strict):
    """Stop or continue a game of two agents."""

    type: Literal["pause"]
    game: GameId
    paused: bool


class Step(Strict):
    """Let a paused game of two agents go on by one move."""

    type: Literal["step"]
    game: GameId


class Speed(Strict):
    """The least seconds between two moves of two agents."""

    type: Literal["speed"]
    game: GameId
    seconds: float = Field(ge=0, le=10)


class Ping(Strict):
    """Ask for a reply, to measure the connection."""

    type: Literal["ping"]


Command = Annotated[
    Play | Undo | Decline | Resign | Hint | Preview | Describe | Build | Pause | Step | Speed,
    Field(discriminator="type"),
]
_Message = (
    Watch | Leave | Play | Undo | Decline | Resign | Hint | Preview | Describe | Build | Pause | Step | Speed | Ping
)


@functools.cache
def _messages() -> TypeAdapter[Any]:
    """All messages, with those of analysis, whose module uses this one."""
    from joute.web.analysis import Analyse, Review, Stop

    return TypeAdapter(Annotated[_Message | Analyse | Review | Stop, Field(discriminator="type")])


def read_message(data: Any) -> tuple[int | None, Any]:
    """Return the id and the content of a message of the WebSocket; PageError if it is none."""
    if not isinstance(data, dict):
        raise PageError("bad_message", "a message is a JSON object")
    rest = dict(data)
    number, version = rest.pop("id", None), rest.pop("v", None)
    if version != VERSION:
        raise PageError("bad_version", f"this server speaks version {VERSION} of the messages; reload the page")
    if number is not None and (type(number) is not int or not 0 <= number < 2**53):
        raise PageError("bad_message", "the id of a message is a whole number")
    try:
        return number, _messages().validate_python(rest)
    except ValidationError as error:
        raise bad_message(error) from error


def bad_message(error: ValidationError) -> PageError:
    """The error for data that do not have the form of a message."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return PageError("bad_message", f"{place or 'the message'}: {first['msg']}"[:300], 422)
