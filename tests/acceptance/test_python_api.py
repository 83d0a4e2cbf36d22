"""The Python API as it is promised: the names ``loopx`` exports, loaded when used, and what one can do with them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import loopx
from loopx import Actor, LoopxError, RefusedError, Workspace, commands, complete
from loopx.model.todo import TodoStatus, Validation
from tests.support.environment import PERSON
from tests.support.project import Project


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace found the way a script finds it: from the current folder, in this process's environment.

    The project around it stays as it was.
    """
    project = Project.make(tmp_path / "lab")
    before = project.snapshot()
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("LOOPX_PAGES", "off")
    Workspace.create(title="Lab").close()
    yield Workspace.find()
    project.assert_untouched(before)


def test_every_name_promised_is_there() -> None:
    assert {name: getattr(loopx, name) is not None for name in loopx.__all__} == dict.fromkeys(loopx.__all__, True)


def test_a_name_not_promised_is_not_there() -> None:
    with pytest.raises(AttributeError, match="surprise"):
        loopx.surprise  # noqa: B018


def test_importing_loopx_loads_nothing_else() -> None:
    code = "import sys, loopx; print(sorted(each for each in sys.modules if each.startswith('loopx.')))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_the_main_job_from_python(ws: Workspace) -> None:
    with ws:
        made = ws.submit(commands.NewGoal(goal="beta", title="Ship the beta", acceptance=("It runs",)))
        check = Validation(argv=(sys.executable, "-c", "print('it runs')"))
        added = ws.submit(commands.AddTodo(goal="beta", title="Make it run", acceptance=("a1",), validation=check))
        todo = added.receipt.result["id"]
        done = complete(ws, commands.CompleteTodo(todo=todo))
        met = ws.submit(commands.MeetCriterion(goal="beta", criterion="a1", evidence=(todo,)))
        view = ws.read()
        assert view.revision == met.revision
        assert view.state.todo(todo).status is TodoStatus.DONE
        ws.undo(met.receipt.operation, actor=Actor.parse(f"human:{PERSON}"))
        revisions = [made.revision, added.revision, done.revision, met.revision]
        assert [each.revision for each in ws.log()][1:5] == revisions[::-1]
        assert ws.check().problems == ()


def test_without_an_actor_it_is_the_person_or_who_the_environment_names(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ws:
        assert str(ws.submit(commands.NewGoal(goal="beta", title="Ship it")).receipt.actor) == f"human:{PERSON}"
    monkeypatch.setenv("LOOPX_ACTOR", "agent:importer")
    with Workspace.find() as again:
        added = again.submit(commands.AddTodo(goal="beta", title="Write the guide"))
        assert str(added.receipt.actor) == "agent:importer"


def test_what_is_refused_is_raised_with_code_place_and_hint(ws: Workspace) -> None:
    with ws, pytest.raises(RefusedError) as caught:
        ws.submit(commands.AddTodo(goal="nowhere", title="Lost"))
    assert isinstance(caught.value, LoopxError)
    assert caught.value.code == "goal-unknown"
    assert caught.value.problem.hint
    assert caught.value.exit == 1


def test_the_same_operation_is_answered_and_not_done_again(ws: Workspace) -> None:
    with ws:
        command = commands.NewGoal(goal="beta", title="Ship the beta")
        first, again = ws.submit(command, op="mine-1"), ws.submit(command, op="mine-1")
        assert (again.replayed, again.revision) == (True, first.revision)
        with pytest.raises(LoopxError) as caught:
            ws.submit(commands.NewGoal(goal="gamma", title="Something else"), op="mine-1")
        assert caught.value.code == "operation-reused"


def test_where_there_is_no_workspace_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LoopxError) as caught:
        Workspace.find()
    assert caught.value.code == "workspace-missing"
