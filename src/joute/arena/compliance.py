"""The test of a program's UGI (`joute check --ugi`): what docs/ugi.md asks of a program, one check after another.

A check sends lines and looks at the answers; it fails with a sentence. After a failure the program is started anew, so
that one defect costs one check. Times are generous: the test is about the protocol and not about speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from joute._core import Random, one_line
from joute.agents.source import Source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import engine_command, view_of
from joute.arena.players.process import AgentProcess, NoiseError
from joute.arena.players.sandbox import check_sandbox
from joute.errors import SpecError
from joute.games import State, new
from joute.protocol.ugi import WDL_SUM, follow, position_command

#: How late an answer may come after the time that `go` allows.
LATE_S = 2.0
#: The time for an answer where no time limit applies.
PATIENCE_S = 20.0
# How long a search that must go on is watched, and the plies of the positions that are not the start.
_WATCHED_S, _PLIES = 0.3, 3

_KINDS = ("check", "spin", "combo", "button", "string")
# Words of info lines that a whole number follows.
_COUNTS = (
    "depth", "seldepth", "time", "nodes", "iterations", "multipv", "nps", "hashfull", "tbhits", "cpuload",
    "currmovenumber",
)  # fmt: skip


class _Fault(Exception):  # noqa: N818  # the program's, not an error of Joute
    """A fault of the program, as a sentence."""


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    check: str
    passed: bool
    detail: str = ""


@dataclass
class Compliance:
    """The results of all checks."""

    program: str
    game: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def failures(self) -> list[Finding]:
        """The checks that the program failed."""
        return [finding for finding in self.findings if not finding.passed]

    @property
    def passed(self) -> bool:
        """Whether the program speaks UGI."""
        return not self.failures


def check_ugi(
    source: Source,
    game: str,
    *,
    isolation: Isolation | None = None,
    late_s: float = LATE_S,
    patience_s: float = PATIENCE_S,
    on_finding: Callable[[Finding], None] = lambda finding: None,
) -> Compliance:
    """Run every check on a program; `on_finding` receives each result. One that never names itself fails the first."""
    isolation = isolation or Isolation()
    start = new(game)
    if source.language not in ("", "ugi"):
        raise SpecError(f"{source.text} speaks another protocol than UGI")
    if isolation.sandbox:
        check_sandbox()
    found = Compliance(source.text, start.spec)
    program: _Program | None = None
    has_named_itself = False
    try:
        for name, check in CHECKS:
            try:
                if program is None:
                    program = _Program(source, start, isolation, late_s, patience_s)
                    program.introduce()
                    has_named_itself = True
                detail = check(program) or ""
                finding = Finding(name, True, detail)
            except _Fault as fault:
                finding = Finding(name, False, str(fault))
            if program is not None and (not finding.passed or program.has_ended):
                program.kill()
                program = None
            found.findings.append(finding)
            on_finding(finding)
            if not has_named_itself:  # every other check would wait as long for ugiok
                break
    finally:
        if program is not None:
            program.kill()
    return found


class _Program:
    """A running program, and what it has said."""

    def __init__(self, source: Source, start: State, isolation: Isolation, late_s: float, patience_s: float) -> None:
        self.start = start
        self.late_s = late_s
        self.patience_s = patience_s
        self.head: list[str] = []  # the lines between `ugi` and `ugiok`
        self._start_s = isolation.start_s
        self._process = AgentProcess(
            source.command or engine_command(source, start.spec), isolation, view=view_of(source)
        )

    def introduce(self) -> None:
        """Let a new program name itself."""
        self.send("ugi")
        self.head = self.until("ugiok", self._start_s)

    @property
    def has_ended(self) -> bool:
        return self._process.exit is not None

    def send(self, *lines: str) -> None:
        self._process.send("".join(f"{line}\n" for line in lines))

    def line(self, seconds: float, *, awaited: str = "") -> str | None:
        """The next line, None if none comes in time; a fault if the program has ended."""
        try:
            return self._process.read_line(time.perf_counter() + seconds)
        except EOFError:
            missing = f" before it sent {awaited}" if awaited else ""
            last = self._process.error_text().strip().splitlines()
            words = f": {one_line(last[-1].strip())}" if last else ""
            raise _Fault(f"it {self._process.end_in_words()}{missing}{words}") from None
        except NoiseError:
            raise _Fault("it wrote more than can be read") from None

    def until(self, word: str, seconds: float, *, after: str = "") -> list[str]:
        """The lines before the one that begins with a word, and that line; a fault if it does not come in time."""
        lines: list[str] = []
        deadline = time.perf_counter() + seconds
        while True:
            line = self.line(deadline - time.perf_counter(), awaited=word)
            if line is None:
                said = f" after {after}" if after else ""
                raise _Fault(f"no {word} within {seconds:g} s{said}")
            lines.append(line)
            if line.split()[:1] == [word]:
                return lines

    def ready(self, *, after: str = "", forbidden: str = "bestmove") -> None:
        """Wait until all that was sent is done; a fault if a line begins with `forbidden`."""
        self.send("isready")
        for line in self.until("readyok", self.patience_s, after=after):
            if line.split()[:1] == [forbidden]:
                raise _Fault(f"'{one_line(line)}' without a go" + (f", after {after}" if after else ""))

    def stays_silent(self, word: str, seconds: float) -> None:
        """A fault if a line begins with a word during that time."""
        deadline = time.perf_counter() + seconds
        while (line := self.line(max(0.0, deadline - time.perf_counter()))) is not None:
            if line.split()[:1] == [word]:
                raise _Fault(f"'{one_line(line)}' before stop")

    def search(self, line: Sequence[str], go: str, seconds: float, *, fen: str | None = None) -> list[str]:
        """Let it search the position after a line; checks its info lines and its move, and returns what it said."""
        state = follow(self.start if fen is None else new(self.start.spec, fen), line)
        self.send(position_command(fen, line), go)
        said = self.until("bestmove", seconds, after=f"'{go}'")
        self.judge(state, said)
        self.ready(after=f"the bestmove of '{go}'")
        return said

    def judge(self, state: State, said: Sequence[str]) -> None:
        """A fault if the last of these lines has no legal move, or an info line before it is invalid."""
        for line in said[:-1]:
            if line.split()[:1] == ["info"]:
                _judge_info(state, line)
        words = said[-1].split()
        move = words[1] if len(words) > 1 else ""
        if not move or not state.is_legal(move):
            raise _Fault(f"'{one_line(said[-1])}' has no legal move of the position {one_line(state.position)}")

    def hang_up(self) -> None:
        self._process.hang_up()

    def ends(self, seconds: float) -> bool:
        return self._process.wait(seconds)

    @property
    def status(self) -> int | None:
        return self._process.exit.status if self._process.exit else None

    def kill(self) -> None:
        self._process.kill()


# --- Info lines ---


def _judge_info(state: State, line: str) -> None:
    """A fault if an info line has a number, a score or a principal variation that cannot be read."""
    words = line.split()[1:]
    shown = one_line(line)[:200]
    while words:
        name = words.pop(0)
        if name == "string":
            return
        if name == "pv":
            _judge_pv(state, words, shown)
            return
        if name in _COUNTS and not _is_whole(words.pop(0) if words else ""):
            raise _Fault(f"{name} needs a whole number in '{shown}'")
        if name == "value" and not _is_number(words.pop(0) if words else ""):
            raise _Fault(f"value needs a number in '{shown}'")
        if name == "score":
            kind = words.pop(0) if words else ""
            if kind not in ("cp", "mate"):
                raise _Fault(f"score needs cp or mate in '{shown}'")
            if not _is_whole((words.pop(0) if words else "").removeprefix("-")):
                raise _Fault(f"score {kind} needs a whole number in '{shown}'")
        if name == "wdl":
            shares, words = words[:3], words[3:]
            if len(shares) < 3 or not all(map(_is_whole, shares)) or sum(map(int, shares)) != WDL_SUM:
                raise _Fault(f"wdl needs three whole numbers that add up to {WDL_SUM} in '{shown}'")


def _judge_pv(state: State, moves: Sequence[str], shown: str) -> None:
    """A fault if a principal variation has an illegal move; it is read up to a random event, or to the game's end."""
    for move in moves:
        if state.is_terminal or state.is_chance:
            return
        if not state.is_legal(move):
            raise _Fault(f"pv has {one_line(move)}, which is illegal there, in '{shown}'")
        state = state.play(move)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- Positions ---


def _line(start: State, plies: int, seed: int = 1) -> list[str]:
    """Random moves, and the outcomes of random events after them, as far as the game does not end."""
    rng, state, line = Random(seed), start, list[str]()
    for _ in range(plies):
        move = state.random_move(rng)
        told, after = [str(move)], state.play(move)
        while after.is_chance:
            outcome = after.draw_outcome(rng)
            told.append(f"#{outcome}")
            after = after.resolve(outcome)
        if after.is_terminal:
            break
        line += told
        state = after
    return line


def _line_for(start: State, player: int) -> list[str]:
    """A line after which a player is to move."""
    lines = (_line(start, plies) for plies in range(1, 2 * _PLIES + 1))
    return next((line for line in lines if follow(start, line).to_move == player), [])


# --- The checks, in their order ---


def _names_itself(program: _Program) -> str:
    names = [line for line in program.head if line.split()[:2] == ["id", "name"]]
    if not names:
        raise _Fault("no line 'id name …' before ugiok")
    return one_line(names[0].removeprefix("id name").strip())


def _describes_options(program: _Program) -> str:
    names = [_option(line)[0] for line in _option_lines(program)]
    for name in names:
        if sum(each.lower() == name.lower() for each in names) > 1:
            raise _Fault(f"two options are called '{one_line(name)}'")
    return f"{len(names)} option{'s' if len(names) != 1 else ''}"


def _is_ready(program: _Program) -> None:
    program.ready()


def _takes_options(program: _Program) -> str:
    told = 0
    for line in _option_lines(program):
        name, values = _option(line)
        for value in values:
            program.send(f"setoption name {name} value {value}")
            told += 1
        program.ready(after=f"values of the option '{one_line(name)}'")
    return f"{told} value{'s' if told != 1 else ''}" if told else "it has no options"


def _begins_games(program: _Program) -> None:
    for _ in range(2):
        program.send("uginewgame")
        program.ready(after="uginewgame")
        program.search([], "go movetime 50", 0.05 + program.late_s)


def _plays_from_the_start(program: _Program) -> None:
    for player in (0, 1):
        program.search(_line_for(program.start, player), "go movetime 50", 0.05 + program.late_s)


def _plays_from_a_position(program: _Program) -> None:
    state = follow(program.start, _line(program.start, _PLIES))
    program.search([], "go movetime 50", 0.05 + program.late_s, fen=state.position)
    more = _line(state, 1, seed=2)
    program.search(more, "go movetime 50", 0.05 + program.late_s, fen=state.position)


def _limited(go: str, limit_s: float | None = None) -> Callable[[_Program], None]:
    """A check of a `go`; `limit_s` is the time that it allows."""

    def check(program: _Program) -> None:
        for player in (0, 1):
            seconds = program.patience_s if limit_s is None else limit_s + program.late_s
            program.search(_line_for(program.start, player), go, seconds)

    return check


def _stops(program: _Program) -> None:
    line = _line_for(program.start, 0)
    program.send(position_command(None, line), "go movetime 60000")
    said = []
    heard = program.line(_WATCHED_S)
    while heard is not None and heard.split()[:1] != ["bestmove"]:
        said.append(heard)
        heard = program.line(0.0)
    if heard is None:  # it still searches, as it may
        program.send("stop")
        said += program.until("bestmove", program.late_s, after="stop")
    else:
        said.append(heard)
    program.judge(follow(program.start, line), said)
    program.ready(after="stop")


def _searches_until_stop(program: _Program) -> None:
    line = _line_for(program.start, 0)
    program.send(position_command(None, line), "go infinite")
    program.stays_silent("bestmove", _WATCHED_S)
    program.send("isready")
    for said in program.until("readyok", program.late_s, after="isready during a search"):
        if said.split()[:1] == ["bestmove"]:
            raise _Fault(f"'{one_line(said)}' before stop")
    program.send("stop")
    program.judge(follow(program.start, line), program.until("bestmove", program.late_s, after="stop"))
    program.ready(after="stop")


def _ignores_a_late_stop(program: _Program) -> None:
    program.send("stop")
    program.ready(after="stop without a search")
    program.search([], "go movetime 50", 0.05 + program.late_s)


def _tells_of_its_search(program: _Program) -> str:
    said = program.search(_line_for(program.start, 1), "go movetime 300", 0.3 + program.late_s)
    words = [word for line in said if line.split()[:1] == ["info"] for word in line.split()]
    told = [word for word in ("depth", "nodes", "time", "score", "wdl", "value", "pv") if word in words]
    return ", ".join(told) or "it sends no info"


def _bears(*lines: str) -> Callable[[_Program], None]:
    """A check that the program ignores lines and plays on."""

    def check(program: _Program) -> None:
        for line in lines:
            program.send(line)
            program.ready(after=f"'{one_line(line)[:40]}'")
        program.search([], "go movetime 50", 0.05 + program.late_s)

    return check


def _bears_wrong_positions(program: _Program) -> None:
    # A program may answer a go after these with any move, or none: it has no position.
    for line in ("position startpos moves 0-0-nonsense", "position", "position fen", "position fen nonsense"):
        program.send(line)
        program.ready(after=f"'{line}'")
    program.search(_line_for(program.start, 1), "go movetime 50", 0.05 + program.late_s)


def _answers_queries(program: _Program) -> str:
    line = _line_for(program.start, 1)
    state = follow(program.start, line)
    expected = {"p1turn": _truth(state.to_move == 0), "gameover": _truth(state.is_terminal), "result": "none"}
    for question, answer in expected.items():
        program.send(position_command(None, line), f"query {question}", "isready")
        said = program.until("readyok", program.patience_s, after=f"'query {question}'")
        answers = [each.split()[1:] for each in said if each.split()[:1] == ["response"]]
        if not answers:
            return "it does not answer query, which play does not need"
        if answers != [[answer]]:
            raise _Fault(f"'response {one_line(' '.join(answers[0]))}' to 'query {question}', and not {answer}")
    return ""


def _quits(program: _Program) -> None:
    program.send("quit")
    _ends(program, "quit")


def _quits_during_a_search(program: _Program) -> None:
    program.send(position_command(None, []), "go infinite", "quit")
    _ends(program, "quit during a search")


def _ends_with_its_input(program: _Program) -> None:
    program.hang_up()
    _ends(program, "the end of its input")


def _ends(program: _Program, after: str) -> None:
    if not program.ends(program.late_s):
        raise _Fault(f"it still runs {program.late_s:g} s after {after}")
    if program.status != 0:
        raise _Fault(f"its exit status is {program.status} after {after}")


def _truth(answer: bool) -> str:
    return "true" if answer else "false"


# --- Options ---


def _option_lines(program: _Program) -> Iterator[str]:
    return (line for line in program.head if line.split()[:1] == ["option"])


def _option(line: str) -> tuple[str, list[str]]:
    """The name of an option and values to try, its default last; a fault if the line is invalid."""
    shown = one_line(line)[:200]
    words = line.split()
    if words[1:2] != ["name"] or "type" not in words[3:]:
        raise _Fault(f"'{shown}' is not of the form 'option name X type T …'")
    at = words.index("type", 3)
    name, kind, rest = " ".join(words[2:at]), " ".join(words[at + 1 : at + 2]), words[at + 2 :]
    if kind not in _KINDS:
        raise _Fault(f"type must be one of {', '.join(_KINDS)} in '{shown}'")
    if kind == "button":
        return name, []  # what it does is unknown
    if kind == "string":  # the rest of the line, whatever words it has
        if rest[:1] != ["default"]:
            raise _Fault(f"there is no default in '{shown}'")
        return name, [" ".join(rest[1:]) or "<empty>"]
    parts: dict[str, list[str]] = {}
    key = ""
    for word in rest:
        if word in ("default", "min", "max", "var") and (word == "var" or word not in parts):
            key = word
            parts.setdefault(key, []).append("")
        elif key:
            parts[key][-1] = f"{parts[key][-1]} {word}".strip()
    if "default" not in parts:
        raise _Fault(f"there is no default in '{shown}'")
    default = parts["default"][0]
    others: list[str] = []
    if kind == "check":
        if default not in ("true", "false"):
            raise _Fault(f"the default of a check is true or false in '{shown}'")
        others = [_truth(default == "false")]
    elif kind == "spin":
        numbers = [parts.get(each, [""])[0] for each in ("min", "default", "max")]
        if not all(_is_whole(number.removeprefix("-")) for number in numbers):
            raise _Fault(f"a spin has a whole number as default, min and max in '{shown}'")
        if not int(numbers[0]) <= int(default) <= int(numbers[2]):
            raise _Fault(f"the default is not between min and max in '{shown}'")
        others = [numbers[0]]  # the largest value may be one that takes all memory
    elif kind == "combo":
        others = [each for each in parts.get("var", []) if each != default]
        if default not in parts.get("var", []):
            raise _Fault(f"the default of a combo is one of its var in '{shown}'")
    return name, [*others, default or "<empty>"]


CHECKS: tuple[tuple[str, Callable[[_Program], str | None]], ...] = (
    ("ugi is answered by id and ugiok", _names_itself),
    ("options have names, types, defaults and ranges", _describes_options),
    ("isready is answered by readyok", _is_ready),
    ("setoption takes the values of each option", _takes_options),
    ("setoption with an unknown name, or without one, is ignored",
     _bears("setoption name no such option value 1", "setoption")),
    ("uginewgame begins a game, twice", _begins_games),
    ("position startpos moves …, for both players", _plays_from_the_start),
    ("position fen …, alone and with moves", _plays_from_a_position),
    ("go depth", _limited("go depth 2")),
    ("go nodes", _limited("go nodes 1000")),
    ("go movetime", _limited("go movetime 100", 0.1)),
    ("go with both clocks", _limited("go p1time 2000 p2time 2000", 2.0)),
    ("go with clocks and increments", _limited("go p1time 1000 p2time 1000 p1inc 100 p2inc 100", 1.0)),
    ("go with little time", _limited("go p1time 50 p2time 50", 0.05)),
    ("go with several limits", _limited("go p1time 60000 p2time 60000 depth 2 nodes 1000 movetime 100", 0.1)),
    ("go infinite lasts until stop, and isready is answered meanwhile", _searches_until_stop),
    ("stop ends a search", _stops),
    ("stop without a search is ignored", _ignores_a_late_stop),
    ("info lines have numbers, scores and moves that can be read", _tells_of_its_search),
    ("unknown commands and blank lines are ignored",
     _bears("joho debug on", "", "   \t ", "x" * 10_000, "go-on", "posiiton startpos")),
    ("an invalid position does no harm", _bears_wrong_positions),
    ("query is answered, if at all, rightly", _answers_queries),
    ("quit ends the program", _quits),
    ("quit ends the program during a search", _quits_during_a_search),
    ("the end of its input ends the program", _ends_with_its_input),
)  # fmt: skip
