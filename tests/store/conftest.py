"""Stores to test: one of each kind, and a fresh Git repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from loopx.store.memory import MemoryStore
from loopx.store.protocol import Store
from tests.support.clock import FakeClock


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the workspace of the test lies: a project's ``.loopx`` folder."""
    return tmp_path / "lab" / ".loopx"


@pytest.fixture
def repository(root: Path, clock: FakeClock) -> Iterator[GitStore]:
    """A new Git store."""
    store = create(root, clock=clock)
    yield store
    store.close()


@pytest.fixture(params=["git", "memory"])
def store(request: pytest.FixtureRequest, clock: FakeClock) -> Store:
    """A new store of each kind."""
    if request.param == "memory":
        return MemoryStore(clock=clock)
    made: GitStore = request.getfixturevalue("repository")
    return made
