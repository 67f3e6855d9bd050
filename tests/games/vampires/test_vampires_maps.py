"""Maps of Vampires vs Werewolves: their text, their XML and what is said about wrong ones, and the generators' odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute import Random, new
from joute.arena.openings import make_openings
from joute.errors import JouteError, NotationError, SpecError
from joute.games.vampires.generators import (
    Generator,
    LangorouMaps,
    OfficialMaps,
    TwilightMaps,
    draw_convertible,
    langorou_map,
    official_map,
    random_start,
    twilight_map,
)
from joute.games.vampires.maps import VampiresMap
from joute.games.vampires.state import find_map, map_names

TRAP = VampiresMap(
    rows=5,
    columns=10,
    houses=((2, 2, 4), (9, 0, 2), (9, 2, 1), (9, 4, 2)),
    vampires=(4, 3, 4),
    werewolves=(4, 1, 4),
)

GOOD = """<Map Rows="5" Columns="10">
  <Humans X="2" Y="2" Count="4"/>
  <Humans Y="0" Count="2" X="9"/>
  <Humans Count="1" X="9" Y="2"></Humans>
  <!-- the order of attributes is free -->
  <Humans X="9" Y="4" Count="2"/>
  <Vampires X="4" Y="3" Count="4"/>
  <Werewolves X="4" Y="1" Count="4"/>
</Map>"""


@st.composite
def maps(draw: st.DrawFn) -> VampiresMap:
    rows, columns = draw(st.integers(1, 255)), draw(st.integers(2, 255))
    cell = st.tuples(st.integers(0, columns - 1), st.integers(0, rows - 1))
    cells = draw(st.lists(cell, min_size=2, max_size=20, unique=True))
    vampires, werewolves, *houses = [(x, y, draw(st.integers(1, 255))) for x, y in cells]
    return VampiresMap(rows, columns, tuple(houses), vampires, werewolves)


def test_the_text_of_a_map_is_a_position() -> None:
    assert TRAP.text == "5x10/4v4.3+4w4.1+2h9.0+4h2.2+1h9.2+2h9.4"


@given(maps())
def test_texts_and_files_keep_a_map(made: VampiresMap) -> None:
    assert VampiresMap.from_xml(made.xml().encode()) == made
    again = VampiresMap.from_text(made.text)
    assert again.text == made.text
    assert sorted(again.houses) == sorted(made.houses)
    assert (again.rows, again.columns, again.vampires) == (made.rows, made.columns, made.vampires)


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n' + GOOD.replace("\n", "\r\n").encode(),
        ('<?xml version="1.0" encoding="utf-16"?>' + GOOD).encode("utf-16"),
        GOOD.replace('Rows="5" Columns="10"', "Columns='10' Rows=' 005 '").encode(),
    ],
    ids=["plain", "byte-order mark", "mark and declaration", "UTF-16", "order of attributes"],
)
def test_files_are_read_as_they_come(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "trap.xml"
    file.write_bytes(data)
    assert VampiresMap.read(file) == TRAP


def in_line(number: int, new: str) -> str:
    """The good map with another line of this number."""
    lines = GOOD.splitlines()
    lines[number - 1] = new
    return "\n".join(lines)


WRONG_FILES = [
    ("", 1, "this is not XML: no element found"),
    ("Rows 5", 1, "this is not XML: syntax error"),
    ("\n\n<Map", 3, "this is not XML: unclosed token"),
    (GOOD + "<Map/>", 9, "this is not XML: junk after document element"),
    (in_line(9, ""), 9, "this is not XML: no element found"),
    (in_line(2, "<Humans X='1' X='2' Y='2' Count='4'/>"), 2, "this is not XML: duplicate attribute"),
    (in_line(2, "<Humans X='&two;' Y='2' Count='4'/>"), 2, "this is not XML: undefined entity"),
    ('<?xml version="1.0" encoding="klingon"?>' + GOOD, 1, "this is not XML: unknown encoding"),
    ('<?xml version="1.0" encoding="utf-7"?>' + GOOD, 1, "this is not XML: "),
    (
        '<!DOCTYPE Map [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;">]>\n' + GOOD.replace('X="2"', 'X="&b;"'),
        1,
        "a map has no DOCTYPE: delete it, and entities that it defines",
    ),
    (GOOD.replace("Map", "map"), 1, "the root of a map is the element Map, not map; write Map, case matters"),
    ("<html/>", 1, "the root of a map is the element Map, not html"),
    (in_line(1, '<Map Rows="5">'), 1, "Map lacks Columns"),
    (in_line(1, '<Map rows="5" Columns="10">'), 1, "Map has Rows, Columns, and no rows; write Rows, case matters"),
    (in_line(1, '<Map Rows="0" Columns="10">'), 1, "Rows of Map is '0', not a whole number in 1..255"),
    (in_line(1, '<Map Rows="5" Columns="0">'), 1, "Columns of Map is '0', not a whole number in 1..255"),
    (in_line(1, '<Map Rows="256" Columns="10">'), 1, "Rows of Map is '256', not a whole number in 1..255"),
    (in_line(2, '<Humans X="-1" Y="2" Count="4"/>'), 2, "X of Humans is '-1', not a whole number in 0..255"),
    (in_line(2, '<Humans X="1.5" Y="2" Count="4"/>'), 2, "X of Humans is '1.5', not a whole number in 0..255"),
    (in_line(2, '<Humans X="٣" Y="2" Count="4"/>'), 2, "X of Humans is '٣', not a whole number in 0..255"),
    (in_line(2, '<Humans X="" Y="2" Count="4"/>'), 2, "X of Humans is '', not a whole number in 0..255"),
    (in_line(3, '<Humans X="2" Y="0" Count="300"/>'), 3, "Count of Humans is '300', not a whole number in 1..255"),
    (in_line(3, '<Humans X="2" Y="0" Count="0"/>'), 3, "Count of Humans is '0', not a whole number in 1..255"),
    (in_line(3, '<Humans X="2" Y="0"/>'), 3, "Humans lacks Count"),
    (in_line(3, '<Humans X="2" Y="0" Count="1" Age="3"/>'), 3, "Humans has X, Y, Count, and no Age"),
    (in_line(3, '<Elves X="2" Y="0" Count="1"/>'), 3, "a map holds Humans, Vampires and Werewolves, not Elves"),
    (
        in_line(3, '<humans X="2" Y="0" Count="1"/>'),
        3,
        "a map holds Humans, Vampires and Werewolves, not humans; write Humans, case matters",
    ),
    (in_line(4, '<Humans X="2" Y="0" Count="1"><Roof/></Humans>'), 4, "Humans is an empty element, but holds Roof"),
    (in_line(5, "five houses"), 5, "'five houses' stands between the elements of the map"),
    (in_line(6, '<Humans X="10" Y="4" Count="1"/>'), 6, "the humans at 10.4 stand outside the grid"),
    (in_line(6, '<Humans X="9" Y="5" Count="1"/>'), 6, "the humans at 9.5 stand outside the grid, whose last cell"),
    (in_line(6, '<Humans X="2" Y="2" Count="1"/>'), 6, "the humans at 2.2 stand where humans are already"),
    (in_line(8, '<Werewolves X="4" Y="3" Count="4"/>'), 8, "the werewolves at 4.3 stand where vampires are already"),
    (
        in_line(8, '<Vampires X="0" Y="0" Count="4"/>'),
        8,
        "a second Vampires; the first is in line 7, and there is one of each",
    ),
    (in_line(7, ""), 9, "the map ends without Vampires"),
    (in_line(8, ""), 9, "the map ends without Werewolves"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line", "complaint"), WRONG_FILES, ids=[wrong[2] for wrong in WRONG_FILES])
def test_a_wrong_file_gives_one_clear_error_with_its_line(
    content: str, line: int, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.xml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(NotationError) as raised:
        VampiresMap.read(file)
    assert str(raised.value).startswith(f"{file}, line {line}: {complaint}")
    assert "\n" not in str(raised.value)


def test_a_file_with_more_cells_than_the_protocol_can_tell_is_refused_where_they_are_too_many() -> None:
    cells = [(x, y) for y in range(16) for x in range(16)]
    lines = ['<Map Rows="16" Columns="16">', '<Vampires X="0" Y="0" Count="1"/>', '<Werewolves X="1" Y="0" Count="1"/>']
    lines += [f'<Humans X="{x}" Y="{y}" Count="1"/>' for x, y in cells[2:]]
    full = "\n".join([*lines[:-1], "</Map>"])
    assert len(VampiresMap.from_xml(full.encode()).houses) == 253
    with pytest.raises(NotationError, match=r"^big, line 257: the humans at 15.15 are one group too many"):
        VampiresMap.from_xml("\n".join([*lines, "</Map>"]).encode(), "big")


def test_what_is_no_file_of_a_map_gives_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JouteError, match=r"there is no file .*none\.xml"):
        VampiresMap.read(tmp_path / "none.xml")
    with pytest.raises(JouteError, match="is a folder, not a file"):
        VampiresMap.read(tmp_path)
    with pytest.raises(NotationError, match="/dev/zero is not a map: it has more than 1,000,000 bytes"):
        VampiresMap.read(Path("/dev/zero"))
    for data in (bytes(range(256)), b"\x00" * 100, b"\xff" * 100, b"PK\x03\x04" + b"\x00" * 30):
        with pytest.raises(NotationError, match=r"line \d+: this is not XML"):
            VampiresMap.from_xml(data)


@given(st.binary(max_size=40), st.integers(0, len(GOOD)), st.integers(0, 40))
def test_files_with_noise_are_maps_or_give_one_clear_error(noise: bytes, at: int, without: int) -> None:
    data = GOOD.encode()
    noisy = data[:at] + noise + data[at + without :]
    assert "\n" not in complaint_about(noisy)


def complaint_about(data: bytes) -> str:
    try:
        VampiresMap.from_xml(data)
    except NotationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "'' is not a vampires position such as 2x3/4v0.0+4w2.1+2h1.0/7"),
        ("default", "'default' is not a vampires position such as"),
        ("3x4/", "'3x4/' is not a vampires position such as"),
        ("3x4/5v0.0+5w3.2+2x1.1", "is not a vampires position such as"),
        ("3x4/5v0.0+5w3.2,plies=3", "is not a vampires position such as"),
        ("3x4/5v0.0+5w3.2/7", "a map must be at ply 0 and without a battle; '3x4/5v0.0+5w3.2/7' is not"),
        ("3x4/5w0.0+5w1.0+3h3.2+2v3.2!/1", "a map must be at ply 0 and without a battle"),
        ("3x4/5v0.0+5w1.1+5v3.2", "a map has one group of vampires, and there are 2 in '3x4/5v0.0+5w1.1+5v3.2'"),
        ("3x4/5v0.0", "a map has one group of werewolves, and there are 0 in"),
        ("3x4/5v0.0+5w4.2", ": 4.2 is outside the grid"),
    ],
)  # fmt: skip
def test_a_wrong_text_gives_one_clear_error(text: str, complaint: str) -> None:
    with pytest.raises(NotationError) as raised:
        VampiresMap.from_text(text)
    assert complaint in str(raised.value)


def test_a_start_group_converts_houses_that_are_not_larger() -> None:
    uneven = VampiresMap.from_text("2x4/3v0.0+5w3.0+3h0.1+4h1.1+6h2.1")
    assert uneven.convertible("v") == ((0, 1, 3),)
    assert uneven.convertible("w") == ((0, 1, 3), (1, 1, 4))


def cells_of(made: VampiresMap) -> dict[tuple[int, int], tuple[str, int]]:
    groups = [("h", house) for house in made.houses] + [("m", made.vampires), ("m", made.werewolves)]
    return {(x, y): (kind, count) for kind, (x, y, count) in groups}


def assert_uniform(values: Iterable[object], possible: int) -> None:
    """Whether all `possible` values come equally often, by a chi-square test that errs once in thousands of seeds."""
    counts = Counter(values)
    assert len(counts) == possible
    expected = counts.total() / possible
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = possible - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5


def drawn(generator: Generator, count: int, seed: int = 0) -> list[VampiresMap]:
    rng = Random(seed)
    return [generator.draw(rng) for _ in range(count)]


@pytest.mark.parametrize(("rows", "columns"), [(10, 10), (5, 7), (1, 8), (12, 2)])
def test_official_maps_have_homes_in_pairs_and_are_symmetric_in_their_centre(rows: int, columns: int) -> None:
    for made in drawn(OfficialMaps(rows, columns, homes=3), 50):
        cells = cells_of(made)
        assert len(cells) == 8
        assert all(cells[columns - 1 - x, rows - 1 - y] == cell for (x, y), cell in cells.items())
        for (x, _, _), (other_x, _, _) in zip(made.houses[::2], made.houses[1::2], strict=True):
            assert x < columns // 2 <= other_x
        assert made.werewolves[0] < columns // 2 <= made.vampires[0]


def test_official_counts_and_cells_are_uniform() -> None:
    made = drawn(OfficialMaps(4, 5, homes=3), 6000)
    assert_uniform((house[2] for each in made for house in each.houses[::2]), 19)
    assert {house[2] for each in made for house in each.houses} == set(range(1, 20))
    assert_uniform((each.werewolves[2] for each in made), 18)
    assert {each.vampires[2] for each in made} == set(range(2, 20))
    for index in (0, 2, 4):
        assert_uniform((each.houses[index][:2] for each in made), 8)
    assert_uniform((each.werewolves[:2] for each in made), 8)
    assert_uniform((frozenset(house[:2] for house in each.houses[::2]) for each in made), 56)


def test_official_maps_need_not_have_anything_to_convert() -> None:
    made = drawn(OfficialMaps(), 2000)
    hopeless = sum(not each.convertible("v") for each in made)
    # A start group of n is too small for six homes with chance ((19 - n) / 19)^6; the mean over n = 2..19.
    chance = sum(((19 - n) / 19) ** 6 for n in range(2, 20)) / 18
    assert abs(hopeless - 2000 * chance) < 4 * (2000 * chance * (1 - chance)) ** 0.5


SYMMETRIES: dict[str, Callable[[int, int, int], tuple[int, int]]] = {
    "middle row": lambda n, x, y: (x, n - 1 - y),
    "centre": lambda n, x, y: (n - 1 - x, n - 1 - y),
    "diagonal": lambda n, x, y: (y, x),
}


def test_twilight_maps_of_squares_have_one_of_three_symmetries_equally_often() -> None:
    seen: list[str] = []
    for made in drawn(TwilightMaps(9, 9), 1500):
        cells = cells_of(made)
        kept = [
            name
            for name, image in SYMMETRIES.items()
            if all(cells.get(image(9, *at)) == cell for at, cell in cells.items())
        ]
        assert kept
        seen += kept if len(kept) == 1 else []
    assert len(seen) > 1400
    assert_uniform(seen, 3)


def test_twilight_maps_that_are_no_squares_are_symmetric_in_their_middle_row() -> None:
    for made in drawn(TwilightMaps(5, 8), 100):
        cells = cells_of(made)
        assert all(cells[x, 4 - y] == cell for (x, y), cell in cells.items())


def test_langorous_maps_have_the_sizes_and_numbers_of_its_tournaments() -> None:
    made = drawn(LangorouMaps(), 3000)
    assert_uniform((each.rows for each in made), 7)
    assert_uniform((each.columns for each in made), 7)
    assert_uniform((each.vampires[2] for each in made), 37)
    assert {each.rows for each in made} == {each.columns for each in made} == set(range(10, 17))
    assert {each.vampires[2] for each in made} == set(range(4, 41))
    assert {len(each.houses) for each in made} >= set(range(2, 31, 2))
    assert max(len(each.houses) for each in made) == 30
    assert all(each.vampires[2] == each.werewolves[2] for each in made)
    assert langorou_map(3) == drawn(LangorouMaps(), 1, seed=3)[0]


def positions(file: str) -> tuple[str, ...]:
    """The positions of a file of maps beside the experiments."""
    return make_openings("vampires", str(Path(__file__).parents[3] / "experiments" / file), 1000).positions


def test_the_experiments_play_on_the_maps_that_their_files_describe() -> None:
    assert positions("langorou_maps.txt") == tuple(langorou_map(seed).text for seed in range(200))
    names = ("hamlet", "fork", "bait", "village", "default", "plains", "crowd")
    assert positions("vampires_named_maps.txt") == tuple(find_map(name).text for name in names)


def test_twilight_counts_and_cells_are_uniform() -> None:
    made = drawn(TwilightMaps(6, 5, homes=1, monsters=7), 6000)
    assert {(each.vampires[2], each.werewolves[2]) for each in made} == {(7, 7)}
    assert_uniform((each.houses[0][2] for each in made if each.houses), 7)
    assert {house[2] for each in made for house in each.houses} == set(range(5, 12))
    assert_uniform((each.werewolves[:2] for each in made), 30)
    whole = [each for each in made if len(each.houses) == 2]
    assert all(each.houses[0][2] == each.houses[1][2] for each in whole)
    assert_uniform((min(each.houses, key=lambda house: house[1])[:2] for each in whole), 15)


def test_twilight_start_groups_take_the_place_of_a_home_as_often_as_chance_has_it() -> None:
    made = drawn(TwilightMaps(6, 5, homes=1), 6000)
    lost = sum(not each.houses for each in made)
    assert abs(lost - 6000 / 15) < 4 * (6000 / 15 * 14 / 15) ** 0.5


def test_twilight_homes_on_the_axis_are_their_own_image() -> None:
    sizes = Counter(len(each.houses) for each in drawn(TwilightMaps(3, 1, homes=1), 3000))
    # One of three cells is the middle row, the other two are where the monsters stand.
    assert set(sizes) == {0, 1}
    assert abs(sizes[1] - 1000) < 4 * (3000 * 1 / 3 * 2 / 3) ** 0.5


def test_a_seed_gives_the_same_map_everywhere() -> None:
    assert official_map(seed=0).text == (
        "10x10/3v5.9+3w4.0+17h6.1+2h3.2+2h0.3+8h1.3+1h3.3+1h9.4+1h0.5+1h6.6+8h8.6+2h9.6+2h6.7+17h3.8"
    )
    assert twilight_map(4, 6, homes=2, seed=1) == twilight_map(4, 6, homes=2, seed=1)
    assert len({official_map(seed=seed) for seed in range(20)}) == 20


def test_maps_are_drawn_until_a_house_can_be_converted() -> None:
    rng = Random(8)
    assert not OfficialMaps().draw(Random(8)).convertible("v")
    assert all(draw_convertible(OfficialMaps(), rng).convertible("v") for _ in range(100))
    with pytest.raises(SpecError, match="none of 10,000 random maps has a house that a start group can convert"):
        draw_convertible(TwilightMaps(monsters=4), Random(0))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"rows": 0}, "rows must be a whole number in 1..255, not 0"),
        ({"columns": 1}, "columns must be a whole number in 2..255, not 1"),
        ({"homes": 127}, "homes must be a whole number in 0..126, not 127"),
        ({"rows": 2, "columns": 5, "homes": 4}, "has 4 cells, too few for 4 homes and the werewolves"),
    ],
)
def test_generators_say_what_they_cannot_draw(settings: dict[str, int], complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint):
        OfficialMaps(**settings)


def test_twilight_says_what_it_cannot_draw() -> None:
    with pytest.raises(SpecError, match=r"monsters must be a whole number in 1\.\.251, not 252"):
        TwilightMaps(monsters=252)
    with pytest.raises(SpecError, match="no room for 13 homes"):
        TwilightMaps(3, 4, homes=13)
    assert len(OfficialMaps(255, 255, homes=126).draw(Random(0)).houses) == 252
    assert TwilightMaps(255, 255, homes=126, monsters=251).draw(Random(0)).houses


def test_maps_with_names_are_fair_but_for_the_arena() -> None:
    for name in map_names():
        made = find_map(name)
        cells = cells_of(made)
        across = {(x, made.rows - 1 - y): cell for (x, y), cell in cells.items()}
        around = {(made.columns - 1 - x, made.rows - 1 - y): cell for (x, y), cell in cells.items()}
        assert (cells in (across, around)) == (name != "arena")
        assert made.convertible("v")
        assert made.convertible("w")


def test_maps_with_names_have_the_shapes_of_published_ones() -> None:
    shapes = {name: (made.rows, made.columns, len(made.houses)) for name in map_names() for made in [find_map(name)]}
    assert shapes == {
        "default": (10, 10, 12),
        "arena": (3, 3, 2),
        "hamlet": (5, 6, 2),
        "bait": (5, 10, 4),
        "fork": (7, 5, 6),
        "plains": (15, 29, 5),
        "village": (8, 8, 40),
        "town": (15, 10, 49),
        "crowd": (11, 11, 30),
    }


def test_the_default_map_is_the_first_that_the_official_generator_draws() -> None:
    assert new("vampires").position == official_map().text


@pytest.mark.parametrize(("rows", "columns", "most_homes"), [(10, 10, 15), (3, 3, 1), (2, 2, 1), (255, 255, 126)])
def test_starts_of_matches_have_a_drawn_number_of_homes(rows: int, columns: int, most_homes: int) -> None:
    rng = Random(0)
    made = [random_start(rows, columns, rng) for _ in range(20 * most_homes if rows < 100 else 50)]
    homes = {len(each.houses) // 2 for each in made if each and each.convertible("v")}
    assert None not in made
    assert max(homes) <= most_homes
    assert rows > 100 or homes == set(range(1, most_homes + 1))


def test_there_is_no_start_where_there_is_no_room_for_a_house() -> None:
    assert random_start(5, 1, Random(0)) is None
    assert random_start(1, 2, Random(0)) is None
    narrow = new("vampires:map=5x1/3v0.0+3w0.4+2h0.2")
    assert narrow.random_start(Random(0)) == narrow


def test_starts_of_matches_keep_the_rules_and_the_size() -> None:
    start = new("vampires:rules=text-strict,map=bait,plies=50")
    drawn_start = start.random_start(Random(1))
    assert drawn_start.spec == start.spec
    assert drawn_start.position.startswith("5x10/")
    assert drawn_start.position != start.position


def test_the_picture_of_the_documentation_is_what_joute_draws() -> None:
    state = new("vampires", "10x10/5v7.5+3v9.5+2w1.4+3w3.4+1w1.5+17h6.1+2h0.3+8h1.3+1h9.4+1h0.5+8h8.6+17h3.8/14")
    turn = "7.5-6.4x2+7.5-6.5x3+9.5-8.4x3"
    page = Path(__file__).parents[3] / "docs" / "vampires.md"
    assert state.position in page.read_text()
    assert page.with_suffix(".svg").read_text() == state.play(turn).svg(turn)
