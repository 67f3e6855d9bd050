"""A made-up report with every measure and every figure, and made-up results of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from joute.arena.measures import PlyMeasure
from joute.match.statistics import wilson_interval
from joute.reproduce.experiments import Contestant, Expectation, Experiment, Finding, Omitted, Paper, Tally
from joute.reproduce.results import (
    AgentResult,
    Batch,
    Mean,
    PairingResult,
    Results,
    RowResult,
)

MCTS, TUNED, RAVE = "MCTS", "UCB1-Tuned", "RAVE"


def expects(text: str) -> Expectation:
    return Expectation.parse(text)


def pairing(a: str, b: str, wins: int, draws: int, losses: int, **changes: Any) -> PairingResult:
    """Games of which A moved first in half, and won in as many again as it lost."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games
    low, high = wilson_interval(score, games)
    first = (wins // 2, draws // 2, losses // 2)
    result = PairingResult(
        a,
        b,
        as_first=first,
        as_second=(wins - first[0], draws - first[1], losses - first[2]),
        score=score,
        low=low,
        high=high,
        trials=games,
        distinct=games,
        plies=Mean(games, 30.0 * games, 930.0 * games),
        margin=Mean(games, 2.0 * games, 13.0 * games),
        decided_by={"four in a row": (wins, 0, losses)},
    )
    return dataclasses.replace(result, **changes)


def player(name: str, spec: str, wins: int, draws: int, losses: int, **changes: Any) -> AgentResult:
    games = wins + draws + losses
    score = (wins + draws / 2) / games
    low, high = wilson_interval(score, games)
    plies = tuple(PlyMeasure(ply, games, 0.002 - 0.00004 * ply, 5 + ply / 4, 4000.0) for ply in range(0, 30, 2))
    moves = 15 * games
    depths = {"": Mean(games, 8.0 * games, 65.0 * games), "10-20": Mean(games, 9.0 * games, 82.0 * games)}
    result = AgentResult(
        name, spec, "none", wins, draws, losses, score, low, high, moves=moves, time_s=0.0021 * moves, plies=plies,
        nodes=4000.0, nodes_a_move=Mean(games, 4000.0 * games, 1.61e7 * games), depths=depths,
    )  # fmt: skip
    return dataclasses.replace(result, **changes)


def _batches(games: int, shares: tuple[float, ...]) -> tuple[Batch, ...]:
    return tuple(Batch(games, share * games, (0.002 + share / 1000, 0.003)) for share in shares)


MATCH = Experiment(
    name="tuned",
    title="MCTS against UCB1-Tuned",
    claim="UCB1-Tuned is the stronger of both.",
    agents=(Contestant(MCTS, "mcts:iterations=1000"), Contestant(TUNED, "mcts:policy=ucb1-tuned,iterations=1000")),
    findings=(
        Finding("score", (MCTS, TUNED), Tally(45, 1, 54), expects("below 0.5"), note="The report counts wins <only>."),
        Finding("first_score", (), 0.6, expects("above 0.5")),
        Finding("draws", (MCTS, TUNED), 0.01),
        Finding("decided_by", (MCTS, TUNED), "nearly all", by="four in a row"),
        Finding("lost_by", (MCTS, TUNED), Tally(2, 0, 0), by="four in a row"),
        Finding("plies", (), 29.5),
        Finding("margin", (TUNED, MCTS), expects=expects("above 0")),
        Finding("time_ms", (MCTS,), 143.0),
        Finding("time_ratio", (TUNED, MCTS), 1.1, expects("above 1")),
        Finding("depth", (MCTS,), 7.5),
        Finding("nodes", (MCTS,), 1200),
        Finding("trend", (MCTS, TUNED), "grows", expects("above 0")),
        Finding("won_by", (MCTS, TUNED), "in each game", expects("above 0.98"), margin=3),
        Finding("depth_lead", (TUNED, MCTS), "deeper", expects("above 0"), plies=(10, 20)),
        Finding("nodes_ratio", (TUNED, MCTS)),
        Finding("node_exponent", (TUNED, MCTS), "the square root", expects("about 0.5 ± 0.05")),
    ),
    game="connect4",
    games={"quick": 40, "full": 400},
    start_games={"quick": 20, "full": 100},
    figures=("scores", "batches", "depth", "time", "times"),
    about="The report's `c` is multiplied by √2 twice; both are ours.\nNothing is scaled.",
)

SOLID = Experiment(
    name="fixed",
    title="Two searches that draw no lots",
    claim="Depth 4 beats depth 2.",
    agents=(Contestant("depth 4", "alphabeta:depth=4"), Contestant("depth 2", "alphabeta:depth=2")),
    findings=(Finding("score", ("depth 4", "depth 2"), Tally(10, 0, 0), expects("above 0.5")),),
    game="connect4",
    games={"quick": 20, "full": 200},
    start_games={"quick": 2, "full": 2},
    clock="900",
    time_scale={"quick": 0.0005, "full": 0.001},
    deterministic=True,
    figures=("scores",),
)

CURVE = Experiment(
    name="growth",
    title="RAVE as simulations grow",
    claim="RAVE helps while simulations are few.",
    agents=tuple(
        Contestant(f"{name} {count}", f"mcts:iterations={count}", x=count)
        for count in (100, 400, 1600)
        for name in (RAVE, MCTS)
    ),
    findings=(
        Finding("score", ("RAVE 100", "MCTS 100"), Tally(60, 0, 40), expects("above 0.5")),
        Finding("score", ("RAVE 400", "MCTS 400"), Tally(55, 0, 45), expects("above 0.5")),
    ),
    game="connect4",
    games={"quick": 20, "full": 200},
    figures=("scores", "curve"),
    x_label="simulations a move",
)

SETS = ("bold", "neutral", "careful", "plain", "random")

LEAGUE = Experiment(
    name="sets",
    title="Five sets of parameters",
    claim="The bold set scores most.",
    agents=tuple(Contestant(name, f"greedy:set={place}") for place, name in enumerate(SETS)),
    findings=(
        *(
            Finding("points", (name,), total)
            for name, total in zip(SETS, (164.0, 152.0, 145.0, 120.0, 21.0), strict=True)
        ),
        Finding("points_lead", tuple(SETS[:2])),
        Finding("gain", ("bold", "plain", "neutral", "random")),
        Finding("first_gain", ("bold", "plain", "neutral", "random")),
    ),
    game="connect4",
    schedule="round-robin",
    games={"quick": 10, "full": 40},
    points=(3.0, 1.0, 0.0),
    figures=("points", "ratings"),
)

ERRORS = Experiment(
    name="errors",
    title="Mistakes by ply",
    claim="RAVE errs less than MCTS.",
    agents=(Contestant(MCTS, "mcts"), Contestant(RAVE, "mcts:rave=yes")),
    findings=(Finding("failures", (RAVE,), expects=expects("below 0.3")), Finding("failures", (MCTS,))),
    kind="mistakes",
    game="connect4",
    games={"quick": 30, "full": 300},
    figures=("failures",),
)

REPORT = Paper(
    "connect4",
    "A made-up report on Connect Four, by nobody, 2026",
    (MATCH, SOLID, CURVE, LEAGUE, ERRORS),
    discussion="MCTS scored {tuned.1} & more.\n\nAt depth 4: {fixed.1}.",
    omitted=(Omitted("It beats <people>.", "Nobody here plays it."),),
)


def _match_rows() -> tuple[RowResult, ...]:
    specs = [agent.spec for agent in MATCH.agents]
    start = pairing(MCTS, TUNED, 46, 2, 52, as_first=(32, 1, 17), as_second=(14, 1, 35))
    openings = pairing(
        MCTS, TUNED, 150, 10, 240, batches=_batches(100, (0.35, 0.42, 0.36, 0.42)), reasons={"time": 3},
        margins={"5": 100, "3": 20, "2": 30, "0": 10, "-4": 237},
    )  # fmt: skip
    return (
        RowResult("start", 100, (player(MCTS, specs[0], 46, 2, 52), player(TUNED, specs[1], 52, 2, 46)), (start,)),
        RowResult(
            "openings",
            400,
            (
                player(MCTS, specs[0], 150, 10, 240, forfeits=3),
                player(
                    TUNED,
                    specs[1],
                    240,
                    10,
                    150,
                    time_s=15.0,
                    nodes=400.0,
                    nodes_a_move=Mean(400, 160000.0, 6.5e7),
                    depths={"10-20": Mean(400, 4400.0, 48800.0)},
                ),
            ),
            (openings,),
            note="90 openings were used in turn",
        ),
    )


def _solid_rows() -> tuple[RowResult, ...]:
    deep, shallow = SOLID.agents
    return tuple(
        RowResult(
            protocol,
            games,
            (
                player(deep.name, deep.spec, *tally, clock="0.9"),
                player(shallow.name, shallow.spec, *tally[::-1], clock="0.9"),
            ),
            (pairing(deep.name, shallow.name, *tally),),
        )
        for protocol, games, tally in (("start", 2, (1, 0, 1)), ("openings", 200, (130, 10, 60)))
    )


def _curve_rows() -> tuple[RowResult, ...]:
    tallies = {100: (130, 0, 70), 400: (100, 0, 100), 1600: (70, 0, 130)}
    agents = [
        player(agent.name, agent.spec, *tallies[int(agent.x or 0)][:: 1 if agent.name.startswith(RAVE) else -1])
        for agent in CURVE.agents
    ]
    pairings = tuple(pairing(f"RAVE {count}", f"MCTS {count}", *tally) for count, tally in tallies.items())
    return (RowResult("openings", 600, tuple(agents), pairings),)


def _league_rows() -> tuple[RowResult, ...]:
    elos = ((80.0, 20.0, 140.0), (40.0, -10.0, 90.0), (30.0, -20.0, 80.0), (-50.0, -100.0, 0.0), (None, None, -300.0))
    agents = tuple(
        player(agent.name, agent.spec, 120 - 30 * place, 10, 30 + 30 * place, elo=elo)
        for place, (agent, elo) in enumerate(zip(LEAGUE.agents, elos, strict=True))
    )
    pairings = tuple(
        pairing(one, other, 22 + place, 2, 16 - place) for place, one in enumerate(SETS) for other in SETS[place + 1 :]
    )
    return (RowResult("openings", 400, agents, pairings),)


def _error_rows() -> tuple[RowResult, ...]:
    agents = tuple(
        AgentResult(
            agent.name,
            agent.spec,
            moves=300,
            time_s=0.6,
            failures=failures,
            failures_by_ply={str(ply): (10, max(0, failures // 30 - ply // 6)) for ply in range(4, 34)},
        )
        for agent, failures in zip(ERRORS.agents, (150, 60), strict=True)
    )
    return (RowResult("openings", 300, agents),)


RESULTS = Results(
    scale="full",
    seed=1,
    joute="1.2.3",
    machine="2 cores of a made-up machine",
    command="joute reproduce connect4 --scale full",
    rows={
        "connect4": {
            "tuned": _match_rows(),
            "fixed": _solid_rows(),
            "growth": _curve_rows(),
            "sets": _league_rows(),
            "errors": _error_rows(),
        }
    },
)
