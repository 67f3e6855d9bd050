"""The bytes of Vampires vs Werewolves: a game of the official server byte for byte, and whatever else may come."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.games.vampires.records import Order
from joute.games.vampires.tcp.wire import (
    FROM_CLIENT,
    FROM_SERVER,
    MAX_FRAME_BYTES,
    MAX_SHOWN_NAME,
    Bye,
    Cell,
    End,
    Frame,
    Hme,
    Hum,
    Map,
    Mov,
    Nme,
    Parser,
    Set,
    Upd,
    WireError,
    printable,
)

# What the official server of 2020 sent to its first player on the map "thetrap", whose four vampires stand at (4, 3).
OFFICIAL = [
    ("53 45 54 05 0a", Set(5, 10)),
    ("48 55 4d 04 02 02 09 00 09 02 09 04", Hum(((2, 2), (9, 0), (9, 2), (9, 4)))),
    ("48 4d 45 04 03", Hme(4, 3)),
    (
        "4d 41 50 06 09 00 02 00 00 04 01 00 00 04 02 02 04 00 00 09 02 01 00 00 04 03 00 04 00 09 04 02 00 00",
        Map(
            (
                Cell(9, 0, humans=2),
                Cell(4, 1, werewolves=4),
                Cell(2, 2, humans=4),
                Cell(9, 2, humans=1),
                Cell(4, 3, vampires=4),
                Cell(9, 4, humans=2),
            )
        ),
    ),
    ("55 50 44 00", Upd()),
    (
        "55 50 44 04 05 03 00 04 00 04 03 00 00 00 05 01 00 00 04 04 01 00 00 00",
        Upd((Cell(5, 3, vampires=4), Cell(4, 3), Cell(5, 1, werewolves=4), Cell(4, 1))),
    ),
    ("45 4e 44", End()),
    ("42 59 45", Bye()),
]
# What was sent to the second player instead, and what both sent.
OTHERS = [
    ("48 4d 45 04 01", Hme(4, 1)),
    ("55 50 44 02 05 03 00 04 00 04 03 00 00 00", Upd((Cell(5, 3, vampires=4), Cell(4, 3)))),
    ("4e 4d 45 03 62 6f 74", Nme(b"bot")),
    ("4d 4f 56 01 04 03 04 05 03", Mov((Order(4, 3, 4, 5, 3),))),
    ("4d 4f 56 00", Mov()),
]

byte = st.integers(0, 255)
cells = st.lists(st.builds(Cell, byte, byte, byte, byte, byte), max_size=255).map(tuple)
server_frames = st.one_of(
    st.builds(Set, byte, byte),
    st.builds(Hum, st.lists(st.tuples(byte, byte), max_size=255).map(tuple)),
    st.builds(Hme, byte, byte),
    st.builds(Map, cells),
    st.builds(Upd, cells),
    st.builds(End),
    st.builds(Bye),
)
client_frames = st.one_of(
    st.builds(Nme, st.binary(max_size=255)),
    st.builds(Mov, st.lists(st.builds(Order, byte, byte, byte, byte, byte), max_size=255).map(tuple)),
)


def parsed(parser: Parser, data: bytes) -> list[Frame]:
    parser.feed(data)
    return list(iter(parser.next_frame, None))


@pytest.mark.parametrize(("wire", "frame"), OFFICIAL + OTHERS)
def test_a_frame_has_the_official_bytes(wire: str, frame: Frame) -> None:
    assert frame.encode() == bytes.fromhex(wire)
    assert type(frame).decode(bytes.fromhex(wire)) == frame


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
def test_the_official_game_is_understood_however_it_is_cut(piece: int) -> None:
    wire = b"".join(bytes.fromhex(part) for part, _ in OFFICIAL)
    parser = Parser(FROM_SERVER)
    frames = [frame for at in range(0, len(wire), piece) for frame in parsed(parser, wire[at : at + piece])]
    assert frames == [frame for _, frame in OFFICIAL]
    assert parser.pending == 0


@given(st.lists(server_frames, max_size=6), st.integers(1, 50))
def test_what_a_server_encodes_is_what_a_client_parses(frames: list[Frame], piece: int) -> None:
    wire = b"".join(frame.encode() for frame in frames)
    parser = Parser(FROM_SERVER)
    assert [frame for at in range(0, len(wire), piece) for frame in parsed(parser, wire[at : at + piece])] == frames


@given(st.lists(client_frames, max_size=6), st.integers(1, 50))
def test_what_a_client_encodes_is_what_a_server_parses(frames: list[Frame], piece: int) -> None:
    wire = b"".join(frame.encode() for frame in frames)
    parser = Parser(FROM_CLIENT)
    assert [frame for at in range(0, len(wire), piece) for frame in parsed(parser, wire[at : at + piece])] == frames


@given(st.lists(st.binary(max_size=40), max_size=20), st.sampled_from([FROM_CLIENT, FROM_SERVER]))
def test_any_bytes_are_frames_or_an_error_and_never_wait_for_more_than_a_frame(
    chunks: list[bytes], frames: tuple[type[Frame], ...]
) -> None:
    parser = Parser(frames)
    with contextlib.suppress(WireError):
        for chunk in chunks:
            for frame in parsed(parser, chunk):
                assert type(frame).decode(frame.encode()) == frame
            assert parser.pending < MAX_FRAME_BYTES


def test_a_wrong_word_is_refused_at_its_first_wrong_letter() -> None:
    parser = Parser(FROM_CLIENT)
    assert parsed(parser, b"M") == []
    with pytest.raises(WireError, match=r"'MA' does not begin a frame that is allowed here: NME, MOV"):
        parsed(parser, b"A")


def test_frames_before_a_wrong_word_are_handed_out() -> None:
    parser = Parser(FROM_CLIENT)
    parser.feed(b"MOV\x00ATK\x01")
    assert parser.next_frame() == Mov()
    for _ in range(2):
        with pytest.raises(WireError, match="'ATK'"):
            parser.next_frame()


@given(st.binary(min_size=3, max_size=3).filter(lambda word: word not in {b"NME", b"MOV"}))
def test_a_wrong_word_is_told_in_plain_text(word: bytes) -> None:
    with pytest.raises(WireError) as raised:
        parsed(Parser(FROM_CLIENT), word)
    assert str(raised.value).isprintable()
    assert str(raised.value).isascii()


def test_a_client_may_not_say_a_servers_words() -> None:
    with pytest.raises(WireError, match="'END'"):
        parsed(Parser(FROM_CLIENT), b"END")
    with pytest.raises(WireError, match="'MOV'"):
        parsed(Parser(FROM_SERVER), b"MOV")


def test_late_bytes_can_be_purged_in_the_middle_of_a_frame() -> None:
    parser = Parser(FROM_CLIENT)
    assert parsed(parser, b"MOV\x01\x04") == []
    assert parser.clear() == 5
    assert parsed(parser, b"MOV\x00") == [Mov()]


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (Mov.giving([(0, 0, 256, 1, 1)]), "MOV cannot hold 256: every number of the protocol is a byte, 0 to 255"),
        (Mov.giving([(0, 0, 1, -1, 0)]), "MOV cannot hold -1"),
        (Mov.giving([(0, 0, 1, 1, 1)] * 256), "MOV cannot hold 256 entries: the protocol allows at most 255"),
        (Upd(tuple(Cell(x, y) for x in range(16) for y in range(16))), "UPD cannot hold 256 entries"),
        (Map((Cell(0, 0, 300),)), "MAP cannot hold 300"),
        (Set(256, 1), "SET cannot hold 256"),
        (Nme(b"a" * 256), "NME cannot hold 256 entries"),
    ],
)
def test_what_bytes_cannot_express_is_refused(frame: Frame, sentence: str) -> None:
    with pytest.raises(WireError, match=sentence):
        frame.encode()


def test_the_longest_frame_is_as_long_as_said() -> None:
    assert len(Mov.giving([(0, 0, 1, 1, 1)] * 255).encode()) == MAX_FRAME_BYTES


@pytest.mark.parametrize(("name", "sentence"), [("Zoé", "are ASCII"), ("a" * 256, "at most 255")])
def test_a_name_that_the_protocol_does_not_know_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(WireError, match=sentence):
        Nme.called(name)


@given(st.binary(max_size=255))
def test_any_name_is_shown_as_one_short_line_of_plain_text(name: bytes) -> None:
    shown = printable(name)
    assert shown.isascii()
    assert shown.isprintable()
    assert 0 < len(shown) <= MAX_SHOWN_NAME
    assert shown == shown.strip()


def test_a_name_that_is_harmless_is_shown_as_it_is() -> None:
    assert Nme.called("Langorou 2").text == "Langorou 2"


def test_a_cell_tells_its_species() -> None:
    for species in "hvw":
        assert Cell.holding(1, 2, species, 7).held == (species, 7)
    assert Cell.holding(1, 2).held is None
    with pytest.raises(WireError, match=r"the cell \(1, 2\) holds two species"):
        _ = Cell(1, 2, 3, 4, 0).held
