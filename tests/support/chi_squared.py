"""Whether counts are what chance makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def chi_squared(counts: Mapping[Any, int], expected: Mapping[Any, float]) -> None:
    """Whether counts fit what is expected; the bound is far beyond chance (p < 1e-6)."""
    assert set(counts) <= set(expected)
    statistic = sum((counts.get(item, 0) - mean) ** 2 / mean for item, mean in expected.items())
    freedom = len(expected) - 1
    assert statistic < freedom + 7 * (2 * freedom) ** 0.5 + 15
