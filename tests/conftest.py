"""One fixed environment for every test: home folder, Git configuration, person, time zone, locale, width, seed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.clock import FakeClock
from tests.support.environment import hermetic, temporary_root
from tests.support.ids import FixedIds
from tests.support.project import Project

# A search for counterexamples must come out the same on every machine, so it keeps no database and no time limit.
settings.register_profile(
    "loopx",
    database=None,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("loopx")

# What tests and modules compile to is kept for the next process, whatever the machine's owner prefers.
sys.dont_write_bytecode = False

# Nothing here pulls the plug, so nothing is waited for on a disk; what is flushed and when is seen in the calls.
os.fsync = lambda fd: None

_homes = pytest.StashKey[Path]()
_number = count()


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are processors: some tests wait, for an editor or for a file to be settled."""
    return (yield) + 1


def pytest_configure(config: pytest.Config) -> None:
    root = temporary_root()
    if root is not None:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = root
    config.stash[_homes] = Path(tempfile.mkdtemp(prefix="loopx-tests-", dir=root))
    _enter(hermetic(config.stash[_homes] / "collection"))


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_homes], ignore_errors=True)


def _enter(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()


@pytest.fixture(autouse=True)
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home folder of the test's own, in an environment that is put back afterwards."""
    before = dict(os.environ)
    folder = request.config.stash[_homes] / str(next(_number))
    _enter(hermetic(folder))
    yield folder
    _enter(before)


@pytest.fixture
def no_git_identity(home: Path) -> None:
    """A machine on which nobody told Git who they are."""
    (home / "gitconfig").write_text("")


@pytest.fixture
def clock() -> FakeClock:
    """A clock that moves only when waited on or advanced."""
    return FakeClock()


@pytest.fixture
def ids() -> FixedIds:
    """Ids that can be foretold."""
    return FixedIds()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A Git project with one committed file and no workspace yet."""
    return Project.make(tmp_path / "lab")
