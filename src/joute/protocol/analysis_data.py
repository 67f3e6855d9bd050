"""An analysis as data for programs: what ``joute analyze --json`` prints and the analysis service answers.

Every value names the player whose view it takes. The unit of a value is in `unit`; a share of wins is in [0, 1]. A win
probability is a proven result, or a value by the calibration of the game's engine; other agents have none.
docs/analysis.md describes every field, and analysis_schema.json states their types.
"""

from __future__ import annotations

from typing import Any

from joute.agents import Analysis, Analyst, Clock, MoveValue, SearchInfo
from joute.agents.search import verdict_without_moves
from joute.agents.win_probability import WIN_SHARE, analysis_probability, is_calibrated, move_probability
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
    "win_probability_for_mover",
    "win_probability_for_first",
    "verdict",
    "exact",
    "moves",
    "pv",
    "depth",
    "nodes",
    "iterations",
    "seconds",
)

# The beginnings of verdicts that state a known outcome. A verdict with `_UNPROVEN` in it states a belief.
_OUTCOMES = {"wins": 1, "draws": 0, "loses": -1, "has won": 1, "has drawn": 0, "has lost": -1}
_UNPROVEN = "not proven"


def analysis_data(analysis: Analysis, state: State, *, agent: str, lines: int | None = None) -> dict[str, Any]:
    """Return the fields of FIELDS that the position and its analysis determine; with `lines`, so many moves.

    `agent` is the spec of the agent that made the analysis.
    """
    # A game that is over is exact. A value that is neither exact nor calibrated has no probability.
    is_known = analysis.exact or is_calibrated(state.game, unit=analysis.unit, agent=agent)
    chance = analysis_probability(state, analysis, agent=agent) if is_known else None
    return {
        "game": state.spec,
        "position": state.position,
        "to_move": state.to_move,
        "unit": analysis.unit,
        **_values(analysis.value, analysis.verdict, analysis.unit, state, chance),
        "verdict": analysis.verdict,
        "exact": analysis.exact,
        "moves": [
            _move_data(
                judged, analysis, state, move_probability(state, analysis, judged, agent=agent) if is_known else None
            )
            for judged in analysis.moves[:lines]
        ],
        "pv": [str(move) for move in analysis.pv],
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "iterations": analysis.iterations,
    }


def _move_data(judged: MoveValue, analysis: Analysis, state: State, chance: float | None) -> dict[str, Any]:
    return {
        "move": str(judged.move),
        **_values(judged.value, judged.verdict, analysis.unit, state, chance),
        "verdict": judged.verdict,
        "visits": judged.visits,
        "line": [str(move) for move in judged.pv],
    }


def _values(
    value: float | None, verdict: str, unit: str, state: State, chance: float | None
) -> dict[str, float | None]:
    """The values for both views; `chance` is the win probability of the first player if one is known."""
    value, outcome = finite(value), proven_outcome(verdict)
    share = value if unit == WIN_SHARE else None
    if outcome is not None:
        share = (1 + outcome) / 2
        chance = _turned(share, state)
    elif value is not None and is_decided(value):  # seen by a search that leaves moves out
        share = 1.0 if value > 0 else 0.0
        chance = _turned(share, state)
    return {
        "value_for_mover": value,
        "outcome_for_mover": outcome,
        "win_share_for_mover": share,
        "win_share_for_first": _turned(share, state),
        "win_probability_for_mover": _turned(chance, state),
        "win_probability_for_first": chance,
    }


def _turned(share: float | None, state: State) -> float | None:
    """A share of the mover as that of the first player, or the other way round."""
    return share if share is None or state.to_move == 0 else 1 - share


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
