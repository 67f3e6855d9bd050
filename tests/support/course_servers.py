"""Servers of a course's agents, ours and theirs, and a course's referee."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import threading
import time
import xmlrpc.client
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xmlrpc.server import SimpleXMLRPCServer

from joute import new
from joute._core import Random
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.games import State
from joute.match.player import Player
from joute.protocol.course import find_server_course
from joute.protocol.course_agent import CourseAgent
from joute.protocol.xml_rpc import Server

TIMEOUT_S = 60.0  # against hanging; nothing takes as long
_DROPS = 1000
AVALAM = find_server_course("avalam")
START = new("avalam")
GOOD = AVALAM.percepts(START)

# A document whose entities make it larger than it is.
BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@contextlib.contextmanager
def served(agent: str | Path, game: str = "avalam") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """An agent, served by the command; its address and the process."""
    command = [sys.executable, "-m", "joute", "course", game, "--agent", str(agent), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://localhost:\d+", said)
            assert found, (said, process.stderr and process.stderr.read())
            yield found[0], process
        finally:
            process.kill()


@contextlib.contextmanager
def listening(agent: CourseAgent) -> Iterator[str]:
    """A server in a thread of this process."""
    with Server("localhost", 0, {"play": agent.play, "initialize": agent.initialize}) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://localhost:{server.port}"
        finally:
            server.shutdown()
            thread.join()
            agent.close()


@contextlib.contextmanager
def course_agent(agent: object) -> Iterator[str]:
    """A server that the course's own way starts: the methods of an object."""
    with SimpleXMLRPCServer(("localhost", 0), allow_none=True, logRequests=False) as server:
        server.register_instance(agent)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def answering(play: Callable[..., Any]) -> contextlib.AbstractContextManager[str]:
    """A course's agent that answers with what a function gives."""
    return course_agent(SimpleNamespace(play=play))


@contextlib.contextmanager
def writing(*pieces: bytes, drops: bytes = b"", hold: bool = False) -> Iterator[tuple[str, threading.Event]]:
    """Somebody who answers every request with some bytes, then in drops, and then holds the line or hangs up.

    The event is set when the other end hangs up while it rains.
    """

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    asked = b""
                    while b"</methodCall>" not in asked and (data := connection.recv(1 << 16)):
                        asked += data
                    if not asked:
                        continue  # who only looked whether we are there
                    for piece in pieces:
                        connection.sendall(piece)
                    for _ in range(_DROPS if drops else 0):
                        time.sleep(0.01)
                        try:
                            connection.sendall(drops)
                        except OSError:
                            gone.set()
                            break
                    if hold:
                        over.wait(TIMEOUT_S)

    over, gone = threading.Event(), threading.Event()
    with socket.create_server(("localhost", 0)) as listener:
        thread = threading.Thread(target=serve, args=[listener])
        thread.start()
        try:
            yield f"http://localhost:{listener.getsockname()[1]}", gone
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def posted(body: bytes, *headers: str) -> bytes:
    head = "\r\n".join(("POST /RPC2 HTTP/1.1", "Host: localhost", *(headers or (f"Content-Length: {len(body)}",))))
    return f"{head}\r\n\r\n".encode() + body


def seated(url: str, isolation: Isolation | None = None) -> Player:
    return make_player(find_source(f"xmlrpc:{url}", "avalam"), "theirs", "avalam", isolation or Isolation())


def state_after(state: State, plies: int, seed: int = 1) -> State:
    dice = Random(seed)
    for _ in range(plies):
        state = state.play(state.random_move(dice))
    return state


# A course's referee, written from the course's rules alone: nothing of Joute's is in it but the servers it calls.


def start_board() -> list[list[int]]:
    spans = ((2, 3), (1, 4), (1, 6), (1, 8), (0, 8), (0, 7), (2, 7), (4, 7), (5, 6))
    board = [[0] * 9 for _ in range(9)]
    for i, (first, last) in enumerate(spans):
        for j in range(first, last + 1):
            board[i][j] = 0 if (i, j) == (4, 4) else (-1) ** (i + j)
    return board


def actions(board: list[list[int]]) -> list[tuple[int, int, int, int]]:
    return [
        (i, j, k, m)
        for i in range(9)
        for j in range(9)
        for k in range(max(0, i - 1), min(9, i + 2))
        for m in range(max(0, j - 1), min(9, j + 2))
        if (i, j) != (k, m) and board[i][j] and board[k][m] and abs(board[i][j]) + abs(board[k][m]) <= 5
    ]


def score(board: list[list[int]]) -> int:
    towers = [tower for row in board for tower in row if tower]
    difference = sum((tower > 0) - (tower < 0) for tower in towers)
    return difference or sum((tower == 5) - (tower == -5) for tower in towers)


def referee(urls: Sequence[str], credit_s: float | None) -> tuple[list[tuple[int, int, int, int]], int]:
    """A game between two servers: its moves and its score."""
    agents = [xmlrpc.client.ServerProxy(url, allow_none=True) for url in urls]
    credits_s = [credit_s, credit_s]
    board = start_board()
    played: list[tuple[int, int, int, int]] = []
    while legal := actions(board):
        side = len(played) % 2
        percepts = {"m": board, "rows": 9, "columns": 9, "max_height": 5}
        began = time.monotonic()
        action: Any = agents[side].play(percepts, (1, -1)[side], len(played) + 1, credits_s[side])
        if (left_s := credits_s[side]) is not None:
            credits_s[side] = left_s - (time.monotonic() - began)
        i, j, k, m = action
        assert (i, j, k, m) in legal
        height = abs(board[i][j]) + abs(board[k][m])
        board[k][m] = height if board[i][j] > 0 else -height
        board[i][j] = 0
        played.append((i, j, k, m))
    for agent in agents:
        agent("close")()
    return played, score(board)
