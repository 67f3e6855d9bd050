"""`joute.AnalysisClient`: results, partial results, cancellations, errors, and services that die."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ugi_session import TIMEOUT_S

import joute
from joute import AnalysisClient, JouteError, Random, new
from joute.protocol.analysis_client import AnalysisCancelledError
from joute.protocol.analysis_service import Service


@pytest.fixture(scope="module")
def client() -> Iterator[AnalysisClient]:
    with AnalysisClient("connect4", agent="mcts:iterations=50", jobs=2) as made:
        yield made


def test_a_position_is_a_text_or_a_state(client: AnalysisClient) -> None:
    expected = client.analyze("44", timeout=TIMEOUT_S)
    assert (expected["kind"], expected["position"], expected["iterations"]) == ("final", "44", 50)
    for same in (
        client.submit(new("connect4", "44")),
        client.submit(moves=["4", "4"]),
        client.submit(moves=[new("connect4").legal_moves[3]] * 2),
        client.submit("4", moves=["4"]),
    ):
        assert same.result(TIMEOUT_S)["moves"] == expected["moves"]
        assert same.done
    quoridor = client.analyze(new("quoridor:rules=course"), nodes=50, agent=None, lines=1)
    assert (quoridor["game"], len(quoridor["moves"])) == ("quoridor:rules=course", 1)


def test_several_plies_have_several_results(client: AnalysisClient) -> None:
    pending = client.submit(moves=["4", "4", "3"], plies=[3, 0, 1], fields=["position"])
    assert [answer["position"] for answer in pending.results(TIMEOUT_S)] == ["", "4", "443"]
    with pytest.raises(JouteError, match="the request has 3 results, one for each ply"):
        pending.result(TIMEOUT_S)
    assert len(client.submit(moves=["4", "4"], plies="all").results(TIMEOUT_S)) == 3


def test_partial_results_are_followed_up_to_the_final_one(client: AnalysisClient) -> None:
    answers = list(client.submit(agent="mcts", seconds=0.5, report_every_s=0.1, fields=["iterations"]))
    assert [answer["kind"] for answer in answers[-2:]] == ["partial", "final"]
    counts = [answer["iterations"] for answer in answers]
    assert counts == sorted(counts)


def test_many_positions_are_yielded_as_they_are_ready(client: AnalysisClient) -> None:
    rng = Random(1)
    states = [new("connect4", str(rng.below(7) + 1) * (number % 6)) for number in range(300)]
    found = list(client.analyze_many(states, iterations=5, agent="mcts", fields=["position"]))
    assert sorted(answer["position"] for _, answer in found) == sorted(state.position for state in states)
    assert all(isinstance(state, joute.State) and state.position == answer["position"] for state, answer in found)
    requests: list[dict[str, Any]] = [{"moves": ["4"] * number, "plies": "all"} for number in range(5)]
    assert len(list(client.analyze_many(requests, fields=[]))) == 1 + 2 + 3 + 4 + 5


def test_endless_requests_are_taken_as_they_are_needed(client: AnalysisClient) -> None:
    taken = 0

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield {"moves": []}

    answers = client.analyze_many(endless(), fields=[])
    for _ in range(10):
        next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert 10 <= taken <= 100


def test_a_cancelled_request_raises(client: AnalysisClient) -> None:
    pending = client.submit(agent="mcts", seconds=1000)
    with pytest.raises(TimeoutError, match=f"request {pending.id} is not answered after 0.01 s"):
        pending.result(0.01)
    assert repr(pending) == f"<request {pending.id}, in progress>"
    pending.cancel()
    with pytest.raises(AnalysisCancelledError, match="was cancelled"):
        pending.result(TIMEOUT_S)
    with pytest.raises(AnalysisCancelledError):
        list(pending)
    pending.cancel()  # too late, and no mistake
    both = [client.submit(agent="mcts", seconds=1000) for _ in range(3)]
    client.cancel_all()
    for each in both:
        with pytest.raises(AnalysisCancelledError):
            each.result(TIMEOUT_S)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"game": "conect4"}, "unknown game 'conect4'; did you mean 'connect4'?"),
        ({"moves": ["4", "9"]}, "illegal move 9 at ply 1 of connect4"),
        ({"moves": ["9"], "plies": [0, 1]}, "illegal move 9 at ply 0 of connect4"),
        ({"nods": 3}, "unknown request field 'nods'; did you mean 'nodes'?"),
        ({"nodes": float("nan")}, "the request cannot be written as JSON"),
        ({"lines": {1}}, "the request cannot be written as JSON"),
        ({"id": 3}, "a request needs an id"),
        ({"position": "4" * 5_000_000}, "the request has 5,000,03"),
    ],
)
def test_an_error_is_a_joute_error_with_the_sentence(
    client: AnalysisClient, fields: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(JouteError, match=sentence.replace("?", r"\?")):
        client.submit(**fields).results(TIMEOUT_S)
    assert client.analyze(timeout=TIMEOUT_S)["kind"] == "final"


def test_an_error_ends_many(client: AnalysisClient) -> None:
    requests = ({"moves": ["9"] if number == 20 else ["4"]} for number in range(1000))
    with pytest.raises(JouteError, match="illegal move 9"):
        list(client.analyze_many(requests))


def test_an_id_in_progress_is_refused_here(client: AnalysisClient) -> None:
    pending = client.submit(id="mine", agent="mcts", seconds=1000)
    with pytest.raises(JouteError, match="the id 'mine' is that of a request in progress"):
        client.submit(id="mine")
    pending.cancel()
    with pytest.raises(AnalysisCancelledError):
        pending.result(TIMEOUT_S)
    assert client.submit(id="mine").result(TIMEOUT_S)["id"] == "mine"


def test_games_and_jobs_are_told(client: AnalysisClient) -> None:
    assert client.jobs == 2
    told = {each["game"]: each for each in client.games()}
    assert told["connect4"]["agent"] == "perfect"


def test_threads_share_a_client(client: AnalysisClient) -> None:
    found: list[str] = []

    def ask(column: int) -> None:
        for _ in range(20):
            found.append(client.analyze(str(column), fields=["position"], timeout=TIMEOUT_S)["position"])

    threads = [threading.Thread(target=ask, args=(column,)) for column in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert sorted(found) == sorted("1234" * 20)


def test_a_service_that_dies_is_told() -> None:
    with AnalysisClient("connect4", jobs=1) as client:
        pending = client.submit(agent="mcts", seconds=1000)
        assert client._process is not None
        client._process.kill()
        with pytest.raises(JouteError, match="the analysis service has ended by signal 9"):
            pending.result(TIMEOUT_S)
        with pytest.raises(JouteError, match="the analysis service has ended by signal 9"):
            client.submit()


def test_a_service_that_does_not_start_says_why() -> None:
    with (
        AnalysisClient("conect4") as client,
        pytest.raises(JouteError, match="has ended with status 2: joute: unknown game 'conect4'; did you mean"),
    ):
        client.analyze(timeout=TIMEOUT_S)


def test_the_end_of_the_context_ends_the_service_and_its_searches() -> None:
    with AnalysisClient("connect4", agent="mcts", jobs=1) as client:
        pending = [client.submit(seconds=1000) for _ in range(5)]
        process = client._process
        assert process is not None
    assert process.returncode == 0
    for each in pending:
        with pytest.raises(JouteError):
            each.result(0)
    with pytest.raises(JouteError, match="the analysis service has ended"):
        client.submit()
    client.close()


def test_a_client_attaches_to_streams() -> None:
    input_fd, to_service = os.pipe()
    from_service, output_fd = os.pipe()
    service = Service(input_fd=input_fd, output_fd=output_fd, jobs=1, game="dice", agent="mcts:iterations=20")
    thread = threading.Thread(target=service.run, daemon=True)
    thread.start()
    with open(from_service, "rb") as answers, open(to_service, "wb") as requests:
        with AnalysisClient.attach(answers, requests) as client:
            assert client.analyze(timeout=TIMEOUT_S)["game"] == "dice"  # a game that only this process knows
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()
        os.close(output_fd)
        client._listener.join(TIMEOUT_S)
        with pytest.raises(JouteError, match="the analysis service has ended"):
            client.submit()
    os.close(input_fd)


def test_other_lines_than_those_of_a_service_are_told() -> None:
    from_nobody, output_fd = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with open(from_nobody, "rb") as answers, open(nowhere, "wb") as requests:
        client = AnalysisClient.attach(answers, requests)
        pending = client.submit()
        os.write(output_fd, b"Welcome!\n")
        with pytest.raises(JouteError, match="its last line could not be read: JSONDecodeError"):
            pending.result(TIMEOUT_S)
        os.close(output_fd)


def test_another_version_of_the_protocol_is_refused() -> None:
    from_service, output_fd = os.pipe()
    input_fd, to_service = os.pipe()
    with open(from_service, "rb") as answers, open(to_service, "wb") as requests, open(input_fd, "rb") as asked:
        client = AnalysisClient.attach(answers, requests)

        def answer() -> None:
            id = json.loads(asked.readline())["id"]
            told = {"id": id, "kind": "version", "joute": "9.9", "protocol": 9, "jobs": 1}
            os.write(output_fd, f"{json.dumps(told)}\n".encode())

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(JouteError, match="the service speaks version 9 of the protocol, not 1"):
            _ = client.jobs
        os.close(output_fd)


def test_the_client_is_one_of_joute_s_names() -> None:
    assert "AnalysisClient" in joute.__all__
    assert "AnalysisClient" in dir(joute)
