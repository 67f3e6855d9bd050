"""Games that the framework of the Divercité course recorded, right and wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import joute, ok
from seahorse_games import random_game, recording

from joute.arena.store.game_file import DamagedGame, FiledGame, read_game_file
from joute.arena.store.importing import import_games
from joute.arena.tournament import Tournament
from joute.cli.common import console
from joute.cli.tournament_table import print_table
from joute.games.divercite.seahorse.recording import read_recording
from joute.games.divercite.seahorse.state import GAME
from joute.match.record import Reason
from joute.protocol.course import CourseError


def test_a_recording_becomes_a_game(tmp_path: Path) -> None:
    for seed in range(5):
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(recording(seed), indent=seed))
    told = ok("import", *(str(tmp_path / f"{seed}.json") for seed in range(5)), "--db", str(tmp_path / "games.db"))
    assert told.startswith(f"5 games of {GAME} between 2 agents in")
    (game,) = read_game_file(tmp_path / "3.json")
    assert isinstance(game, FiledGame)
    assert game.record.players == ("Anna", "Ben")
    *_, last = game.record.states()
    *_, (state, _) = random_game(3)
    assert (last, game.record.result, game.record.reason) == (state, state.result, Reason.NORMAL)
    assert ok("replay", str(tmp_path / "3.json"))


def test_the_seat_that_the_course_appends_is_not_part_of_an_agents_name(tmp_path: Path) -> None:
    def named(white: str, black: str) -> Path:
        states = recording(len(list(tmp_path.iterdir())))
        for player, name in zip(states[0]["players"], (white, black), strict=True):
            player["name"] = name
        file = tmp_path / f"{white}.json"
        file.write_text(json.dumps(states))
        return file

    files = [named("v3_player_1", "greedy_2"), named("greedy_1", "v3_player_2")]
    games = [game for file in files for game in read_game_file(file) if isinstance(game, FiledGame)]
    assert [game.record.players for game in games] == [("v3_player", "greedy"), ("greedy", "v3_player")]
    plan = import_games(games, tmp_path / "games.db")
    assert [entrant.name for entrant in plan.entrants] == ["v3_player", "greedy"]
    # Names of seats that the program did not append stay.
    (other,) = read_game_file(named("agent_2", "agent_1"))
    assert isinstance(other, FiledGame)
    assert other.record.players == ("agent_2", "agent_1")


def test_times_that_a_recording_lacks_are_not_shown_as_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_games([FiledGame(0, read_recording(recording()))], tmp_path / "games.db")
    with Tournament.resume(tmp_path / "games.db") as made:
        print_table(console(), made)
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if re.search(r"\b(Anna|Ben)\b .*%", line)]
    assert [row[-1] for row in rows[:2]] == ["–", "–"]


def newer(states: list[Any], **summary: Any) -> dict[str, Any]:
    """The same as version 1.2 records it, with half a second a move."""
    for number, shown in enumerate(states):
        shown["active_player"] = shown.pop("next_player")
        shown["remaining_time"] = {"1": 900 - (number + 1) // 2 * 0.5, "2": 900 - number // 2 * 0.5}
    return {"steps": states, "final_summary": {"status": "done", **summary}}


def test_a_recording_of_version_1_2_tells_times_and_who_was_disqualified() -> None:
    *_, (state, _) = random_game(0)
    assert state.result is not None
    winner = {0: [1], 1: [2], None: [1, 2]}[state.result.winner]
    record = read_recording(newer(recording(), winners_id=winner))
    assert record.result == state.result
    assert {played.time_s for played in record.moves} == {0.5}
    record = read_recording(newer(recording()[:8], status="cancelled", winners_id=[1]))
    assert (record.reason, record.winner, len(record.moves)) == (Reason.ADJUDICATED, 0, 7)
    assert record.detail == "the course's program disqualified Ben at step 7"
    with pytest.raises(CourseError, match="the winners of the final summary are not those by the rules"):
        read_recording(newer(recording(), winners_id=[3 - winner[0]]))
    with pytest.raises(CourseError, match="stops at step 7 of 40, and does not name a winner"):
        read_recording(newer(recording()[:8], status="done", winners_id=[1]))


def changed(path: str, value: Any, number: int = 5) -> list[Any]:
    """A recording with something changed in a state."""
    states = recording()
    *keys, last = path.split("/")
    target = states[number]
    for key in keys:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[last if isinstance(target, dict) else int(last)] = value
    return states


def without(number: int) -> list[Any]:
    states = recording()
    del states[number]
    return states


BAD = [
    (changed("scores/1", 7), "state 5: the scores are 0 and 1 by the rules, not 7 and 1"),
    (changed("scores/1", False), "state 5: the scores are"),
    (changed("scores", {}), "state 5: the scores are 0 and 1 by the rules, not None and None"),
    (changed("scores", 3), "state 5: scores, players_pieces_left or step are missing"),
    (changed("step", 6), "state 5: with 5 pieces on the board the step is 5, not 6"),
    (changed("step", "5"), "state 5: with 5 pieces on the board the step is 5, not 5"),
    (changed("players_pieces_left/1/RC", 0), "RC left, not 0"),
    (changed("players_pieces_left/1/RR", 9), "a player has 0 to 3 RR left, not 9"),
    (changed("players_pieces_left/1", 4), "a player has 0 to 3 RR left, not None"),
    (changed("rep", None), "state 5: rep has no env, the pieces on the board"),
    (changed("rep/env/(0, 0)", {"piece_type": "RRW"}), "state 5: there can be no piece RRW at (0, 0)"),
    (changed("rep/env/(4, 4) ", {"piece_type": "RRW"}), "at (4, 4) "),
    (changed("rep/env/__import__('os')", {"piece_type": "RRW"}), "at __import__('os')"),
    (changed("rep/env/(4, 4)", {"piece_type": "RCW"}), "no piece RCW at (4, 4), which is for resources"),
    (changed("rep/env/(4, 4)", "RRW"), "there can be no piece RRW at (4, 4)"),
    (changed("next_player/id", 1), "state 5: at step 5 it is the turn of 2, not of 1"),
    (changed("rep/env/(4, 4)", {"piece_type": "RRW", "owner_id": 2}), "state 5: RRW at (4, 4) does not belong to 2"),
    (changed("players", [], 0), "state 0: there must be two players"),
    (changed("players/0/piece_type", "B", 0), "state 0: the players are W and then B"),
    (changed("players/0/id", None, 0), "state 0: None is not a player's id"),
    (changed("players/0/id", 2, 0), "state 0: both players have the id 2"),
    (without(0), "the recording begins at step 1, not at the start"),
    (without(20), "state 20: a move adds one piece to the board, but 2 cells changed"),
    (recording()[:-1], "the recording stops at step 39 of 40, and does not name a winner"),
    ([*recording(), recording()[-1]], "state 41: a move adds one piece to the board, but 0 cells changed"),
    ([*recording(), 3], "a recording must be a list of states"),
]


@pytest.mark.parametrize(("data", "sentence"), BAD, ids=[sentence[:40] for _, sentence in BAD])
def test_a_wrong_recording_gives_one_clear_error(data: Any, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data))
    (game,) = read_game_file(file)
    assert isinstance(game, DamagedGame)
    assert str(game.error).startswith(f"{file}: ")
    assert sentence in str(game.error)


def test_a_swap_of_owners_in_a_recording_is_noticed() -> None:
    states = recording()
    (cell,) = states[1]["rep"]["env"]
    for shown in states[1:]:
        piece = shown["rep"]["env"][cell]
        piece |= {"piece_type": f"{piece['piece_type'][:2]}B", "owner_id": 2}
    with pytest.raises(CourseError, match=r"state 1: .* but the players take turns"):
        read_recording(states)


def test_cells_may_be_spelt_without_a_blank_and_each_once() -> None:
    states = recording()
    (cell,) = states[1]["rep"]["env"]
    spelt = cell.replace(" ", "")
    for shown in states[1:]:
        shown["rep"]["env"][spelt] = shown["rep"]["env"].pop(cell)
    assert len(read_recording(states).moves) == 40
    states[1]["rep"]["env"][spelt]["owner_id"] = 2
    with pytest.raises(CourseError, match="does not belong to 2"):
        read_recording(states)
    states[1]["rep"]["env"][spelt]["owner_id"] = 1
    states[1]["rep"]["env"][cell] = states[1]["rep"]["env"][spelt]
    with pytest.raises(CourseError, match="there are two pieces at"):
        read_recording(states)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[{"scores": {}', "looks like JSON but is invalid"),
        ("[{" + '"a":[{' * 100_000, "looks like JSON but is invalid"),
        ('[{"a": 1}]', "is JSON, but not a game recorded by a course's program"),
        ('{"steps": []}', "is JSON, but not a game recorded by a course's program"),
    ],
)
def test_json_that_is_no_recording_gives_one_clear_error(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(text)
    done = joute("import", str(file), "--db", str(tmp_path / "games.db"))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"joute: .*{re.escape(sentence)}.*\n", done.stderr), done.stderr[-500:]
    assert not (tmp_path / "games.db").exists()
