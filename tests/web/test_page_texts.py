"""The catalogue of texts: complete in every language, with the same slots, and used."""

from __future__ import annotations

import re
from importlib import resources

from joute.web.texts import LANGUAGES, areas, catalogue, phrases

STATIC = resources.files("joute.web").joinpath("static")


def slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def test_every_text_is_in_every_language_with_the_same_slots() -> None:
    for area, entries in areas().items():
        for key, entry in entries.items():
            assert key.startswith(f"{area}."), key
            assert set(entry) == set(LANGUAGES), key
            assert all(slots(text) == slots(entry["en"]) for text in entry.values()), key
            assert all(text.strip() for text in entry.values()), key


def test_phrases_use_the_slots_that_they_have() -> None:
    for english, entry in phrases().items():
        assert set(entry) <= set(LANGUAGES), english
        assert all(slots(text) <= slots(english) for text in entry.values()), english


def test_the_texts_that_scripts_name_are_there() -> None:
    known = set(catalogue("en")["texts"])
    files = [file for folder in ("", "lib", "areas/play") for file in STATIC.joinpath(folder).iterdir()]
    named = {key for file in files if file.name.endswith(".js")
             for key in re.findall(r'\bt\("([a-z]+\.[a-z_0-9]+)"', file.read_text("utf-8"))}  # fmt: skip
    assert len(named) > 60
    assert named - known == set()


def test_every_error_code_of_the_server_is_translated() -> None:
    folder = resources.files("joute.web")
    files = [
        file
        for part in ("", "routes", "arena")
        for file in folder.joinpath(part).iterdir()
        if file.name.endswith(".py")
    ]
    codes = {code for file in files for code in re.findall(r'PageError\(\s*"(\w+)"', file.read_text("utf-8"))}
    assert len(codes) > 20
    never_shown = {"bad_host", "bad_origin", "bad_method", "refused", "slow_body", "large_body"}
    assert codes - never_shown - {key.partition(".")[2] for key in areas()["error"]} == set()


def test_phrases_with_more_words_of_their_own_come_before_others_that_match_too() -> None:
    known = [english for english, _ in catalogue("fr")["phrases"]]
    for general, special in (
        ("{colour} of {player}", "click a group of your {species}, then a cell beside it"),
        ("{player} tower of {n}", "after {reply}, {move} {effect}"),  # an effect: wins the tower of five at d4
    ):
        assert known.index(special) < known.index(general)
