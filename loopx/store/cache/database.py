"""The SQLite file under the cache: opened, found unusable, made anew.

Base of the table groups beside it. Nothing in the file is the only copy of anything, so whatever is wrong with it is
answered by an empty one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopx.errors import LoopxError
from loopx.store.cache.schema import TABLES, VERSION

_BUSY_MILLISECONDS = 5000
_BESIDE = ("-wal", "-shm", "-journal")


class Database:
    """One connection. Nothing is written for others to see outside :meth:`begin` and :meth:`commit`, except singly."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._connection = _opened(path)

    @property
    def is_kept(self) -> bool:
        """Whether the rows outlive this process; not so in memory or where the folder cannot be written."""
        return self._path is not None and self._connection.execute("PRAGMA database_list").fetchone()[2] != ""

    def begin(self) -> None:
        """Start a set of changes that this connection sees at once and others only after :meth:`commit`."""
        self._run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._run("COMMIT")

    def rollback(self) -> None:
        """Throw the changes since :meth:`begin` away; without one, nothing."""
        if self._connection.in_transaction:
            self._run("ROLLBACK")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Inside :meth:`begin`: what is done within is thrown away when it raises, and only that."""
        self._run("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK TO part")
            self._run("RELEASE part")
            raise
        self._run("RELEASE part")

    def clear(self) -> None:
        """Inside :meth:`begin`: drop every row, to be filled anew."""
        for (name,) in self._all("SELECT name FROM sqlite_master WHERE type = 'table'"):
            self._run(f"DELETE FROM {name}")

    def reset(self) -> None:
        """Empty the cache: the answer to ``cache-broken``."""
        self.close()
        _remove(self._path)
        self._connection = _opened(self._path)

    def close(self) -> None:
        self._connection.close()

    def _run(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute one statement. Raises ``cache-busy`` or ``cache-broken``."""
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _all(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _first(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return next(iter(self._all(statement, values)), None)

    def _told(self, error: sqlite3.Error) -> LoopxError:
        if _is_busy(error):
            return LoopxError("cache-busy", f"Another process is writing {self._path}.")
        return LoopxError("cache-broken", f"{self._path or 'the cache in memory'}: {error}.")


def _is_busy(error: sqlite3.Error) -> bool:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _fresh(":memory:")
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError:
        return _fresh(":memory:")
    try:
        return _sound(path)
    except sqlite3.Error as error:
        if _is_busy(error):
            # Sound, but in another's hands for longer than is worth waiting: rows live as long as this process.
            return _fresh(":memory:")
    try:
        _remove(path)
        return _sound(path)
    except (sqlite3.Error, OSError):
        # A folder that cannot be written.
        return _fresh(":memory:")


def _sound(path: Path) -> sqlite3.Connection:
    """A connection to a cache of this version at ``path``, new if there is none; raises :class:`sqlite3.Error`."""
    connection = _connected(str(path))
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _adopt(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _adopt(connection: sqlite3.Connection) -> None:
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Asked again: another process may have made the tables while this one waited.
    found = _version(connection)
    if found == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        _make_tables(connection)
    elif found != VERSION:
        raise sqlite3.DatabaseError(f"version {found}")
    connection.execute("COMMIT")


def _fresh(name: str) -> sqlite3.Connection:
    connection = _connected(name)
    _make_tables(connection)
    return connection


def _connected(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(connection: sqlite3.Connection) -> None:
    statement = ""
    for line in TABLES.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _remove(path: Path | None) -> None:
    if path is not None:
        for each in (str(path), *(f"{path}{suffix}" for suffix in _BESIDE)):
            if os.path.lexists(each):
                os.unlink(each)
