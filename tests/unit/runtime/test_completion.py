"""Completing a Todo with a validation: what runs, what it is bound to, and what is kept when it does not pass."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, CancelTodo, CompleteTodo, EditGoal, EditWorkspace, NewGoal, OpenGate
from loopx.model.actor import Actor
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import TodoStatus, Validation
from loopx.runtime.completion import complete, finish
from loopx.workspace import Workspace
from tests.support.clock import START, FakeClock
from tests.support.ids import FixedIds
from tests.support.process import LOOPX
from tests.support.project import Project

ANN = Actor.parse("human:Ann")
TODO = "t-a0000001"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pages are written in the background."""
    monkeypatch.setenv("LOOPX_PAGES", "off")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Project, Workspace]]:
    """A project with a Git history and a workspace with one Goal."""
    project = Project.make(tmp_path / "lab")
    workspace = Workspace.create(project.root, environ=os.environ, clock=FakeClock(), ids=FixedIds())
    workspace.submit(NewGoal(goal="beta", title="Ship the beta"), actor=ANN)
    yield project, workspace
    workspace.close()


def add(workspace: Workspace, script: str, *, timeout_seconds: int = 60, requires: tuple[str, ...] = ()) -> None:
    """Add the Todo whose validation is the shell script ``script`` (a shell named in so many words)."""
    validation = Validation(argv=("sh", "-c", script), label="the check", timeout_seconds=timeout_seconds)
    command = AddTodo(goal="beta", title="Check it", validation=validation, requires=requires)
    workspace.submit(command, actor=ANN)


def evidence(workspace: Workspace) -> list[Evidence]:
    return list(workspace.read().state.evidences())


def status(workspace: Workspace) -> TodoStatus:
    todo = workspace.read().state.todo(TODO)
    assert todo is not None
    return todo.status


def refused(workspace: Workspace, **named: str) -> LoopxError:
    with pytest.raises(LoopxError) as raised:
        complete(workspace, CompleteTodo(todo=TODO), actor=ANN, **named)
    return raised.value


def test_a_todo_without_validation_is_simply_completed(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    workspace.submit(AddTodo(goal="beta", title="Plain"), actor=ANN)
    committed = complete(workspace, CompleteTodo(todo=TODO), actor=ANN, op="mine")
    assert (committed.receipt.operation, committed.receipt.result["validated"]) == ("mine", False)
    assert evidence(workspace) == []


def test_a_validation_that_passes_is_bound_to_the_projects_commit(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, 'echo "$LOOPX_TODO of $LOOPX_GOAL in $(pwd)"')
    committed = complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    assert committed.receipt.result["validated"] is True
    (found,) = evidence(workspace)
    assert found.artifact_revision == project.git("rev-parse", "HEAD").strip()
    assert (found.kind, found.result, found.subject, found.source, found.exit_status) == (
        EvidenceKind.VALIDATION,
        EvidenceResult.PASSED,
        TODO,
        "loopx:validation",
        0,
    )
    assert found.summary == f"the check ended with status 0.\n{TODO} of beta in {project.root}"
    assert found.observed_at == START
    assert status(workspace) is TodoStatus.DONE


def test_a_project_without_git_leaves_the_artifact_unknown(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with Workspace.create(tmp_path / "plain", environ=os.environ, clock=FakeClock(), ids=FixedIds()) as workspace:
        workspace.submit(NewGoal(goal="beta", title="Ship"), actor=ANN)
        add(workspace, "true")
        complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
        assert [each.artifact_revision for each in evidence(workspace)] == [None]


@pytest.mark.parametrize(
    ("script", "code", "result", "says"),
    [
        ("echo wrong; exit 3", "validation-failed", EvidenceResult.FAILED, "the check ended with status 3."),
        ("kill -9 $$", "validation-failed", EvidenceResult.FAILED, "the check was ended by signal 9."),
        ("exec sleep 60", "validation-timed-out", EvidenceResult.TIMED_OUT, "the check did not end within 1 s."),
    ],
)
def test_a_validation_that_does_not_pass_is_kept_as_evidence_and_completes_nothing(
    place: tuple[Project, Workspace], script: str, code: str, result: EvidenceResult, says: str
) -> None:
    _, workspace = place
    add(workspace, script, timeout_seconds=1)
    error = refused(workspace, op="mine")
    assert (error.code, str(error)) == (code, says)
    (found,) = evidence(workspace)
    assert (error.problem.facts["evidence"], found.result) == (found.id, result)
    assert found.operation == f"mine.{found.id}"
    assert status(workspace) is TodoStatus.OPEN


def test_a_validation_that_cannot_be_started_is_unavailable(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    validation = Validation(argv=("no-such-program",))
    workspace.submit(AddTodo(goal="beta", title="Check", validation=validation), actor=ANN)
    error = refused(workspace)
    assert (error.code, str(error)) == (
        "validation-unavailable",
        "no-such-program could not be started: No such file or directory (no-such-program).",
    )
    assert [each.result for each in evidence(workspace)] == [EvidenceResult.UNAVAILABLE]


def test_the_output_of_a_failure_is_told(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    add(workspace, "echo out; echo err >&2; exit 1")
    assert refused(workspace).problem.facts["output"] == "out\nerr\n"


def test_the_same_request_may_be_tried_again_once_it_is_mended(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "test -e mended")
    assert refused(workspace, op="mine").code == "validation-failed"
    assert refused(workspace, op="mine").code == "validation-failed"
    (project.root / "mended").touch()
    assert complete(workspace, CompleteTodo(todo=TODO), actor=ANN, op="mine").replayed is False
    assert [each.result for each in evidence(workspace)] == [
        EvidenceResult.FAILED,
        EvidenceResult.FAILED,
        EvidenceResult.PASSED,
    ]


def test_a_replay_runs_nothing(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "echo ran >> runs")
    first = complete(workspace, CompleteTodo(todo=TODO), actor=ANN, op="mine")
    again = complete(workspace, CompleteTodo(todo=TODO), actor=ANN, op="mine")
    assert (again.replayed, again.receipt) == (True, first.receipt)
    assert (project.root / "runs").read_text() == "ran\n"


def test_nothing_runs_that_would_be_refused_anyway(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "touch ran", requires=("production:goal:deploy",))
    workspace.submit(OpenGate(goal="beta", scope="production:goal:deploy", question="May we?"), actor=ANN)
    assert refused(workspace).code == "gate-pending"
    assert not (project.root / "ran").exists()


def test_a_project_that_moves_meanwhile_is_a_conflict_and_the_result_stays(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "git commit --quiet --allow-empty --message=moved")
    before = project.git("rev-parse", "HEAD").strip()
    error = refused(workspace)
    assert error.code == "revision-conflict"
    (found,) = evidence(workspace)
    after = project.git("rev-parse", "HEAD").strip()
    assert found.artifact_revision == before
    assert f"The project moved from {before} to {after} meanwhile." in found.summary
    assert status(workspace) is TodoStatus.OPEN


def test_a_validation_that_changes_meanwhile_is_a_conflict_and_the_result_stays(
    place: tuple[Project, Workspace],
) -> None:
    _, workspace = place
    add(workspace, f"{LOOPX} todo edit {TODO} --validate true")
    error = refused(workspace)
    assert error.code == "revision-conflict"
    assert [each.id for each in evidence(workspace)] == [error.problem.facts["evidence"]]
    assert status(workspace) is TodoStatus.OPEN
    assert complete(workspace, CompleteTodo(todo=TODO), actor=ANN).receipt.result["validated"] is True


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("todo block {todo} --reason 'Waits for Ann'", "revision-conflict"),
        ("todo edit {todo} --add requires=production:goal:deploy", "revision-conflict"),
        ("todo edit {todo} --add acceptance=a1", "revision-conflict"),
        ('goal edit beta --set acceptance=\'[{{"id": "a1", "text": "Other"}}]\'', None),
        ("todo edit {todo} --priority p0 --title 'Check it well'", None),
    ],
)
def test_whatever_the_result_rests_on_must_stay_as_it_was(
    place: tuple[Project, Workspace], script: str, code: str | None
) -> None:
    _, workspace = place
    workspace.submit(EditGoal(goal="beta", add_acceptance=("Ten people use it",)), actor=ANN)
    add(workspace, f"{LOOPX} --actor human:Ann {script.format(todo=TODO)}")
    if code is None:
        assert complete(workspace, CompleteTodo(todo=TODO), actor=ANN).receipt.result["validated"] is True
        return
    error = refused(workspace)
    assert error.code == code
    (found,) = evidence(workspace)
    assert (error.problem.facts["evidence"], found.result) == (found.id, EvidenceResult.PASSED)
    assert status(workspace) is not TodoStatus.DONE


def test_a_todo_somebody_else_finished_meanwhile_is_a_conflict(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    add(workspace, f"{LOOPX} todo edit {TODO} --set validation= && {LOOPX} todo done {TODO}")
    assert refused(workspace).code == "revision-conflict"
    assert status(workspace) is TodoStatus.DONE and len(evidence(workspace)) == 1


@pytest.mark.parametrize(
    ("shared", "said", "kept"),
    [
        (False, "password: hunter22", "It is not kept: What it said holds what looks like a password or secret."),
        (False, "see /home/ann/out.log", "see /home/ann/out.log"),
        (True, "see /home/ann/out.log", "It is not kept: What it said holds a path of this machine, and"),
        (True, "12 passed", "12 passed"),
    ],
)
def test_nothing_secret_or_private_of_what_it_said_is_kept(
    place: tuple[Project, Workspace], shared: bool, said: str, kept: str
) -> None:
    _, workspace = place
    workspace.submit(EditWorkspace(fields={"policies": {"shared": shared}}), actor=ANN)
    add(workspace, f"echo '{said}'")
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    assert evidence(workspace)[0].summary.splitlines()[1].startswith(kept)


# the files it ran on -----------------------------------------------------------------------------


def test_a_validation_is_bound_to_the_files_it_ran_on_uncommitted_ones_too(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    project.write("app.py", "x = 2\n")
    add(workspace, "true")
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    (found,) = evidence(workspace)
    assert (found.artifact, found.artifact_scopes) == (workspace.environment().artifact(()), ())
    project.git("commit", "--quiet", "--all", "--message=work")
    assert found.artifact == workspace.environment().artifact(())
    project.write("app.py", "x = 3\n")
    assert found.artifact != workspace.environment().artifact(())


def test_the_files_are_those_the_todo_may_write_and_those_its_validation_rests_on(
    place: tuple[Project, Workspace],
) -> None:
    project, workspace = place
    project.write("uv.lock", "1")
    environ = {**os.environ, "REGION": "eu"}
    workspace.environ = environ
    validation = Validation(argv=("true",), rests_on=("tests/**", "uv.lock", "gone"), variables=("REGION", "UNSET"))
    command = AddTodo(goal="beta", title="Check", validation=validation, write_scopes=("src/**",))
    workspace.submit(command, actor=ANN)
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    (found,) = evidence(workspace)
    assert found.artifact_scopes == ("src/**", "tests/**", "uv.lock", "gone")
    assert [each.what for each in found.bound] == ["boundary", "file:uv.lock", "environment:REGION"]


def test_the_goals_bounds_stand_in_for_a_todos(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    workspace.submit(EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["docs/**"]}}), actor=ANN)
    add(workspace, "true")
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    assert [each.artifact_scopes for each in evidence(workspace)] == [("docs/**",)]


@pytest.mark.parametrize("script", ["echo 'x = 2' > app.py", "rm app.py", "chmod +x app.py"])
def test_a_file_that_changes_meanwhile_is_a_conflict_and_the_result_shows_nothing(
    place: tuple[Project, Workspace], script: str
) -> None:
    _, workspace = place
    add(workspace, script)
    error = refused(workspace)
    assert error.code == "revision-conflict"
    assert str(error) == "Files changed meanwhile: app.py. What the validation found speaks of neither state."
    (found,) = evidence(workspace)
    assert (found.result, found.artifact) == (EvidenceResult.NOTED, None)
    assert status(workspace) is TodoStatus.OPEN


def test_what_a_run_leaves_behind_beside_the_work_is_no_conflict(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    add(workspace, "mkdir -p out __pycache__ && date > out/log && date >> __pycache__/a.pyc")
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    (found,) = evidence(workspace)
    assert found.artifact == workspace.environment().artifact(())


def test_what_changes_outside_the_files_it_speaks_of_is_no_conflict(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    validation = Validation(argv=("sh", "-c", "echo 'x = 2' > app.py"))
    command = AddTodo(goal="beta", title="Check", validation=validation, write_scopes=("docs/**",))
    workspace.submit(command, actor=ANN)
    assert complete(workspace, CompleteTodo(todo=TODO), actor=ANN).receipt.result["validated"] is True


def test_typing_in_the_body_meanwhile_is_no_conflict(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    add(workspace, f"{LOOPX} todo edit {TODO} --body 'More notes'")
    assert complete(workspace, CompleteTodo(todo=TODO), actor=ANN).receipt.result["validated"] is True


def test_a_git_of_the_validation_never_sees_the_callers_repository(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "git rev-parse --show-toplevel")
    environ = {**os.environ, "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index"}
    committed = complete(workspace, CompleteTodo(todo=TODO), actor=ANN, environ=environ)
    assert committed.receipt.result["validated"] is True
    assert str(project.root) in evidence(workspace)[0].summary


def test_the_project_is_left_as_it_was(place: tuple[Project, Workspace]) -> None:
    project, workspace = place
    add(workspace, "true")
    complete(workspace, CompleteTodo(todo=TODO), actor=ANN)
    said = subprocess.run(
        ["git", "status", "--porcelain"], cwd=project.root, capture_output=True, text=True, check=True
    )
    assert said.stdout == ""


def test_only_a_completion_is_validated(place: tuple[Project, Workspace]) -> None:
    _, workspace = place
    add(workspace, "true")
    proposal = workspace.proposal(CancelTodo(todo=TODO, reason="No"), actor=ANN)
    assert finish(workspace, proposal).receipt.command == "todo cancel"
    assert evidence(workspace) == []
