"""Runs inside the sandbox and does what ordinary programs do: prints as JSON what failed, and how."""

import asyncio
import concurrent.futures
import ctypes
import grp
import json
import multiprocessing
import os
import pwd
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing.shared_memory import SharedMemory


def square(number):
    return number * number


def threads():
    done = []
    all_threads = [threading.Thread(target=done.append, args=(number,)) for number in range(4)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    assert sorted(done) == [0, 1, 2, 3]


def process_pools():
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]


def futures():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(square, range(3))) == [0, 1, 4]


def locks_and_queues():
    queue, lock = multiprocessing.Queue(), multiprocessing.Lock()
    with lock:
        queue.put(1)
    assert queue.get(timeout=30) == 1


def shared_memory():
    memory = SharedMemory(create=True, size=4096)
    memory.buf[0] = 1
    memory.close()
    memory.unlink()


def child_processes():
    assert subprocess.check_output(["/bin/sh", "-c", "echo $((6 * 7))"]) == b"42\n"
    assert subprocess.check_output([sys.executable, "-c", "print(1)"]) == b"1\n"


def temporary_files():
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(bytes(1 << 20))
    with open(os.path.expanduser("~/file"), "w") as file:
        file.write("x")


def databases():
    with sqlite3.connect("/tmp/own.db") as base:
        base.execute("CREATE TABLE t (a)")


def callbacks():
    libc = ctypes.CDLL(None)
    numbers = (ctypes.c_int * 3)(3, 1, 2)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    libc.qsort(numbers, 3, 4, compare(lambda one, two: one[0] - two[0]))
    assert list(numbers) == [1, 2, 3]


def local_sockets():
    one, two = socket.socketpair()
    one.send(b"x")
    assert two.recv(1) == b"x"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        server.accept()[0].send(b"x")
        assert client.recv(1) == b"x"
    assert socket.gethostbyname("localhost") == "127.0.0.1"
    assert socket.if_nameindex()


def event_loops():
    async def told():
        process = await asyncio.create_subprocess_exec("/bin/echo", "x", stdout=-1)
        return (await process.communicate())[0]

    assert asyncio.run(told()) == b"x\n"


def own_files():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "data", "private.txt")) as file:
        assert file.read() == "mine"
    assert os.getcwd() == here


def times():
    assert time.localtime().tm_year > 2000
    time.get_clock_info("monotonic")


def arrays():
    try:
        import numpy
    except ImportError:
        return
    assert (numpy.ones((200, 200)) @ numpy.ones((200, 200)))[0, 0] == 200


def users():
    assert pwd.getpwuid(os.getuid()).pw_name == grp.getgrgid(os.getgid()).gr_name == "agent"
    assert os.environ["USER"] == "agent"


NEEDS = (
    threads, process_pools, futures, locks_and_queues, shared_memory, child_processes, temporary_files, databases,
    callbacks, local_sockets, event_loops, own_files, times, arrays, users,
)  # fmt: skip


def main():
    print("ready", flush=True)
    sys.stdin.readline()
    failed = {}
    for need in NEEDS:
        try:
            need()
        except Exception as error:
            failed[need.__name__] = repr(error)
    print(json.dumps(failed), flush=True)


if __name__ == "__main__":
    main()
