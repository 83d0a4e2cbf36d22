"""Running the check a criterion declares: what is kept of it, and what it is bound to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import Exit, LoopxError
from loopx.kernel.commands import EditGoal, MeetCriterion, NewGoal
from loopx.kernel.criteria import criterion_status
from loopx.model.actor import Actor
from loopx.model.records import CriterionStatus, Evidence, EvidenceKind, EvidenceResult
from loopx.runtime import checking
from loopx.runtime.checking import check, check_criterion
from loopx.workspace import Workspace
from tests.support.clock import START, FakeClock
from tests.support.ids import FixedIds
from tests.support.process import LOOPX
from tests.support.project import Project

ANN, BOT = Actor.parse("human:Ann"), Actor.parse("agent:bot")
SITE = {"source": "https://status.example.org", "fresh_for": "6h"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Project, Workspace]]:
    """A project with a Git history and a workspace with one Goal."""
    monkeypatch.setenv("LOOPX_PAGES", "off")
    project = Project.make(tmp_path / "lab")
    workspace = Workspace.create(project.root, environ=os.environ, clock=FakeClock(), ids=FixedIds())
    workspace.submit(NewGoal(goal="beta", title="Ship the beta"), actor=ANN)
    yield project, workspace
    workspace.close()


def declare(workspace: Workspace, *scripts: str | None, **more: Any) -> None:
    """Give beta the criteria a1, a2, …, each with its shell script as check."""
    criteria = [
        {
            "id": f"a{number}",
            "text": f"Criterion {number}",
            **({"check": ["sh", "-c", script]} if script else {}),
            **more,
        }
        for number, script in enumerate(scripts, 1)
    ]
    workspace.submit(EditGoal(goal="beta", fields={"acceptance": criteria}), actor=ANN)


def evidence(workspace: Workspace) -> list[Evidence]:
    return list(workspace.read().state.evidences())


def status(workspace: Workspace) -> CriterionStatus:
    view = workspace.read()
    goal = view.state.goal("beta")
    assert goal is not None
    return criterion_status(view.state, goal, goal.acceptance[0], view.at)


def test_a_check_that_passes_is_kept_as_loopxs_own_validation_of_the_project(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    declare(workspace, 'echo "$LOOPX_CRITERION of $LOOPX_GOAL in $(pwd)"')
    kept = check_criterion(workspace, "beta", "a1", BOT)
    (found,) = evidence(workspace)
    assert (kept.evidence, kept.problem, kept.committed.replayed) == (found, None, False)
    assert (found.kind, found.result, found.subject, found.source, found.exit_status, found.observed_at) == (
        EvidenceKind.VALIDATION, EvidenceResult.PASSED, "beta/a1", "loopx:check", 0, START,
    )  # fmt: skip
    assert found.summary == f"The check of beta a1 ended with status 0.\na1 of beta in {project.root}"
    assert found.artifact_revision == project.git("rev-parse", "HEAD").strip()
    assert found.artifact == workspace.environment().artifact(())
    assert [each.what for each in found.bound] == ["criterion:a1", "boundary"]
    assert found.operation == kept.committed.receipt.operation
    assert status(workspace) is CriterionStatus.OPEN
    workspace.submit(MeetCriterion(goal="beta", criterion="a1", evidence=(found.id,)), actor=BOT)
    assert status(workspace) is CriterionStatus.MET


def test_a_check_of_an_outside_fact_is_a_read_back_that_counts_for_as_long_as_it_says(
    place: tuple[Project, Workspace],
) -> None:
    _, workspace = place
    declare(workspace, "true", readback=SITE)
    found = check_criterion(workspace, "beta", "a1", BOT).evidence
    assert (found.kind, found.fresh_for, found.references) == (EvidenceKind.READBACK, "6h", (SITE["source"],))
    assert (found.artifact, found.artifact_scopes) == (None, ())
    workspace.submit(MeetCriterion(goal="beta", criterion="a1", evidence=(found.id,)), actor=BOT)
    clock = workspace.clock
    assert isinstance(clock, FakeClock)
    clock.advance(hours=7)
    assert status(workspace) is CriterionStatus.OPEN
    check_criterion(workspace, "beta", "a1", BOT)
    assert status(workspace) is CriterionStatus.MET


@pytest.mark.parametrize(
    ("script", "code", "exit_", "result", "says"),
    [
        ("echo wrong; exit 3", "check-failed", Exit.FAILED, EvidenceResult.FAILED, "ended with status 3."),
        ("exec sleep 60", "check-timed-out", Exit.FAILED, EvidenceResult.TIMED_OUT, "did not end within 1 s."),
        ("echo 2 > app.py", "revision-conflict", Exit.CONFLICT, EvidenceResult.NOTED, "speaks of neither state."),
    ],
)
def test_a_check_that_does_not_pass_is_kept_and_said(
    place: tuple[Project, Workspace],
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    code: str,
    exit_: Exit,
    result: EvidenceResult,
    says: str,
) -> None:
    _, workspace = place
    monkeypatch.setattr(checking, "TIME_LIMIT_SECONDS", 1)
    declare(workspace, script)
    kept = check_criterion(workspace, "beta", "a1", BOT)
    assert kept.problem is not None and kept.problem.message.endswith(says)
    assert (kept.problem.code, kept.problem.exit, kept.evidence.result) == (code, exit_, result)
    assert kept.problem.facts["evidence"] == kept.evidence.id and evidence(workspace) == [kept.evidence]
    with pytest.raises(LoopxError):
        workspace.submit(MeetCriterion(goal="beta", criterion="a1", evidence=(kept.evidence.id,)), actor=BOT)


def test_a_check_that_cannot_be_started_is_unavailable(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    criteria = [{"id": "a1", "text": "It works", "check": ["no-such-program"]}]
    workspace.submit(EditGoal(goal="beta", fields={"acceptance": criteria}), actor=ANN)
    kept = check_criterion(workspace, "beta", "a1", BOT)
    assert kept.problem is not None and kept.problem.code == "check-unavailable"
    assert kept.evidence.result is EvidenceResult.UNAVAILABLE


def test_a_criterion_without_a_check_has_nothing_to_run(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    declare(workspace, None)
    for run in (lambda: check_criterion(workspace, "beta", "a1", BOT), lambda: check(workspace, "beta", actor=BOT)):
        with pytest.raises(LoopxError) as raised:
            run()
        assert raised.value.code == "check-missing"
    assert evidence(workspace) == []


@pytest.mark.parametrize(
    ("goal", "criterion", "code"), [("gone", "a1", "goal-unknown"), ("beta", "a9", "criterion-unknown")]
)
def test_what_is_to_be_checked_must_be_there(
    place: tuple[Project, Workspace], goal: str, criterion: str, code: str
) -> None:
    with pytest.raises(LoopxError) as raised:
        check_criterion(place[1], goal, criterion, BOT)
    assert raised.value.code == code


def test_without_a_criterion_every_check_runs_even_after_one_failed(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    declare(workspace, "false", None, "true")
    found = check(workspace, "beta", actor=BOT, op="mine")
    assert [(each.evidence.subject, each.problem is None) for each in found] == [("beta/a1", False), ("beta/a3", True)]
    assert [each.committed.receipt.operation for each in found] == ["mine.a1", "mine.a3"]


def test_an_operation_that_is_committed_runs_nothing_again(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    declare(workspace, "echo ran >> runs; exit 1")
    first = check_criterion(workspace, "beta", "a1", BOT, op="mine")
    again = check_criterion(workspace, "beta", "a1", BOT, op="mine")
    assert (again.evidence, again.committed.replayed) == (first.evidence, True)
    assert again.problem is not None and again.problem.code == "check-failed"
    assert project.read("runs") == "ran\n"
    with pytest.raises(LoopxError) as raised:
        workspace.submit(NewGoal(goal="gamma", title="Other"), actor=BOT, op="mine")
    assert raised.value.code == "operation-reused"


def test_a_criterion_that_changes_meanwhile_is_not_what_was_checked(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    text = '[{"id": "a1", "text": "Something else", "check": ["true"]}]'
    declare(workspace, f"{LOOPX} --actor human:Ann goal edit beta --set acceptance='{text}'")
    found = check_criterion(workspace, "beta", "a1", BOT).evidence
    with pytest.raises(LoopxError) as raised:
        workspace.submit(MeetCriterion(goal="beta", criterion="a1", evidence=(found.id,)), actor=BOT)
    assert raised.value.code == "criterion-evidence-insufficient" and "criterion:a1" in str(raised.value)


def test_a_project_without_git_is_checked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    environ = {**os.environ, "LOOPX_PAGES": "off"}
    with Workspace.create(tmp_path / "plain", environ=environ, clock=FakeClock(), ids=FixedIds()) as workspace:
        workspace.submit(NewGoal(goal="beta", title="Ship"), actor=ANN)
        declare(workspace, "true")
        found = check_criterion(workspace, "beta", "a1", BOT).evidence
        assert (found.artifact, found.artifact_revision) == (None, None)
        workspace.submit(MeetCriterion(goal="beta", criterion="a1", evidence=(found.id,)), actor=BOT)
        assert status(workspace) is CriterionStatus.MET
