"""One workspace made once and copied; one daemon for all tests that only save, another for each that breaks things."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.watched import Watched


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched.template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def watched(template: Watched, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A workspace all tests share, its daemon running. Tests leave every file accepted."""
    made = Watched.copied(template, tmp_path_factory.mktemp("watched")).start()
    yield made
    made.stop()


@pytest.fixture
def own(template: Watched, tmp_path: Path) -> Iterator[Watched]:
    """A workspace of the test's own; the test starts the daemon."""
    made = Watched.copied(template, tmp_path)
    yield made
    made.stop()
