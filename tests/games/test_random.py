"""The generator: the same numbers everywhere, and no bias."""

from __future__ import annotations

from collections import Counter

import pytest

from joute import Random


def test_a_seed_gives_the_same_numbers_on_every_machine() -> None:
    """xoshiro256++ seeded by SplitMix64, computed here from the published definitions."""

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & mask

    mask = 2**64 - 1
    seed, words = 42, []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        words.append(z ^ (z >> 31))
    rng = Random(42)
    for _ in range(100):
        expected = (rotl((words[0] + words[3]) & mask, 23) + words[0]) & mask
        shifted = (words[1] << 17) & mask
        words[2] ^= words[0]
        words[3] ^= words[1]
        words[1] ^= words[2]
        words[0] ^= words[3]
        words[2] ^= shifted
        words[3] = rotl(words[3], 45)
        assert rng.next() == expected


def test_bounded_numbers_are_uniform() -> None:
    rng = Random(1)
    counts = Counter(rng.below(7) for _ in range(70_000))
    assert sorted(counts) == list(range(7))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 40


def test_fractions_lie_in_the_unit_interval() -> None:
    rng = Random(2)
    values = [rng.uniform() for _ in range(10_000)]
    assert 0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1
    assert sum(values) / len(values) == pytest.approx(0.5, abs=0.02)


def test_an_empty_choice_is_an_error() -> None:
    with pytest.raises(IndexError):
        Random(0).choice([])
    with pytest.raises(ValueError, match="bound must be at least 1"):
        Random(0).below(0)
