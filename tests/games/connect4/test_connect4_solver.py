"""The solver against a plain minimax, another solver, published counts, and itself."""

from __future__ import annotations

import fcntl
import functools
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from bitbully import BitBully, Board
from typed import New, analyst, info_of, known

from joute import Clock, agent, play_game
from joute._core import Connect4Book, Connect4BookWork, Connect4Solver
from joute.errors import IllegalMoveError, NotationError
from joute.games.connect4.book import BookError, make_book, shipped_book
from joute.games.connect4.state import Connect4, score_in_words

new = New(Connect4)

BOOK_POSITIONS = 1_724_187
BOOK_FILE = Path(str(sys.modules["joute.games.connect4"].__file__)).parent / "data" / "connect4.book"


def random_positions(size: int, plies: range, seed: int) -> list[Connect4]:
    """Positions of random play, plies in turn; decided ones included, finished ones not."""
    rng = random.Random(seed)
    found: list[Connect4] = []
    while len(found) < size:
        state = new("connect4")
        for _ in range(plies[len(found) % len(plies)]):
            if state.is_terminal:
                break
            state = state.play(rng.choice(state.legal_moves))
        if not state.is_terminal:
            found.append(state)
    return found


def minimax(state: Connect4, known: dict[Connect4, int]) -> int:
    """The score by definition: no window, no bound, no trick but remembering."""
    if state not in known:
        if state.result is not None:
            known[state] = state.result.score if state.to_move == 0 else -state.result.score
        else:
            known[state] = max(-minimax(state.play(move), known) for move in state.legal_moves)
    return known[state]


@functools.cache
def oracle() -> BitBully:
    return BitBully(opening_book="12-ply-dist")


def oracle_score(state: Connect4) -> int:
    return int(oracle().mtdf(Board([int(column) - 1 for column in state.position])))


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def test_late_positions_agree_with_plain_minimax() -> None:
    solver = Connect4Solver()
    for state in random_positions(120, range(26, 42), seed=1):
        known: dict[Connect4, int] = {}
        truth = minimax(state, known)
        assert solver.score(state) == truth
        assert solver.outcome(state) == sign(truth)
        assert solver.move_scores(state) == {move: -minimax(state.play(move), known) for move in state.legal_moves}


@pytest.mark.parametrize("plies", [range(12), range(12, 24), range(24, 41)], ids=["opening", "middle", "end"])
def test_hundreds_of_positions_of_every_phase_agree_with_another_solver(plies: range) -> None:
    solver = Connect4Solver(book=shipped_book())
    for state in random_positions(100, plies, seed=2):
        assert solver.score(state) == oracle_score(state), state.position


@pytest.mark.slow
def test_a_thousand_openings_agree_with_another_solver_without_our_book() -> None:
    solver = Connect4Solver()
    for state in random_positions(1000, range(8, 12), seed=3):
        assert solver.score(state) == oracle_score(state), state.position


def test_mirror_images_have_the_same_score() -> None:
    for state in random_positions(60, range(14, 30), seed=4):
        # A solver of its own for each, so that a shared entry cannot hide a difference.
        assert Connect4Solver().score(state) == Connect4Solver().score(state.transformed(1))


def assert_book_agrees(size: int, plies: range, seed: int) -> None:
    """On positions that only the book, or a search, can tell: no win in one for either side."""
    with_book, without = Connect4Solver(book=shipped_book()), Connect4Solver()
    open_positions = (
        state
        for state in random_positions(2 * size, plies, seed)
        if not state.winning_moves and not state.play(state.legal_moves[0]).winning_moves
    )
    for state in islice(open_positions, size):
        assert with_book.score(state) == without.score(state), state.position
        assert with_book.outcome(state) == without.outcome(state), state.position


def test_the_book_agrees_with_the_search() -> None:
    assert_book_agrees(15, range(10, 12), seed=5)


@pytest.mark.slow
def test_the_book_agrees_with_the_search_on_two_thousand_positions() -> None:
    assert_book_agrees(2000, range(8, 12), seed=6)


def test_the_census_of_ply_eight_is_the_published_one() -> None:
    """124,624 won, 14,676 drawn, 44,975 lost for the side to move (a published strong solution)."""
    solver = Connect4Solver(book=shipped_book())
    layer = {new("connect4")}
    for _ in range(8):
        layer = {state.play(move) for state in layer for move in state.legal_moves}
    assert Counter(map(solver.outcome, layer)) == {1: 124_624, 0: 14_676, -1: 44_975}


FIRST_MOVES = {"1": -2, "2": -1, "3": 0, "4": 1, "5": 0, "6": -1, "7": -2}


def first_moves(solver: Connect4Solver) -> dict[str, int]:
    return {str(move): score for move, score in solver.move_scores(new("connect4")).items()}


def test_the_seven_first_moves_have_their_known_scores() -> None:
    assert first_moves(Connect4Solver(book=shipped_book())) == FIRST_MOVES


@pytest.mark.slow
def test_the_seven_first_moves_have_their_known_scores_without_the_book() -> None:
    assert first_moves(Connect4Solver(threads=2)) == FIRST_MOVES


def test_scores_do_not_depend_on_threads_or_memory_or_what_is_remembered() -> None:
    states = random_positions(10, range(12, 16), seed=7)
    truth = [Connect4Solver().score(state) for state in states]
    for solver in (Connect4Solver(threads=2), Connect4Solver(threads=3, memory_mb=1), Connect4Solver(memory_mb=1)):
        assert [solver.score(state) for state in states] == truth
        assert [solver.score(state) for state in reversed(states)] == truth[::-1]
        solver.clear()
        assert solver.nodes == 0
        assert [solver.score(state) for state in states] == truth
        assert solver.nodes > 0


def test_a_large_search_with_threads_gives_the_same_score() -> None:
    state = new("connect4", "41752345")
    together = Connect4Solver(threads=2)
    assert together.score(state) == Connect4Solver().score(state) == oracle_score(state)
    assert together.nodes > 400_000  # a shorter search would have run alone


def test_several_threads_may_call_one_solver() -> None:
    states = random_positions(24, range(12, 16), seed=14)
    truth = [Connect4Solver().score(state) for state in states]
    solver = Connect4Solver()
    with ThreadPoolExecutor(4) as pool:
        scores = pool.map(solver.score, states)
        _ = [pool.submit(lambda: solver.nodes) for _ in range(20)]
        assert list(scores) == truth


def test_a_solver_without_memory_to_grow_goes_on() -> None:
    code = (
        "import resource, joute\n"
        "from joute._core import Connect4Solver\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "solver = Connect4Solver(memory_mb=1 << 20, threads=2)\n"
        "print(solver.score(joute.new('connect4', '41752345')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) == oracle_score(new("connect4", "41752345"))


def test_the_best_line_keeps_the_score_to_the_end() -> None:
    solver = Connect4Solver(book=shipped_book())
    for state in [new("connect4"), *random_positions(40, range(6, 36), seed=8)]:
        score = solver.score(state)
        end = state
        for move in solver.line(state):
            end = end.play(move)
        assert end.result is not None
        assert end.result.score == (score if state.to_move == 0 else -score)


def test_finished_and_decided_positions_have_a_score_too() -> None:
    solver = Connect4Solver()
    over = new("connect4", "1122334")
    assert (solver.score(over), solver.outcome(over), solver.move_scores(over), solver.line(over)) == (-18, -1, {}, [])
    assert solver.score(new("connect4", "112233")) == 18
    full = new("connect4", "236124344412413463261337212717557766765555")
    assert (solver.score(full), solver.outcome(full), solver.line(full)) == (0, 0, [])


def test_scores_are_told_in_words() -> None:
    state = new("connect4", "4")
    assert isinstance(state, Connect4)
    assert score_in_words(state, 0) == "draws"
    assert score_in_words(state, 1) == "wins at ply 42"
    assert score_in_words(state, -1) == "loses at ply 41"
    assert score_in_words(state, -18) == "loses at ply 7"
    over = new("connect4", "1122334")
    assert isinstance(over, Connect4)
    assert score_in_words(over, -18) == "has lost at ply 7"


def test_ctrl_c_ends_a_solver() -> None:
    for threads in (1, 2):
        code = (
            "import joute, _thread, threading\n"
            "from joute._core import Connect4Solver\n"
            "threading.Timer(1.0, _thread.interrupt_main).start()\n"
            f"try:\n    Connect4Solver(threads={threads}).move_scores(joute.new('connect4'))\n"
            "except KeyboardInterrupt:\n    print('stopped')\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.strip() == "stopped"


@pytest.mark.parametrize("options", [{"threads": 0}, {"memory_mb": 0}, {"threads": 2000}])
def test_impossible_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be 1 to"):
        Connect4Solver(**options)  # type: ignore[arg-type]


# --- The book ---


def test_the_shipped_book_is_small_and_complete() -> None:
    book = shipped_book()
    assert BOOK_FILE.stat().st_size <= 2_000_000
    assert book.plies == 11
    assert book.positions == BOOK_POSITIONS


@pytest.mark.slow
def test_a_book_of_eleven_plies_has_so_many_positions() -> None:
    assert len(Connect4BookWork(11)) == BOOK_POSITIONS


def test_a_book_is_the_same_however_often_its_making_is_killed(tmp_path: Path) -> None:
    """Kills `joute book` at random instants until it comes through, then compares with an undisturbed run."""
    whole = tmp_path / "whole.book"
    assert make_book(8, whole, threads=1, memory_mb=8, book=shipped_book())
    out = tmp_path / "killed.book"
    options = ["--plies", "8", "--out", str(out), "--memory-mb", "8"]
    command = [sys.executable, "-m", "joute", "book", "connect4", *options]
    part = out.with_name("killed.book.part")
    sizes = [0]
    while len(sizes) <= 3:
        making = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while making.poll() is None and (not part.exists() or part.stat().st_size <= sizes[-1]):
            time.sleep(0.001)
        making.send_signal(signal.SIGKILL)
        making.wait()
        assert not out.exists(), "the work was done before the kill"
        sizes.append(part.stat().st_size)
    assert sizes == sorted(set(sizes))  # each run went on where the last one was killed
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert out.read_bytes() == whole.read_bytes()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["killed.book", "whole.book"]
    book = Connect4Book(out.read_bytes())
    early, late = Connect4Solver(book=book), Connect4Solver(book=shipped_book())
    for state in random_positions(200, range(9), seed=10):
        assert early.score(state) == late.score(state)


def test_the_making_of_a_book_stops_at_its_time_limit_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "a.book"
    assert not make_book(6, out, threads=1, memory_mb=16, book=shipped_book(), time_limit_s=0)
    assert make_book(6, out, threads=2, memory_mb=16, book=shipped_book())
    assert Connect4Book(out.read_bytes()).plies == 6


def test_two_processes_do_not_work_on_one_book(tmp_path: Path) -> None:
    part = tmp_path / "a.book.part"
    with part.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BookError, match="another process is working on"):
            make_book(3, tmp_path / "a.book", threads=1, memory_mb=16, book=shipped_book())


def test_a_finished_book_is_not_made_again(tmp_path: Path) -> None:
    (tmp_path / "a.book").write_text("precious")
    with pytest.raises(BookError, match="already exists"):
        make_book(3, tmp_path / "a.book", threads=1, memory_mb=16, book=shipped_book())
    assert (tmp_path / "a.book").read_text() == "precious"


def test_a_work_file_killed_at_its_first_line_is_started_anew(tmp_path: Path) -> None:
    (tmp_path / "a.book.part").write_text("joute conn")
    assert make_book(3, tmp_path / "a.book", threads=1, memory_mb=16, book=shipped_book())


def test_a_work_file_of_other_work_is_left_alone(tmp_path: Path) -> None:
    part = tmp_path / "a.book.part"
    part.write_text("precious\n")
    with pytest.raises(BookError, match="belongs to another book"):
        make_book(3, tmp_path / "a.book", threads=1, memory_mb=16, book=shipped_book())
    assert part.read_text() == "precious\n"


def test_a_damaged_book_is_refused_with_a_sentence() -> None:
    good = BOOK_FILE.read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 4
    headers = []
    for byte in range(8, 64):  # every field behind the magic word
        headers.append(bytearray(good))
        headers[-1][byte] ^= 1
    for bad, why in (
        (b"", "too short"),
        (good[:30], "too short"),
        (b"x" * len(good), "not a connect4 book"),
        (good[:-1], "damaged"),
        (good + b"x", "damaged"),
        (bytes(flipped), "damaged"),
        *((bytes(header), "damaged") for header in headers),
    ):
        with pytest.raises(NotationError, match=why):
            Connect4Book(bad)


def test_a_book_of_no_such_ply_is_refused() -> None:
    for plies in (0, 14):
        with pytest.raises(NotationError, match="the ply of a connect4 book must be 1 to 13"):
            Connect4BookWork(plies)
    with pytest.raises(NotationError, match="one score for each position"):
        Connect4BookWork(3).pack(b"")


# --- The agent ---


def test_perfect_plays_the_fastest_win_and_the_slowest_loss() -> None:
    player = agent("perfect", game="connect4")
    solver = Connect4Solver(book=shipped_book())
    for state in random_positions(60, range(6, 40), seed=11):
        scores = solver.move_scores(state)
        assert scores[player.choose(state, Clock())] == max(scores.values())


def test_perfect_wins_its_own_game_with_the_last_disc_of_the_first_player() -> None:
    record = play_game("connect4", "perfect", "perfect")
    assert (record.winner, len(record.moves)) == (0, 41)


def test_styles_choose_among_equally_good_moves_only() -> None:
    solver = Connect4Solver(book=shipped_book())

    def best_moves(state: Connect4) -> set[object]:
        scores = solver.move_scores(state)
        return {move for move, score in scores.items() if score == max(scores.values())}

    state = next(state for state in random_positions(100, range(8, 16), seed=13) if len(best_moves(state)) == 3)
    best = best_moves(state)
    chosen = {style: {agent(f"perfect:style={style}", seed=s).choose(state, Clock()) for s in range(20)}
              for style in ("centre", "random", "trap")}  # fmt: skip
    assert chosen["random"] == best
    assert len(chosen["centre"]) == 1
    assert chosen["centre"] <= best
    assert chosen["trap"] <= best


def test_the_trap_style_leaves_the_fewest_good_replies() -> None:
    solver = Connect4Solver(book=shipped_book())

    def good_replies(state: Connect4) -> int:
        scores = list(solver.move_scores(state).values())
        return scores.count(max(scores)) if scores else 0

    player = agent("perfect:style=trap")
    for state in random_positions(25, range(6, 20), seed=12):
        scores = solver.move_scores(state)
        best = [move for move, score in scores.items() if score == max(scores.values())]
        assert good_replies(state.play(player.choose(state, Clock()))) == min(
            good_replies(state.play(move)) for move in best
        )


def test_an_analysis_lists_every_move_best_first() -> None:
    analysis = analyst("perfect", game="connect4").analyze(new("connect4", "44"))
    values = [known(judged.value) for judged in analysis.moves]
    assert values == sorted(values, reverse=True)
    assert len(values) == 7
    assert analysis.exact
    assert analysis.value == values[0]


def test_the_move_chosen_comes_first_in_the_analysis_and_begins_best_play() -> None:
    player = analyst("perfect", game="connect4")
    for state in random_positions(60, range(6, 30), seed=15):
        analysis = player.analyze(state)
        assert analysis.pv[0] == analysis.moves[0].move == player.choose(state, Clock())


def test_the_nodes_of_a_choice_are_its_own() -> None:
    player = agent("perfect:book=no", game="connect4")
    state = new("connect4", "335214253316")
    player.choose(state, Clock())
    first = known(info_of(player).nodes)
    player.choose(state, Clock())
    assert 0 < known(info_of(player).nodes) < first / 10


def test_there_is_no_move_to_choose_when_the_game_is_over() -> None:
    with pytest.raises(IllegalMoveError, match="the game is over"):
        agent("perfect").choose(new("connect4", "1122334"), Clock())
