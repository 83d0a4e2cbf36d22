"""A lab for every test of the workspace, and the oracle that the project around it stayed as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.kernel.commands import CompleteTodo, DecideGate, OpenGate
from loopx.model.actor import Channel
from tests.support.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab.make(tmp_path / "lab")
    before = made.project.snapshot()
    yield made
    made.close()
    made.project.assert_untouched(before)


@pytest.fixture(scope="session")
def furnished_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose workspace has a Goal with two Todos, one done, an approved Gate, and pages that show it all."""
    lab = Lab.make(tmp_path_factory.mktemp("furnished") / "lab")
    lab.goal("beta", "Ten people use it")
    lab.todo("Write the guide")
    lab.submit(CompleteTodo(todo=lab.todo("Record the demo")))
    gate = lab.submit(OpenGate(goal="beta", scope="production:goal:deploy", question="May it go live?"))
    approve = DecideGate(
        gate=gate.receipt.result["id"], verb="approve", reason="Fine", channel=Channel.TERMINAL, confirmed=True
    )
    lab.submit(approve)
    lab.ws.pages.ensure_schemas()
    lab.ws.render(wait=True)
    lab.close()
    return lab.project.root


@pytest.fixture
def furnished(furnished_project: Path, tmp_path: Path) -> Iterator[Lab]:
    """A copy of :func:`furnished_project` for one test."""
    lab = Lab.copied(furnished_project, tmp_path / "furnished")
    before = lab.project.snapshot()
    yield lab
    lab.close()
    lab.project.assert_untouched(before)
