"""A lab for every test of the workspace, and the oracle that the project around it stayed as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab.make(tmp_path / "lab")
    before = made.project.snapshot()
    yield made
    made.close()
    made.project.assert_untouched(before)
