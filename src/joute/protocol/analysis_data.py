"""An analysis as data for programs: what ``joute analyze --json`` prints and the analysis service answers.

Every value names the player whose view it takes. The unit of a value is in `unit`; a share of wins is in [0, 1].
docs/analysis.md describes every field, and analysis_schema.json states their types.
"""

from __future__ import annotations

from typing import Any

from joute.agents import Analysis, Analyst, Clock, MoveValue, SearchInfo
from joute.agents.search import verdict_without_moves
from joute.games import State
from joute.match.player import ask
from joute.numbers import finite, is_decided

#: The fields of an analysis that a request may ask for, in the order in which answers have them.
FIELDS = (
    "game",
    "position",
    "to_move",
    "agent",
    "seed",
    "unit",
    "value_for_mover",
    "outcome_for_mover",
    "win_share_for_mover",
    "win_share_for_first",
    "verdict",
    "exact",
    "moves",
    "pv",
    "depth",
    "nodes",
    "iterations",
    "seconds",
)

# The unit of values that are shares of wins.
_WIN_SHARE = "win share"
# The beginnings of verdicts that state a known outcome. A verdict with `_UNPROVEN` in it states a belief.
_OUTCOMES = {"wins": 1, "draws": 0, "loses": -1, "has won": 1, "has drawn": 0, "has lost": -1}
_UNPROVEN = "not proven"


def analysis_data(analysis: Analysis, state: State, *, lines: int | None = None) -> dict[str, Any]:
    """Return the fields of FIELDS that the position and its analysis determine; with `lines`, so many moves."""
    return {
        "game": state.spec,
        "position": state.position,
        "to_move": state.to_move,
        "unit": analysis.unit,
        **_values(analysis.value, analysis.verdict, analysis.unit, state.to_move),
        "verdict": analysis.verdict,
        "exact": analysis.exact,
        "moves": [_move_data(judged, analysis.unit, state.to_move) for judged in analysis.moves[:lines]],
        "pv": [str(move) for move in analysis.pv],
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "iterations": analysis.iterations,
    }


def _move_data(judged: MoveValue, unit: str, mover: int) -> dict[str, Any]:
    return {
        "move": str(judged.move),
        **_values(judged.value, judged.verdict, unit, mover),
        "verdict": judged.verdict,
        "visits": judged.visits,
        "line": [str(move) for move in judged.pv],
    }


def _values(value: float | None, verdict: str, unit: str, mover: int) -> dict[str, float | None]:
    value, outcome = finite(value), proven_outcome(verdict)
    share = value if unit == _WIN_SHARE else None
    if outcome is not None:
        share = (1 + outcome) / 2
    elif value is not None and is_decided(value):  # seen by a search that leaves moves out
        share = 1.0 if value > 0 else 0.0
    return {
        "value_for_mover": value,
        "outcome_for_mover": outcome,
        "win_share_for_mover": share,
        "win_share_for_first": share if share is None or mover == 0 else 1 - share,
    }


def proven_outcome(verdict: str) -> int | None:
    """Return the outcome that a verdict states as known: 1 for a win, 0 for a draw, -1 for a loss; else None.

    >>> [proven_outcome(verdict) for verdict in ("wins in 5 plies", "draws", "does not lose", "wins, not proven")]
    [1, 0, None, None]
    >>> proven_outcome("has lost"), proven_outcome("")
    (-1, None)
    """
    if _UNPROVEN in verdict:
        return None
    words = verdict.replace(",", " ").split()
    return _OUTCOMES.get(" ".join(words[:2]), _OUTCOMES.get(words[0]) if words else None)


def older_names(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that ``--json`` also has under the names of version 0.1: `value`, here and in each move."""
    moves = [{"value": judged["value_for_mover"], **judged} for judged in data["moves"]]
    return {"value": data["value_for_mover"], "moves": moves}


def analyzed(analyst: Any, spec: str, state: State, **options: Any) -> Analysis:
    """Return an agent's analysis; for an agent without `analyze`, one made of its chosen move and its search info.

    `options` are those of `Analyst.analyze`. MisconductError if an agent without `analyze` fails.
    """
    if isinstance(analyst, Analyst):
        return analyst.analyze(state, **options)
    if state.is_terminal or state.is_chance:
        return Analysis(None, verdict_without_moves(state), (), (), exact=state.is_terminal)
    seconds = options.get("seconds")
    move, _ = ask(analyst, spec, state, Clock(move_limit_s=seconds) if seconds else Clock())
    told = getattr(analyst, "info", None)
    info = told if isinstance(told, SearchInfo) else SearchInfo()
    value = finite(info.value_for_mover)
    chosen = MoveValue(move, value, "is its choice", pv=info.pv or (move,))
    return Analysis(
        value, f"plays {move}", (chosen,), chosen.pv, exact=False, unit="value", depth=info.depth, nodes=info.nodes
    )


def selected(data: dict[str, Any], fields: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the wanted fields of an analysis, in the order of FIELDS; all of them if `fields` is None."""
    return {name: data[name] for name in FIELDS if fields is None or name in fields}
