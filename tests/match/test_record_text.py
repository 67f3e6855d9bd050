"""Games as text: what is written is read again, whatever is in it; and damage costs one sentence with its line."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_game import MOVES, Odd

from joute import Random, Result, new, play_game
from joute.agents import SearchInfo
from joute.games import game_names, register
from joute.match import GameRecord, MoveRecord, Reason
from joute.match.game import settle
from joute.match.record import forfeit
from joute.match.record_reader import RecordError, TextGame, read_games, read_records, read_text
from joute.match.record_text import write_record

ANY_TEXT = st.text(st.characters(), max_size=30)
CLOCKS = st.sampled_from(["none", "60+0.5", "2/move,depth=6", "iterations=1000"])
FLOATS = st.floats(width=64)
WHOLE = st.integers(-(10**40), 10**40)
INFOS = st.none() | st.builds(
    SearchInfo,
    value_for_mover=st.none() | FLOATS,
    depth=st.none() | WHOLE,
    nodes=st.none() | WHOLE,
    pv=st.lists(ANY_TEXT | st.sampled_from(MOVES), max_size=30).map(tuple),
)


@pytest.fixture(autouse=True)
def _odd() -> None:
    register(Odd)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """A game of any kind, from anywhere, that ended for any reason, with anything that agents may have left in it."""
    register(Odd)
    name = draw(st.sampled_from([*game_names(), "dice:target=20"]))
    dice = Random(draw(st.integers(0, 2**64 - 1)))
    start = new(name)
    for _ in range(draw(st.integers(0, 3))):
        if not start.is_chance:
            start = start.play(dice.choice(start.legal_moves))
        if draw(st.booleans()):  # a game may also start where chance has its say
            start, _ = settle(start, dice)
    state, start_outcomes = settle(start, dice)
    moves: list[MoveRecord] = []
    plies = draw(st.none() | st.integers(0, 12))
    while not state.is_terminal and (plies is None or len(moves) < plies):
        move, mover = dice.choice(state.legal_moves), state.to_move
        state, outcomes = settle(state.play(move), dice)
        time_s = draw(st.just(0.0) | st.floats(0, 1000) | st.integers(0, 10**9).map(lambda n: round(n / 1e7, 7)))
        moves.append(MoveRecord(mover, str(move), time_s, outcomes, draw(INFOS)))
    if state.is_terminal:
        assert state.result is not None
        result, reason = state.result, Reason.NORMAL
    else:
        reason = draw(st.sampled_from([reason for reason in Reason if reason is not Reason.NORMAL]))
        odd = Result(draw(st.sampled_from([-1, 0, 1])), score=7, margin=-3, decided_by=draw(st.sampled_from(["", "é"])))
        result = draw(st.sampled_from([forfeit(0), forfeit(1), Result(0), state.result_if_stopped, odd]))
    return GameRecord(
        game=state.spec,
        start=start.position,
        players=(draw(ANY_TEXT), draw(ANY_TEXT)),
        seed=draw(st.integers(0, 2**64 - 1)),
        moves=tuple(moves),
        result=result,
        reason=reason,
        detail=draw(ANY_TEXT),
        start_outcomes=start_outcomes,
        clocks=(draw(CLOCKS), draw(CLOCKS)),
        isolation=(draw(st.sampled_from(["worker", "process"])), draw(st.sampled_from(["worker", "sandbox"]))),
        output=(draw(ANY_TEXT), draw(ANY_TEXT)),
        overhead_s=draw(st.just(0.0) | st.floats(0, 10)),
    )


def only(text: str) -> GameRecord:
    (game,) = read_text(text)
    assert isinstance(game, TextGame), game
    return game.record


def complaint(text: str) -> str:
    (error,) = read_text(text, "games.txt")
    assert isinstance(error, RecordError), error
    return str(error)


def same(one: Any, other: Any) -> bool:
    """Equal, where a number that is none equals itself."""
    return repr(one.as_data()) == repr(other.as_data())


@settings(deadline=None, max_examples=40)
@given(records())
def test_what_is_written_is_read_again(record: GameRecord) -> None:
    text = write_record(record)
    assert same(only(text), record)
    assert only(text.replace("\n", "\r\n").join(("\ufeff", "; the end"))).detail == record.detail
    text.encode()  # whatever is in it, it can be written to a file


@settings(deadline=None, max_examples=25)
@given(st.lists(records(), max_size=4))
def test_many_games_stand_in_one_text(games: list[GameRecord]) -> None:
    text = "\n".join(map(write_record, games))
    read = [game.record for game in read_text(text) if isinstance(game, TextGame)]
    assert list(map(repr, read)) == list(map(repr, games))


def test_games_of_every_kind_come_back_from_the_referee(game: str, tmp_path: Path) -> None:
    played = [play_game(game, "mcts:iterations=20", "greedy", seed=seed, clock="60") for seed in range(3)]
    path = tmp_path / "games.txt"
    path.write_text("\n".join(map(write_record, played)), encoding="utf-8")
    assert read_records(path) == played


def test_every_awkward_move_is_read_again() -> None:
    for move in MOVES:
        state, first = settle(new("odd"), Random(1))
        info = SearchInfo(pv=(move, move))
        moves = (MoveRecord(0, move, 0.5, (), info),)
        assert state.play(move)
        record = GameRecord("odd", "!", ("a", "b"), 1, moves, forfeit(1), Reason.TIME, start_outcomes=first)
        assert only(write_record(record)) == record


def test_the_text_of_a_game_is_easy_on_the_eye() -> None:
    told = SearchInfo(0.53, 12, 1034, ("roll", "step"))
    moves = (
        MoveRecord(0, "roll", 0.012, (2,), told),
        MoveRecord(1, "step", 0.0000013),
        MoveRecord(0, "roll", 0.0, (0,)),
        MoveRecord(1, "roll", 0.25, (1,), SearchInfo()),
        MoveRecord(0, "step", 0.0),
    )
    record = GameRecord(
        "dice:target=4", "0-0-first-0", ("greedy", 'Anna "the" B\\'), 7, moves,
        Result(1, score=1, margin=1, decided_by="target reached"), Reason.NORMAL,
        clocks=("60", "none"), output=("one\ntwo", ""), overhead_s=0.0001,
    )  # fmt: skip
    assert write_record(record, tags={"Round": "3"}) == (
        '[Game "dice:target=4"]\n'
        '[Round "3"]\n'
        '[First "greedy"]\n'
        '[Second "Anna \\"the\\" B\\\\"]\n'
        '[Result "1-0"]\n'
        '[DecidedBy "target reached"]\n'
        '[Score "1"]\n'
        '[Margin "1"]\n'
        '[Seed "7"]\n'
        '[FirstClock "60"]\n'
        '[SecondClock "none"]\n'
        '[FirstOutput "one\\n"]\n'
        '[FirstOutput "two"]\n'
        '[Overhead "0.0001"]\n'
        "\n"
        "1. roll <2> {0.012s value=0.53 depth=12 nodes=1034 pv=roll step} 2. step {0.0000013s} 3. roll <0>\n"
        "4. roll <1> {0.25s pv=} 5. step 1-0\n"
    )


@settings(deadline=None, max_examples=50)
@given(records())
def test_lines_of_moves_are_wrapped(record: GameRecord) -> None:
    for line in write_record(record).split("\n\n", 1)[1].splitlines():
        # Only a text in quotes, which nobody may break, makes a line longer.
        assert len(line) <= 100 or '"' in line


TYPED = """\
[Game "connect4"]   ; a student types a game in
[First "Anna"]
[Second "Ben"]
[Result "1-0"]
[Teacher "Carla"]

1. 4 {a good start} 2.4
; here Ben was tired
3. 3 3 5 5 {  0.5s  } 7. 6 1-0 {well played}

"""


def test_a_game_that_a_student_typed_is_read() -> None:
    (game,) = read_text(TYPED)
    assert isinstance(game, TextGame)
    assert (game.line, game.tags) == (1, {"Teacher": "Carla"})
    record = game.record
    assert record.players == ("Anna", "Ben")
    assert [played.player for played in record.moves] == [0, 1, 0, 1, 0, 1, 0]
    assert [played.time_s for played in record.moves] == [0, 0, 0, 0, 0, 0.5, 0]
    assert (record.result, record.reason) == (list(record.states())[-1].result, Reason.NORMAL)
    assert (record.seed, record.clocks, record.isolation) == (0, ("none", "none"), ("worker", "worker"))


@pytest.mark.parametrize("remark", ["2nd best", "3 moves", "-this loses", "yes", "- this", "4... is best", "+", "s"])
def test_a_remark_may_look_a_little_like_a_time(remark: str) -> None:
    record = only(f"{HEAD}4 {{{remark}}} 4 3 3 5 5 6 1-0")
    assert [(played.time_s, played.info) for played in record.moves] == [(0.0, None)] * 7


def test_names_of_tags_may_be_small_and_the_result_may_stand_once() -> None:
    typed = '[game "connect4"][FIRST "Anna"] [Second "Ben"] 4 4 3 3 5 5 6'
    assert only(typed) == only(TYPED.replace(" {  0.5s  }", ""))
    assert only(f'[Result "1-0"] {typed}') == only(f"{typed} 1-0") == only(typed)
    drawn = '[Game "connect4"] [First "a"] [Second "b"] [Reason "adjudicated"] [Result "½-½"] ½-½'
    assert (only(drawn).result, only(drawn).moves) == (Result(0), ())


def test_a_resignation_and_a_loss_on_time_can_be_typed() -> None:
    typed = '[Game "boxes"] [First "Anna"] [Second "Ben"] [Reason "{}"] 1. a 2. b 0-1'
    for reason in ("resignation", "time"):
        record = only(typed.format(reason))
        assert (record.reason.value, record.result, record.at_fault) == (
            reason,
            forfeit(0),
            (0,) if reason == "time" else (),
        )


DICE = '[Game "dice"][First "a"][Second "b"]\n'
ODD = '[Game "odd"][First "a"][Second "b"]\n'
BIG = '[Reason "time"]\n[Score "9999999999"]\n'
HEAD = '[Game "connect4"]\n[First "Anna"]\n[Second "Ben"]\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", 'line 1: a game begins with tags such as [Game "connect4"]'),
        ('\n[First "Anna"]\n[Second "Ben"]\n1-0', 'line 2: this game has no tag [Game "…"]'),
        ('[Game "connect4"]\n[Second "Ben"]\n1-0', 'line 1: this game has no tag [First "…"]'),
        ('[Game "conect4"]\n[First "a"]\n[Second "b"]', "line 1: unknown game 'conect4'; did you mean 'connect4'?"),
        (HEAD + '[Start "48"]\n', "line 4: '48' is not a connect4 position: move 2, '8'"),
        (HEAD + "1. 4 2. 8", "line 4: move 2: illegal move 8 at ply 1 of connect4; legal moves: 1 2 3"),
        (HEAD + '[Start "44"]\n1. 8', "line 5: move 1: illegal move 8 at ply 2 of connect4; legal moves: 1 2 3"),
        (HEAD + "1. 4 4\n2. 3", "line 5: this is move 3, not 2: moves are numbered by ply, or not at all"),
        (HEAD + "4 4 3 3 5 5 6\n6 1-0", "line 5: move 8: illegal move 6 at ply 7 of connect4: the game is over"),
        (HEAD + "4 4 3 3 5 5 6\n0-1", "line 5: the result is 1-0 by the rules, not 0-1"),
        (HEAD + '[Result "0-1"]\n4 4 3 3 5 5 6', "line 4: [Result] is 0-1, but the game ends with 1-0"),
        (HEAD + '[Result "won"]\n4 4 3 3 5 5 6', "line 4: [Result] is won, but the game ends with 1-0"),
        (HEAD + '[Margin "3"]\n4 4 3 3 5 5 6', "line 4: [Margin] is 18 by the rules, not 3"),
        (HEAD + '[DecidedBy "luck"]\n4 4 3 3 5 5 6', "line 4: [DecidedBy] is four in a row by the rules, not luck"),
        (HEAD + '[Score "1.5"]\n4 4 3 3 5 5 6', "line 4: [Score] must be a whole number, not '1.5'"),
        (HEAD + BIG + "4 1-0", "line 5: [Score] and [Margin] must be less than 2147483648"),
        (HEAD + "4 4 3 3 5 5\n1-0", "line 5: the game is not over after move 6; if it ended there, add a tag [Reason]"),
        (HEAD + '[Reason "tme"]\n4 1-0', "line 4: unknown reason 'tme'; did you mean 'time'?"),
        (HEAD + '[Reason "time"]\n4 4\n3', "line 6: the result, such as 1-0, is missing after the moves"),
        (HEAD + "4 4 *", "line 4: * is for games that are not over; a record needs a result such as 1-0"),
        (HEAD + "4 <0> 4", "line 4: no random event is pending, so <0> cannot be its outcome"),
        (HEAD + "4 {0.5s} {0.6s} 4", "line 4: a move has at most one comment with its time or search information"),
        (HEAD + "{0.5s} 4", "line 4: a move has at most one comment with its time or search information"),
        (HEAD + "4\n{0,2483s} 4", "line 5: '0,2483s' is not a time such as 0.25s"),
        (HEAD + "4 {-1s} 4", "line 4: '-1s' is not a time such as 0.25s"),
        (HEAD + "4 {.5.s value=3} 4", "line 4: '.5.s' is not a time such as 0.25s"),
        (HEAD + "4 {0.5s yes} 4", "line 4: 'yes' is not understood in a comment of time, value="),
        (HEAD + "4 {0.5s vlue=3} 4", "line 4: 'vlue=3' is not understood in a comment of time, value="),
        (HEAD + "4 {depth=3.5}", "line 4: 'depth=3.5' is not understood in a comment of time, value="),
        (HEAD + "4 {pv=4 <} 4", "line 4: 'pv=4 <' is not a line of moves"),
        (HEAD + "\n4 {0.5s\n4 4 3", "line 5: this comment in braces is not closed"),
        (HEAD + "4} 4 4 3", "line 4: a brace that closes no comment"),
        (HEAD + "4 ]", "line 4: a bracket that closes no tag"),
        (HEAD + "4 <1,a> 4 4 3", "line 4: this is no outcome of a random event such as <2>"),
        (HEAD + '4 "3', "line 4: this text in quotes is not closed"),
        (HEAD + '"\\q"', "line 4: '\\q' is not an escape; a backslash is written \\\\"),
        (HEAD + "[Seed 5]\n4", 'line 4: this is no tag such as [First "Anna"]'),
        (HEAD + '[Seed "five"]\n4 4 3 3 5 5 6', "line 4: [Seed] must be a whole number, not 'five'"),
        (HEAD + '[Sed "5"]\n4 4 3 3 5 5 6', "line 4: there is no tag [Sed]; did you mean [Seed]?"),
        (HEAD + '[First "Eve"]\n4', "line 4: a second tag [First] in one game"),
        (HEAD + '[Detail "C:\\agents"]\n4', "line 4: '\\a' is not an escape; a backslash is written \\\\"),
        (HEAD + '[SecondClock "soon"]\n4 4 3 3 5 5 6', "line 4: 'soon' is not a clock such as 300"),
        (HEAD + '[Overhead "much"]\n4 4 3 3 5 5 6', "line 4: [Overhead] must be seconds, not 'much'"),
        (DICE + 'roll\nstep', "line 2: the outcome of a random event is missing here: <0> <1> <2>"),
        (DICE + 'roll <3>', "line 2: <3> is not an outcome of this event; the outcomes are: <0> <1> <2>"),
        (ODD + "<1>", "line 2: <1> is not an outcome of this event; the outcomes are: <0> <2> <3>"),
        (ODD + "plain", "line 2: move 1: illegal move plain at ply 0 of odd: a random event is pending"),
    ],
)  # fmt: skip
def test_what_is_wrong_gives_one_clear_error_with_its_line(text: str, sentence: str) -> None:
    assert complaint(text).startswith(f"games.txt, {sentence}")
    assert "\n" not in complaint(text)


def test_rules_that_fail_are_no_traceback() -> None:
    class Broken(Odd):
        game = "broken"

        def after(self, move: str) -> Any:
            raise ZeroDivisionError("in\nthe rules")

    register(Broken)
    told = complaint('[Game "broken"] [First "a"] [Second "b"] <0> plain')
    assert told == "games.txt, line 1: move 1: the rules of the game fail here: ZeroDivisionError: in\\nthe rules"


def test_a_damaged_game_does_not_cost_its_neighbours() -> None:
    good = write_record(play_game("connect4", "greedy", "random", seed=1))
    for bad in (HEAD + "4 {", HEAD + "9 1-0", HEAD + '4 "', "hello", "[Game", HEAD.replace("]", "", 1) + "4 4", HEAD):
        games = list(read_text("\n".join([good, bad + "\n", good]), "games.txt"))
        assert [type(game) for game in games] == [TextGame, RecordError, TextGame], games
    # Also where the tag Game is not the first of its game.
    late = '[Event "club"]\n' + good
    games = list(read_text("\n".join([good, HEAD + "4 {\n", late])))
    assert isinstance(games[2], TextGame)
    assert games[2].tags == {"Event": "club"}


def test_bytes_that_are_no_text_cost_one_game(tmp_path: Path) -> None:
    good = write_record(play_game("connect4", "greedy", "random", seed=1)).encode()
    path = tmp_path / "games.txt"
    path.write_bytes(good + b"\n" + good.replace(b"greedy", b"gr\xe9edy") + b"\n; caf\xe9\n" + good)
    first, damaged, last = read_games(path)
    assert isinstance(first, TextGame)
    assert isinstance(last, TextGame)
    assert str(damaged) == f"{path}, line {good.count(10) + 3}: this is not UTF-8 text"
    with pytest.raises(RecordError, match="not UTF-8"):
        read_records(path)


def test_a_file_that_is_not_there_gives_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=re.escape(f"{tmp_path} is a folder, not a file")):
        read_records(tmp_path)
    with pytest.raises(Exception, match=re.escape(f"there is no file {tmp_path / 'no.txt'}")):
        read_records(tmp_path / "no.txt")


@settings(deadline=None, max_examples=50)  # tests/fuzz damages many more
@given(records(), st.data())
def test_any_damage_gives_a_valid_game_or_a_sentence_with_its_line(record: GameRecord, data: st.DataObject) -> None:
    lines = write_record(record).split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    at = data.draw(st.integers(0, len(line)))
    junk = data.draw(st.text(st.sampled_from('[]{}<>";\\.0123456789 \u2028\udcff\x00abc=s-'), max_size=5))
    damaged: list[str] = data.draw(
        st.sampled_from(
            [
                [line[:at] + junk + line[at + 1 :]],
                [line[:at] + junk + line[at:]],
                [line[:at]],
                [line[at:]],
                [],
                [line, line],
                [line[:at], line[at:]],
                [junk],
            ]
        )
    )
    text = "\n".join(lines[:number] + damaged + lines[number + 1 :])
    for game in read_text(text, "games.txt"):
        if isinstance(game, TextGame):
            states = list(game.record.states())
            assert game.record.reason is not Reason.NORMAL or states[-1].result == game.record.result
            assert same(only(write_record(game.record)), game.record)
        else:
            assert re.fullmatch(r"games\.txt, line [0-9]+: [^\n]+", str(game))
            assert 1 <= game.line <= text.count("\n") + 1


@settings(deadline=None)
@given(st.text(st.sampled_from('[]{}<>";\\.0123456789 \n abcGame=s-') | st.characters(), max_size=200))
def test_no_text_at_all_is_more_than_a_sentence(text: str) -> None:
    assert all(isinstance(game, RecordError) for game in read_text(text))


def test_a_game_cut_short_is_noticed(game: str) -> None:
    record = play_game(game, "random", "random", seed=2)
    lost = replace(record, moves=record.moves[:-1], result=forfeit(0), reason=Reason.TIME)
    for whole in (record, lost):
        text = write_record(whole)
        first, last = text.index("\n\n") + 2, len(text) - len("1-0\n")
        # Every end of a short game. Of a long one, the last moves, and ends at every place of a move and of a line.
        for end in [*range(first, last - 300, 7), *range(max(first, last - 300), last)]:
            (read,) = read_text(text[:end])
            assert isinstance(read, RecordError) or whole is record, text[:end]
            if isinstance(read, TextGame):  # only what the final position tells anyhow is gone
                assert [played.move for played in read.record.moves] == [played.move for played in record.moves]


def test_other_tags_must_have_names_of_their_own() -> None:
    record = play_game("connect4", "random", "random")
    for name in ("Game", "Seed", "two words", ""):
        with pytest.raises(ValueError, match="cannot be the name of another tag"):
            write_record(record, tags={name: "x"})


def test_a_record_from_the_referee_holds_plain_values_and_times_that_can_be_read() -> None:
    class Teller:
        def choose(self, state: Any, clock: Any) -> Any:
            self.info = SearchInfo(math.nan, True, 7, pv=tuple(state.legal_moves[:1]))
            return state.legal_moves[0]

    record = play_game("connect4", Teller(), Teller())
    for played in record.moves:
        assert played.time_s == round(played.time_s, 7)
        assert played.info is not None
        assert isinstance(played.info.pv[0], str)
    assert same(only(write_record(record)), record)
