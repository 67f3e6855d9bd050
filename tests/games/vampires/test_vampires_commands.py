"""``joute map`` and ``joute odds`` as their users type them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from commands import joute, ok

from joute.games.vampires.commands.map import check, new
from joute.games.vampires.generators import official_map, twilight_map
from joute.games.vampires.maps import VampiresMap


def refused(*words: str) -> str:
    done = joute(*words)
    assert done.returncode == 2, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr


def test_map_new_prints_what_a_generator_draws_by_the_seed() -> None:
    printed = ok("map", "new", "--rows", "7", "--columns", "9", "--homes", "4", "--seed", "3")
    assert VampiresMap.from_xml(printed.encode()) == official_map(7, 9, homes=4, seed=3)
    printed = ok("map", "new", "--generator", "twilight", "--monsters", "12", "--seed", "5")
    assert VampiresMap.from_xml(printed.encode()) == twilight_map(monsters=12, seed=5)


def test_map_new_draws_until_a_house_can_be_converted() -> None:
    assert not official_map(seed=8).convertible("v")
    printed = ok("map", "new", "--seed", "8", "--convertible")
    assert VampiresMap.from_xml(printed.encode()).convertible("v")


def test_map_new_writes_a_new_file_and_no_other_unless_forced(tmp_path: Path) -> None:
    file = tmp_path / "new.xml"
    assert ok("map", "new", str(file)) == (
        f"{file}: 10 rows, 10 columns, 12 houses with 62 humans, 3 vampires, 3 werewolves\n"
    )
    assert VampiresMap.read(file) == official_map()
    assert "already exists; name another file, or replace it with --force" in refused("map", "new", str(file))
    ok("map", "new", str(file), "--seed", "1", "--force")
    assert VampiresMap.read(file) == official_map(seed=1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--generator", "offical"), "unknown generator 'offical'; did you mean 'official'?"),
        (("--rows", "0"), "generator official: rows must be a whole number in 1..255, not 0"),
        (("--monsters", "5"), "generator official has no parameter 'monsters'; it has rows, columns, homes"),
        (("--rows", "2", "--columns", "2", "--homes", "2"), "too few for 2 homes and the werewolves"),
        (("--homes", "0", "--convertible"), "none of 10,000 random maps has a house"),
        (("no/folder/map.xml",), "there is no folder no/folder"),
    ],
)
def test_map_new_says_what_it_cannot_make(words: tuple[str, ...], complaint: str) -> None:
    assert complaint in refused("map", "new", *words)


def test_map_check_tells_of_every_file_and_fails_if_one_is_wrong(tmp_path: Path) -> None:
    good, wrong, none = tmp_path / "good.xml", tmp_path / "wrong.xml", tmp_path / "none.xml"
    good.write_text("\ufeff" + official_map().xml(), encoding="utf-8")
    wrong.write_text('<Map Rows="3" Columns="3">\n<Humans X="0" Y="3" Count="1"/></Map>')
    assert ok("map", "check", str(good)).startswith(f"{good}: 10 rows, 10 columns, 12 houses with 62 humans")
    done = joute("map", "check", str(wrong), str(none), str(good))
    assert done.returncode == 2
    assert done.stdout.startswith(f"{good}: 10 rows")
    assert done.stderr.splitlines() == [
        f"joute: {wrong}, line 2: the humans at 0.3 stand outside the grid, whose last cell is 2.2",
        f"joute: there is no file {none}",
    ]
    assert joute("map", "check", str(wrong), str(good)).returncode == 1
    assert joute("map", "show", str(none)).returncode == joute("map", "check", str(none)).returncode == 2


def test_map_check_knows_maps_by_name_and_text_but_takes_a_file_for_what_it_is(tmp_path: Path) -> None:
    assert ok("map", "check", "bait").startswith("bait: 5 rows, 10 columns, 4 houses")
    assert ok("map", "check", "1x2/5v0.0+5w1.0").startswith("1x2/5v0.0+5w1.0: 1 row, 2 columns, 0 houses")
    (tmp_path / "bait").write_text(official_map().xml())
    done = joute("map", "check", "bait", cwd=tmp_path)
    assert done.stdout.startswith("bait: 10 rows, 10 columns")
    assert "did you mean 'village'?" in refused("map", "check", "vilage")


def test_map_show_draws_a_map_by_its_name_its_file_or_its_text(tmp_path: Path) -> None:
    text = ok("map", "show", "bait")
    assert "5 rows, 10 columns, 4 houses with 12 humans, 5 vampires, 5 werewolves" in text
    assert "houses that all units of either species can convert: 1 at 8.2; 3 at 9.1, 9.3; 5 at 1.2\n" in text
    bait = json.loads(ok("map", "show", "bait", "--json"))["text"]
    file = tmp_path / "bait.xml"
    file.write_text(VampiresMap.from_text(bait).xml())
    assert ok("map", "show", str(file)) == ok("map", "show", bait) == text


def test_map_show_tells_the_houses_of_each_species_where_they_differ() -> None:
    lines = ok("map", "show", "1x5/5v0.0+3w4.0+4h1.0+2h2.0").splitlines()
    assert "houses that all vampires can convert: 2 at 2.0; 4 at 1.0" in lines
    assert "houses that all werewolves can convert: 2 at 2.0" in lines


def test_map_show_lists_the_maps_that_have_a_name() -> None:
    listed = json.loads(ok("map", "show", "--json"))
    assert [entry["name"] for entry in listed][:2] == ["default", "arena"]
    assert all(entry["name"] in ok("map", "show") for entry in listed[:1])
    assert VampiresMap.from_text(listed[0]["text"]).text == official_map().text


def test_map_show_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    assert f"picture: {picture}" in ok("map", "show", "hamlet", "--svg", str(picture))
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("vilage",), "unknown map 'vilage'; did you mean 'village'?"),
        (("none.xml",), "there is no file none.xml"),
        (("3x3/5v0.0",), "a map has one group of werewolves, and there are 0 in '3x3/5v0.0'"),
        (("--svg", "x.svg"), "--svg needs a map to draw"),
    ],
)
def test_map_show_says_what_is_no_map(words: tuple[str, ...], complaint: str) -> None:
    assert complaint in refused("map", "show", *words)


def test_maps_are_given_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.xml"
    new(file, generator="official", seed=3, as_json=True)
    made = json.loads(capsys.readouterr().out)
    drawn = VampiresMap.read(file)
    assert (made["file"], made["seed"], made["text"]) == (str(file), 3, drawn.text)
    with pytest.raises(typer.Exit) as raised:
        check([str(file), "hamlet", "9x9/"], as_json=True)
    assert raised.value.exit_code == 1
    told, err = capsys.readouterr()
    first, second, third = json.loads(told)
    assert (first["text"], first["problem"], second["rows"]) == (drawn.text, None, 5)
    assert set(third) == {"map", "problem"}
    assert not err


def test_odds_tells_chances_survivors_and_means() -> None:
    text = ok("odds", "3", "5")
    assert "3 attack 5 monsters (official): the attackers win with chance 0.3" in text
    assert "left on average: 0.27 attackers; 2.45 defenders" in text
    assert [line.split()[:3] for line in text.splitlines() if line.endswith("% ")][:4] == [
        ["3", "attackers", "0.81%"],
        ["2", "attackers", "5.67%"],
        ["1", "attacker", "13.23%"],
        ["nobody", "10.46%"],
    ]
    assert "less likely" not in text
    text = ok("odds", "5", "8", "--against", "humans")
    assert "left on average: 1.27 attackers, converts included; 3.781 defenders" in text
    assert "less likely numbers together: 0." in text


def test_odds_tells_what_is_certain() -> None:
    assert "the attackers win for certain" in ok("odds", "6", "4")
    assert "the attackers win for certain" in ok("odds", "4", "4", "--against", "humans")
    assert "win with chance 0.5" in ok("odds", "4", "4", "--against", "humans", "--rules", "twilight-succo")
    assert "the attackers lose for certain" in ok("odds", "2", "3", "--rules", "text-strict")


def test_odds_as_json_are_exact() -> None:
    data = json.loads(ok("odds", "5", "8", "--against", "humans", "--json"))
    assert data["win"] == 0.3125
    assert (len(data["attackers_left"]), len(data["defenders_left"])) == (13, 8)
    assert data["empty"] + sum(data["attackers_left"]) + sum(data["defenders_left"]) == pytest.approx(1)
    assert data["expected_attackers"] == pytest.approx(13 * 0.3125**2)
    assert data["expected_defenders"] == pytest.approx(8 * 0.6875**2)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("0", "3"), "Invalid value for 'ATTACKERS'"),
        (("3", "256"), "Invalid value for 'DEFENDERS'"),
        (("3", "4", "--against", "human"), "unknown defender 'human'; did you mean 'humans'?"),
        (("3", "4", "--rules", "offical"), "not 'offical'; did you mean 'official'?"),
    ],
)
def test_odds_says_what_it_does_not_know(words: tuple[str, ...], complaint: str) -> None:
    assert complaint in refused("odds", *words)


def test_who_looks_for_the_course_of_vampires_is_told_how_to_play_at_its_servers() -> None:
    said = refused("course", "vampires", "--agent", "greedy")
    assert "'joute connect --agent AGENT HOST PORT' plays at one, 'joute host vampires' is one" in said
