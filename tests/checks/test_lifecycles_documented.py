"""The reference page shows the lifecycles the kernel decides by, all of them and nothing else."""

from __future__ import annotations

import re

import pytest

from docs.generate.commands import commands
from loopx.kernel import commands as proposals
from loopx.kernel.authority import TABLE
from loopx.kernel.transitions import TABLES
from loopx.model.entities import CLASSES
from loopx.model.fields import marks
from loopx.model.kind import Kind
from tests.support.source import ROOT


def section(kind: Kind) -> str:
    page = (ROOT / "docs/reference/transitions.md").read_text(encoding="utf-8")
    return page.split(f"\n## {kind}\n")[1].split("\n## ")[0]


def arrows(kind: Kind) -> set[tuple[str, str]]:
    return {(str(before), str(after)) for before, after in TABLES[kind]}


OF_RUNS = {Kind.RUN, Kind.STEP}
"""Moved by the loop, by the tables of ``kernel.plans``: no command names one of their moves."""


def test_every_kind_with_a_status_of_its_own_has_a_lifecycle() -> None:
    assert set(TABLES) | OF_RUNS == {kind for kind, cls in CLASSES.items() if "status" in marks(cls)}


@pytest.mark.parametrize("kind", TABLES)
def test_the_table_on_the_page_is_the_kernels(kind: Kind) -> None:
    rows = [line.strip("| ").split(" | ") for line in section(kind).splitlines() if line.startswith("| ")]
    assert {(row[0], row[1]) for row in rows[2:]} == arrows(kind)


@pytest.mark.parametrize("kind", TABLES)
def test_the_diagram_has_an_arrow_a_transition(kind: Kind) -> None:
    drawn = re.findall(r"^  (\w+) --> (\w+): (.+)$", section(kind), re.MULTILINE)
    assert {(before, after) for before, after, _ in drawn} == arrows(kind)
    assert len(drawn) == len(arrows(kind))


def test_every_transition_is_reached_by_a_command_that_exists() -> None:
    typed = {path.removeprefix("loopx ") for path, _ in commands()}
    wanted = {each for lifecycle in TABLES.values() for line in lifecycle.values() for each in line.commands}
    assert wanted <= typed


def test_authority_is_settled_for_every_proposal() -> None:
    assert set(TABLE) == set(proposals.by_name())
