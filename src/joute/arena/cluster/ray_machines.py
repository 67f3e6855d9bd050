"""A Ray cluster: connects, checks that strangers cannot, and starts a host on each machine. Nothing else imports Ray.

A host is an actor that reserves the cores of its games, so that Ray gives them to nobody else. When the driver ends,
however it ends, Ray ends its actors, and the kernel the workers below them.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from joute._core import one_line
from joute.arena.cluster.guard import MODE, TOKEN, UNGUARDED, AnyHost, Guard, asks_for_a_token
from joute.arena.cluster.host import Host
from joute.arena.cluster.machines import LostError, Machine, Reply
from joute.errors import JouteError, SpecError
from joute.system import usable_cores

# The address that stands for a cluster of this machine alone, and for the running cluster of this machine.
_LOCAL, _AUTO = "local", "auto"

# The resource by which Ray marks the head of a cluster.
_HEAD = "node:__internal_head__"
# Seconds for a process of Ray to start.
_START_S = 120.0
# Calls to a host: one waits for news, one gives games, and one ends it.
_CALLS_AT_ONCE = 4
# Seconds for hosts to end by themselves and remove the agents' files.
_ENDING_S = 10.0


@contextlib.contextmanager
def connected(address: str, host: type[AnyHost] | None = None) -> Iterator[RayMachines]:
    """The cluster at an address; JouteError if there is none, Ray is missing, or strangers may use the cluster.

    `host`: the class of the actors on the machines; by default a `Host` that insists on a token.
    """
    if not address:
        raise SpecError(f"--ray needs an address: {_AUTO}, {_LOCAL} or HOST:PORT")
    # Ray reads the environment when it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address == _LOCAL and os.environ.get(MODE) is None:
        os.environ[MODE] = "token"
        os.environ.setdefault(TOKEN, secrets.token_hex(32))  # known to this process and those below it
    ray = _ray()
    try:
        _connect(ray, address)
        _check_security(ray)
        token = os.environ.pop(TOKEN, None)  # agents on this machine must not inherit it; Ray has read it
        try:
            yield RayMachines(ray, host or _GuardedHost)
        finally:
            os.environ |= {TOKEN: token} if token else {}
    finally:
        ray.shutdown()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise JouteError(
            f"Ray is not installed ({one_line(error)}); install it with: pip install 'joute[ray]'"
        ) from error
    return ray


def _connect(ray: Any, address: str) -> None:
    if address.startswith("ray://"):
        raise SpecError(
            f"{address} is the address of Ray's client, which cannot be used; run the command on a machine of the "
            "cluster, with --ray auto"
        )
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address == _LOCAL:
            ray.init(address=_LOCAL, num_cpus=len(usable_cores()), include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:
        if address == _LOCAL:
            raise JouteError(f"Ray cannot be started: {_reason(error)}") from error
        where = "on this machine" if address == _AUTO else f"at {address}"
        hint = f"start one, with the same token here and there and {MODE}=token (docs/cluster.md)"
        raise JouteError(
            f"there is no Ray cluster {where} that lets this command in ({_reason(error)}); {hint}"
        ) from error


def _check_security(ray: Any) -> None:
    """JouteError unless the cluster asks everyone for a token: its ports are open on all addresses of its machines."""
    if not asks_for_a_token():
        raise JouteError(f"this command was started without {MODE}=token; {UNGUARDED}")
    ask = ray.remote(num_cpus=0)(asks_for_a_token)
    try:
        heads = [node["NodeID"] for node in ray.nodes() if node["Alive"] and _HEAD in node["Resources"]]
        is_guarded = all(
            ray.get([ask.options(scheduling_strategy=_on(head)).remote() for head in heads], timeout=_START_S)
        )
    except ray.exceptions.RayError as error:
        raise JouteError(f"the head of the Ray cluster does not answer: {_reason(error)}") from error
    if not (heads and is_guarded):
        raise JouteError(f"the head of the Ray cluster was started without {MODE}=token; {UNGUARDED}")


def _on(node: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node, soft=False)


class _GuardedHost(Guard, Host):
    """A host on a node that asks for a token."""


class RayMachines:
    """The machines of a Ray cluster."""

    def __init__(self, ray: Any, host: type[AnyHost]) -> None:
        self._ray = ray
        self._host = ray.remote(host)
        self._actors: dict[str, Any] = {}
        self._calls: dict[Any, tuple[str, str]] = {}

    def present(self) -> Sequence[Machine]:
        """The machines that are alive and have cores; JouteError if the head of the cluster is gone."""
        try:
            nodes = self._ray.nodes()
        except Exception as error:  # of Ray's transport, which has no class of its own
            raise JouteError(f"the head of the Ray cluster does not answer: {_reason(error)}") from error
        return [_machine(node) for node in nodes if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def share(self, value: object) -> Any:
        """A reference to a value in Ray's object store."""
        return self._ray.put(value)

    def open(self, machine: Machine, cores: int, host: str = "") -> None:
        """Start a host with cores of a machine."""
        self._actors[host or machine.id] = self._host.options(
            num_cpus=cores, max_concurrency=_CALLS_AT_ONCE, scheduling_strategy=_on(machine.id)
        ).remote()

    def call(self, host: str, method: str, *arguments: object) -> None:
        """Call a method of a host."""
        reference = getattr(self._actors[host], method).remote(*arguments)
        self._calls[reference] = host, method

    def replies(self, timeout_s: float) -> list[Reply]:
        """The replies that have come; waits for the first."""
        if not self._calls:
            time.sleep(timeout_s)
            return []
        ready, _ = self._ray.wait(list(self._calls), timeout=timeout_s, fetch_local=False)
        if ready:
            ready, _ = self._ray.wait(list(self._calls), num_returns=len(self._calls), timeout=0, fetch_local=False)
        return [self._reply(reference, *self._calls.pop(reference)) for reference in ready]

    def _reply(self, reference: Any, host: str, method: str) -> Reply:
        exceptions = self._ray.exceptions
        try:
            return Reply(host, method, self._ray.get(reference))
        except exceptions.RayTaskError as error:
            return Reply(host, method, None, error.cause if isinstance(error.cause, Exception) else error)
        except exceptions.RayError as error:
            return Reply(host, method, None, LostError(_reason(error)))

    def close(self, host: str) -> None:
        """End a host by force."""
        for reference in [each for each, (of, _) in self._calls.items() if of == host]:
            del self._calls[reference]
        self._ray.kill(self._actors.pop(host))

    def end(self) -> None:
        """End all hosts: by themselves, which removes the agents' files, or by force if they do not end soon."""
        endings = [actor.end.remote() for actor in self._actors.values()]
        if endings:
            self._ray.wait(endings, num_returns=len(endings), timeout=_ENDING_S)
        for host in list(self._actors):
            self.close(host)


def _machine(node: Mapping[str, Any]) -> Machine:
    return Machine(node["NodeID"], node["NodeManagerHostname"], int(node["Resources"]["CPU"]))


def _reason(error: Exception) -> str:
    """The first line of a Ray error that says something."""
    lines = [line.strip() for line in str(error).splitlines()]
    return one_line(next(filter(None, lines), type(error).__name__))
