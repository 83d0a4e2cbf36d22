"""A workspace with one Goal in a project of its own, which must stay as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lab import Lab
from tests.support.project import Project


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    project = Project.make(tmp_path / "lab")
    before = project.snapshot()
    made = Lab.make_in(project)
    made.goal()
    yield made
    made.close()
    project.assert_untouched(before)
