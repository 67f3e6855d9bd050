"""The store of a tournament that grows: new entrants, new versions of agents, more openings, and admission tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.store.database import explained, version_of
from joute.arena.store.frozen import FrozenCopy
from joute.arena.store.rows import agent_values, check_types, insert, now, storable
from joute.arena.store.store import Store, fingerprint


@dataclass(frozen=True)
class AgentCheck:
    """The admission test of an agent: the SHA-256 of its files, whether it passed, and why not."""

    sha256: str
    passed: bool
    detail: str = ""


class GrowingStore(Store):
    """The file of a tournament whose plan can be replaced by one that has grown from it."""

    def grow(
        self, plan: Plan, sources: Mapping[int, Source], openings: tuple[str, ...], entries: Mapping[int, FrozenCopy]
    ) -> None:
        """Replace the plan by one that has grown from it, in one transaction.

        `sources` and `entries` belong to the entrants that are new or have a new file; `openings` are all openings.
        """
        with self._transaction():
            for index, (before, after) in enumerate(zip(self.plan.entrants, plan.entrants, strict=False)):
                if before.name != after.name:
                    self._rename(index, before.name, after.name)
            for index, source in sources.items():
                entry = entries.get(index)
                sha256 = entry.fingerprint if entry else fingerprint(source)
                for table, column in (("entries", "agent"), ("agents", "id")):
                    self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (index,))
                insert(self._connection, "agents", [agent_values(plan, index, source.kind, sha256)])
                if entry:
                    insert(self._connection, "entries", [{"agent": index, **entry.values()}])
            known = len(self.openings)
            starts = ({"id": known + index, "position": each} for index, each in enumerate(openings[known:]))
            insert(self._connection, "openings", starts)
            self._connection.execute("UPDATE tournament SET plan = ?", (json.dumps(plan.as_data()),))
        self.plan, self.schedule, self.openings = plan, plan.make_schedule(), openings

    def _rename(self, agent: int, before: str, after: str) -> None:
        """Give an agent another name, also in the details of its games, which begin with the name of an agent."""
        before, after = storable(before), storable(after)
        self._connection.execute("UPDATE agents SET name = ? WHERE id = ?", (after, agent))
        games = self._connection.execute(
            "SELECT number, first, second, detail FROM games WHERE first = :agent OR second = :agent", {"agent": agent}
        ).fetchall()
        for row in games:
            other = self.plan.entrants[row["first"] + row["second"] - agent].name
            parts = [
                f"{after}{part.removeprefix(before)}"
                if part.startswith((f"{before} ", f"{before}:"))
                and not (len(other) > len(before) and part.startswith((f"{other} ", f"{other}:")))
                else part
                for part in row["detail"].split("; ")
            ]
            values = ("; ".join(parts), row["number"])
            self._connection.execute("UPDATE games SET detail = ? WHERE number = ?", values)

    def has_played(self, agent: int) -> bool:
        """Whether a game of an agent is stored."""
        with explained(self.path):
            found = self._connection.execute("SELECT 1 FROM games WHERE first = ?1 OR second = ?1 LIMIT 1", (agent,))
            return found.fetchone() is not None

    def checks(self) -> dict[str, AgentCheck]:
        """The latest admission test of each agent of a watched folder, by the agent's text."""
        with explained(self.path):
            if version_of(self._connection) < 3:
                return {}
            rows = self._connection.execute("SELECT agent, sha256, passed, detail FROM checks").fetchall()
            for row in rows:
                check_types(row, "checks")
            return {row["agent"]: AgentCheck(row["sha256"], bool(row["passed"]), row["detail"]) for row in rows}

    def keep_check(self, agent: str, check: AgentCheck) -> None:
        """Store the result of an admission test in place of an earlier one."""
        with self._transaction():
            self._connection.execute("DELETE FROM checks WHERE agent = ?", (storable(agent),))
            values = {"sha256": check.sha256, "passed": int(check.passed), "detail": storable(check.detail)}
            insert(self._connection, "checks", [{"agent": storable(agent), **values, "checked": now()}])
