"""The reference pages show how steps, runs and failures move, all of it and nothing else, by the kernel's tables."""

from __future__ import annotations

import re
from functools import cache

import pytest

from docs.generate.strategies import failure_after, goes_to
from loopx.kernel.plans import failures, runs, steps
from loopx.model.step import ExecutionState, FailureStatus, FailureType, RecoveryStrategy, Role, StepStatus
from tests.support.source import ROOT


@cache
def section(page: str, name: str) -> str:
    text = (ROOT / f"docs/reference/{page}.md").read_text(encoding="utf-8")
    return text.split(f"\n## {name}\n")[1].split("\n## ")[0]


def drawn(name: str) -> dict[tuple[str, str], str]:
    """The arrows of a section's diagram, and what is written at each."""
    found = re.findall(r"^  (\w+|\[\*\]) --> (\w+)(?:: (.+))?$", section("transitions", name), re.MULTILINE)
    assert len({(before, after) for before, after, _ in found}) == len(found)
    return {(before, after): label for before, after, label in found if before != "[*]"}


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:2] == "| "]


def test_the_diagram_of_steps_has_an_arrow_a_move_with_its_roles() -> None:
    told = {(before.value, after.value): {each.value for each in roles} for (before, after), roles in moves().items()}
    assert {arrow: set(label.split(", ")) for arrow, label in drawn("step").items()} == told


def moves() -> dict[tuple[StepStatus, StepStatus], frozenset[Role]]:
    return dict(steps.TRANSITIONS)


@pytest.mark.parametrize("role", Role)
def test_the_matrix_says_of_a_role_what_the_table_does(role: Role) -> None:
    heads, _, new, *lines = rows(section("transitions", "step"))
    column = heads.index(f"`{role}`")
    told = {(line[0], after) for line in lines for after in line[column].split(", ") if after != "·"}
    assert told == {(before.value, after.value) for (before, after), roles in moves().items() if role in roles}
    made = {each.value for each, roles in steps.CREATION.items() if role in roles}
    assert {each for each in new[column].split(", ") if each != "·"} == made


def test_what_asks_for_more_than_a_role_is_said() -> None:
    told = re.findall(r"^- (\w+), from (\w+) to (\w+): only with (.+)$", section("transitions", "step"), re.MULTILINE)
    wanted = {
        (role.value, before.value, after.value, steps.condition(before, after, role).value)
        for (before, after), roles in moves().items()
        for role in roles
        if steps.condition(before, after, role) is not steps.Condition.NONE
    }
    assert len(wanted) == 2
    assert set(told) == wanted


def test_runs_and_failures_are_drawn_as_they_turn() -> None:
    turns = {
        (one.value, other.value) for one in ExecutionState for other in ExecutionState if runs.may_turn(one, other)
    }
    assert set(drawn("run")) == turns
    told = {(one, other) for one, *_, cell in rows(section("transitions", "run"))[2:] for other in cell.split(", ")}
    assert {each for each in told if each[1] != "it has ended"} == turns
    ends = {one for one, other in told if other == "it has ended"}
    assert ends == {each.value for each in ExecutionState if each.is_terminal}
    pairs = {(one.value, other.value) for one in FailureStatus for other in failures.TRANSITIONS[one]}
    assert set(drawn("failure")) == pairs


@pytest.mark.parametrize("strategy", RecoveryStrategy)
def test_every_strategy_says_what_it_asks_does_and_leaves(strategy: RecoveryStrategy) -> None:
    told = dict(rows(section("strategies", strategy))[2:])
    assert list(told) == ["precondition", "effect", "postcondition", "the run goes to", "the failure is then"]
    assert all(len(cell) > 3 for cell in told.values())
    assert told["the run goes to"] == " or ".join(f"`{each}`" for each in goes_to(strategy))
    assert told["the failure is then"] == f"`{failure_after(strategy)}`"
    assert (told["precondition"] == "none") is (strategy is RecoveryStrategy.TERMINATE)


def test_every_type_of_failure_has_a_ladder_that_ends() -> None:
    lines = rows(section("strategies", "Which comes next"))[2:]
    named = re.findall(r"`(\w+)`", " ".join(line[0] for line in lines))
    assert sorted(named) == sorted(FailureType)
    for _, *ladders in lines:
        for ladder in ladders:
            rungs = ladder.split(", ")
            assert set(rungs) <= set(RecoveryStrategy)
            assert (rungs[-1], len(set(rungs))) == ("terminate", len(rungs))
