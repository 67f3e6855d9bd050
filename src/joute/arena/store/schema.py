"""The SQL tables of a tournament's file, and the migrations from earlier schema versions."""

from __future__ import annotations

import functools
import sqlite3

from joute.arena.players.own_files import APPLICATION_ID as APPLICATION_ID

SCHEMA_VERSION = 4

_ENTRIES = """
CREATE TABLE entries (  -- copies of agents in a frozen tournament
    agent INTEGER PRIMARY KEY REFERENCES agents,
    source TEXT NOT NULL,  -- JSON: how the agent is started, relative to its copy
    sha256 TEXT NOT NULL,  -- of the archive
    archive BLOB NOT NULL  -- ZIP
);
"""

_CHECKS = """
CREATE TABLE checks (  -- the latest admission test of each agent of a watched folder
    agent TEXT PRIMARY KEY,  -- as in agents.source
    sha256 TEXT NOT NULL,  -- of all its files
    passed INTEGER NOT NULL,  -- 1 or 0
    detail TEXT NOT NULL,  -- why it failed
    checked TEXT NOT NULL
);
"""

_NODES = """
CREATE TABLE nodes (  -- machines of a cluster, one row per session
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions,
    name TEXT NOT NULL,
    cores INTEGER NOT NULL,
    workers INTEGER NOT NULL,  -- games in parallel
    threads INTEGER NOT NULL,  -- cores of a game
    speed REAL,  -- iterations per second of a search; NULL without clocks
    reference_speed REAL,  -- the speed that the clocks of the plan refer to
    clock_factor REAL NOT NULL,  -- of the clocks on this node
    failures INTEGER NOT NULL,
    games_lost INTEGER NOT NULL,  -- played again elsewhere
    busy_s REAL NOT NULL,  -- the time of its games, added up
    note TEXT NOT NULL,  -- why it was left out, or has other clocks
    began TEXT NOT NULL,
    seen TEXT NOT NULL
);
"""

SCHEMA = f"""
CREATE TABLE tournament (  -- one row
    plan TEXT NOT NULL,  -- JSON
    command TEXT NOT NULL,  -- creates the same tournament again
    note TEXT NOT NULL,  -- remarks about openings and agents, for the user
    created TEXT NOT NULL
);
CREATE TABLE sessions (  -- one row per start or resumption
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    joute TEXT NOT NULL,
    python TEXT NOT NULL,
    platform TEXT NOT NULL,
    cores INTEGER NOT NULL,
    workers INTEGER NOT NULL,
    note TEXT NOT NULL  -- a warning, e.g. more workers than cores
);
CREATE TABLE agents (
    id INTEGER PRIMARY KEY,  -- from 0
    name TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,  -- built-in, python, program, remote or unknown
    clock TEXT NOT NULL,
    sha256 TEXT  -- of the agent's file; NULL without one
);
CREATE TABLE openings (
    id INTEGER PRIMARY KEY,  -- from 0
    position TEXT NOT NULL
);
{_ENTRIES}
{_CHECKS}
{_NODES}
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions,
    first INTEGER NOT NULL REFERENCES agents,
    second INTEGER NOT NULL REFERENCES agents,
    opening INTEGER NOT NULL REFERENCES openings,
    seed TEXT NOT NULL,  -- decimal: it may exceed SQLite's integers
    outcome INTEGER NOT NULL,  -- for the first player: 1 won, 0 drawn, -1 lost
    score INTEGER NOT NULL,
    margin INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    plies INTEGER NOT NULL,
    start_outcomes TEXT NOT NULL,  -- chance outcomes before the first move
    isolation_first TEXT NOT NULL,
    isolation_second TEXT NOT NULL,
    output_first TEXT NOT NULL,  -- the agent's standard error, shortened
    output_second TEXT NOT NULL,
    overhead_s REAL NOT NULL,  -- the time of the game besides the agents' thinking
    started TEXT NOT NULL,
    finished TEXT NOT NULL,
    clock_first TEXT NOT NULL DEFAULT 'none',
    clock_second TEXT NOT NULL DEFAULT 'none',
    settings_first TEXT NOT NULL DEFAULT '',  -- what it played with besides its own settings, as key=value,…
    settings_second TEXT NOT NULL DEFAULT '',
    node INTEGER REFERENCES nodes  -- NULL on the driver's machine
);
CREATE TABLE moves (
    game INTEGER NOT NULL REFERENCES games,
    ply INTEGER NOT NULL,  -- from 0 at the opening
    player INTEGER NOT NULL,
    move TEXT NOT NULL,
    time_s REAL NOT NULL,
    outcomes TEXT NOT NULL,  -- chance outcomes after the move
    told INTEGER NOT NULL,  -- 1 if the agent gave search information
    value REAL,  -- for the mover, in the agent's own unit
    depth INTEGER,
    nodes INTEGER,
    pv TEXT NOT NULL,  -- moves, as a JSON list; empty for none
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
"""

# In version 1 all games of an agent had the clock that the table of agents names.
_CLOCKS_OF_AGENTS = tuple(f"(SELECT clock FROM agents WHERE id = games.{side})" for side in ("first", "second"))

_NO_SETTINGS = ", '' AS settings_first, '' AS settings_second"

#: The SQL that adds the columns of a game that files of earlier versions lack, by the version of the file.
MISSING_COLUMNS = {
    1: f", {_CLOCKS_OF_AGENTS[0]} AS clock_first, {_CLOCKS_OF_AGENTS[1]} AS clock_second{_NO_SETTINGS}",
    2: _NO_SETTINGS,
    3: _NO_SETTINGS,
    4: "",
}

#: The SQL that migrates a file to the next version, by the file's version.
MIGRATIONS = {
    1: f"""
    {_ENTRIES}
    ALTER TABLE games ADD COLUMN clock_first TEXT NOT NULL DEFAULT 'none';
    ALTER TABLE games ADD COLUMN clock_second TEXT NOT NULL DEFAULT 'none';
    UPDATE games SET clock_first = {_CLOCKS_OF_AGENTS[0]}, clock_second = {_CLOCKS_OF_AGENTS[1]};
    """,
    2: _CHECKS,
    3: f"""
    {_NODES}
    ALTER TABLE games ADD COLUMN settings_first TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN settings_second TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN node INTEGER REFERENCES nodes;
    """,
}

_TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}


@functools.cache
def column_types(table: str) -> dict[str, tuple[type, ...]]:
    """The Python types of the values that a table of `SCHEMA` may hold, by column.

    SQLite stores a value of any type in any column: sqlite.org/flexibletypeaffinity.html. A file that somebody changed
    therefore may hold text where the schema says REAL.
    """
    with sqlite3.connect(":memory:") as empty:
        empty.executescript(SCHEMA)
        rows = empty.execute('SELECT name, type, "notnull" OR pk FROM pragma_table_info(?)', (table,)).fetchall()
    empty.close()
    return {name: _TYPES[kind] if is_required else (*_TYPES[kind], type(None)) for name, kind, is_required in rows}
