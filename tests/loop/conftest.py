"""A workspace for runs that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A new workspace in a project of its own."""
    made = Lab.make(tmp_path / "project")
    yield made
    made.close()
