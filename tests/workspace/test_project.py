"""The project around a workspace, as a decision asks about it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from loopx.kernel.commands import CompleteTodo, MeetCriterion
from loopx.model.todo import Validation
from loopx.runtime.completion import complete
from loopx.workspace.project import ProjectEnvironment, repository_names
from tests.support.lab import BOT, Lab
from tests.support.project import Project


@pytest.fixture
def around(project: Project) -> ProjectEnvironment:
    return ProjectEnvironment(project.root, {"REGION": "eu"})


def test_every_state_of_a_workspace_asks_the_project_around_it(tmp_path: Path) -> None:
    lab = Lab.make(tmp_path / "lab")
    lab.goal()
    revision = lab.project.git("rev-parse", "HEAD").strip()
    views = [lab.ws.read(), lab.ws.read(take_in=False), lab.ws.read(at="HEAD")]
    assert [view.state.environment.artifact_revision() for view in views] == [revision] * 3
    lab.close()


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for every Git program that is started."""
    told, real = tmp_path / "asked", shutil.which("git")
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(f'#!/bin/sh\necho "$@" >> {told}\nexec {real} "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:{os.environ['PATH']}")
    told.touch()
    return told


def test_nothing_is_looked_up_until_it_is_asked_for(tmp_path: Path, asked: Path) -> None:
    lab = Lab.make(tmp_path / "lab")
    lab.goal("beta", "Ten people use it")
    lab.todo("Write the guide")
    view = lab.ws.read()
    lab.ws.survey(view, full=True)
    assert str(lab.project.root) in asked.read_text()  # Git made the project, so the spy is seen to work
    assert f"-C {lab.project.root} " not in asked.read_text()
    for _ in range(2):
        view.state.environment.artifact(())
    assert asked.read_text().count(f"-C {lab.project.root} ") == 1
    lab.close()


def test_what_several_criteria_rest_on_is_looked_at_once_a_read(tmp_path: Path, asked: Path) -> None:
    lab = Lab.make(tmp_path / "lab")
    lab.goal("beta", "Ten people use it", "It is fast")
    validation = Validation(argv=("true",))
    for number in (1, 2):
        todo = lab.todo(f"Work {number}", validation=validation, acceptance=(f"a{number}",), write_scopes=("src/**",))
        complete(lab.ws, CompleteTodo(todo=todo), actor=BOT)
        lab.submit(MeetCriterion(goal="beta", criterion=f"a{number}", evidence=(todo,)), actor=BOT)
    asked.write_text("")
    survey = lab.ws.survey(lab.ws.read(), full=True)
    assert [each.status for each in survey.goals[0].criteria] == ["met", "met"]
    listed = [line for line in asked.read_text().splitlines() if f"-C {lab.project.root} " in line]
    assert len(listed) == 1 and "ls-files" in listed[0]
    lab.close()


def test_answers_stay_the_same_until_a_new_state_is_made(project: Project, around: ProjectEnvironment) -> None:
    before = (around.artifact_revision(), around.artifact(()), around.file_digest("app.py"), around.repositories())
    project.write("app.py", "x = 2\n")
    project.git("commit", "--quiet", "--all", "--message=two")
    project.git("remote", "add", "origin", "https://example.org/ann/lab.git")
    again = (around.artifact_revision(), around.artifact(()), around.file_digest("app.py"), around.repositories())
    assert again == before
    fresh = ProjectEnvironment(project.root, {})
    later = (fresh.artifact_revision(), fresh.artifact(()), fresh.file_digest("app.py"), fresh.repositories())
    assert all(new != old for new, old in zip(later, before, strict=True))


def test_a_scope_leaves_the_rest_out(project: Project, around: ProjectEnvironment) -> None:
    project.write("docs/guide.md", "text")
    assert list(around.files(("docs/**",)) or ()) == ["docs/guide.md"]
    assert around.artifact(("docs/**",)) == around.artifact(("docs",))
    assert around.artifact(("docs/**",)) != around.artifact(())


def test_a_scope_that_leads_into_another_repository_counts_all_of_it(project: Project) -> None:
    Project.make(project.root / "libs" / "other")
    scopes = ("libs/other/src/**",)
    before = ProjectEnvironment(project.root, {}).artifact(scopes)
    project.write("libs/other/src/a.py", "a")
    assert ProjectEnvironment(project.root, {}).artifact(scopes) != before


def test_a_file_outside_the_project_is_not_looked_at(project: Project, around: ProjectEnvironment) -> None:
    (project.root.parent / "other.txt").write_text("x")
    (project.root / "link").symlink_to(project.root.parent / "other.txt")
    found = [around.file_digest(each) for each in ("../other.txt", "link", "/etc/hostname", "missing", ".", "a\0b")]
    assert found == [None] * 6
    assert around.file_digest("app.py") == around.file_digest("./app.py") is not None


def test_a_variable_is_told_by_its_name_and_value(around: ProjectEnvironment) -> None:
    other = ProjectEnvironment(Path(), {"REGION": "us", "PLACE": "eu"})
    digests = {around.variable_digest("REGION"), other.variable_digest("REGION"), other.variable_digest("PLACE")}
    assert len(digests) == 3 and None not in digests
    assert around.variable_digest("PLACE") is None


def test_without_a_repository_nothing_of_it_is_known(tmp_path: Path) -> None:
    around = ProjectEnvironment(tmp_path, {})
    assert (around.artifact_revision(), around.artifact(()), around.files(())) == (None, None, None)
    assert around.repositories() == frozenset({tmp_path.name})


def test_a_machine_without_git_knows_nothing_either(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.root))
    around = ProjectEnvironment(project.root, {})
    assert (around.artifact_revision(), around.artifact(()), around.repositories()) == (None, None, None)


def test_a_projects_names_are_its_folder_and_its_remotes(project: Project, around: ProjectEnvironment) -> None:
    project.git("remote", "add", "origin", "git@example.org:ann/tool.git")
    assert around.repositories() == {"lab", "tool", "ann/tool"}


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("https://example.org/ann/tool.git", ("tool", "ann/tool")),
        ("git@example.org:ann/tool", ("tool", "ann/tool")),
        ("/srv/git/tool.git/", ("tool", "git/tool")),
        ("tool", ("tool",)),
        ("", ()),
    ],
)
def test_names_are_read_from_an_address(address: str, names: tuple[str, ...]) -> None:
    assert repository_names(address) == names
