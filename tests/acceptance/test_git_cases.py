"""Cases of using Git beside LoopX: what people staged, flagged, ignored or left unfinished, in the project's own
repository (which never changes) and in the workspace's (which a person may use by hand)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopx.errors.exits import Exit
from loopx.kernel.commands import EditTodo
from loopx.workspace import Workspace
from tests.acceptance.gitscene import GitScene, git_scene, plain
from tests.support.lab import ENVIRONMENT, Lab
from tests.support.process import run_loopx
from tests.support.project import Project


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[GitScene]:
    with git_scene(tmp_path / "lab") as made:
        yield made


# --- what is staged, flagged or lies about ---------------------------------------------------


def test_G01_what_a_person_staged_goes_into_no_commit_of_ours_and_stays_staged(scene: GitScene) -> None:
    scene.lab.project.write("wip.txt", "wip\n")
    scene.lab.project.git("add", "wip.txt")
    scene.mine()
    (scene.root / "notes.txt").write_text("mine\n")
    scene.lab.git("add", "notes.txt")
    scene.done(scene.second)
    assert set(scene.committed()) == {scene.lab.path_of(scene.second), f"goals/beta/completions/{scene.second}.yaml"}
    assert scene.status() == ["A  notes.txt"]
    assert scene.lab.git("show", ":notes.txt") == "mine\n"
    assert scene.lab.project.git("status", "--porcelain") == "A  wip.txt\n"


def test_G02_unstaged_and_untracked_files_are_swept_into_no_commit(scene: GitScene) -> None:
    scene.lab.project.write("app.py", "x = 2\n")
    for folder in (scene.project, scene.root, scene.root / "goals/beta/todos"):
        (folder / ".env").write_text("TOKEN=secret\n")
        (folder / "notes.tmp").write_text("scratch\n")
    scene.mine()
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p1")
    scene.ask("status").expect()
    scene.done(scene.second)
    listed = scene.lab.git("log", "--format=", "--name-only")
    assert ".env" not in listed
    assert "notes.tmp" not in listed
    assert scene.committed("HEAD~1") == [scene.lab.path_of(scene.first)]


VERBS = (
    "status", "board", "where", "log", "check", "edit list", "todo list", "goal", "gate", "vision", "schema todo",
    "show HEAD", "diff HEAD~1", "why {first}", "todo show {first}", "todo add New --goal beta",
    "todo claim {second} --actor agent:bot", "todo unclaim {second}", "todo block {second} --reason waiting",
    "todo resume {second}", "todo edit {second} --set priority=p0", "todo done {second}",
    "todo reopen {second} --reason again", "todo cancel {second} --reason enough", "undo", "goal pause beta --reason x",
    "goal resume beta", "status --render",
)  # fmt: skip


def test_G03_no_verb_takes_an_unstaged_edit_away(scene: GitScene) -> None:
    scene.lab.project.write("app.py", "x = 2  # not staged\n")
    scene.mine()
    refused = scene.lab.read("workspace.yaml") + b"policies: [half typed\n"
    scene.lab.save("workspace.yaml", refused)
    for verb in VERBS:
        said = scene.ask(*verb.format(first=scene.first, second=scene.second).split())
        assert said.code in (Exit.DONE, Exit.REFUSED), f"{verb}: {said.text}"
        assert scene.lab.read("workspace.yaml") == refused, verb
    assert scene.lab.project.read("app.py") == "x = 2  # not staged\n"
    assert len(scene.lab.subjects()) > 10, "the verbs did something"
    scene.ask("edit", "discard", "workspace.yaml").expect()


def test_G04_a_long_lived_workspace_sees_what_was_staged_beside_it(scene: GitScene) -> None:
    scene.lab.restart()
    scene.lab.submit(EditTodo(todo=scene.first, fields={"priority": "p1"}))
    for folder in (scene.project, scene.root):
        (folder / "ext.txt").write_text("from outside\n")
        assert plain(folder, "add", "ext.txt").returncode == 0
    scene.mine()
    scene.lab.submit(EditTodo(todo=scene.first, fields={"priority": "p0"}))
    scene.lab.change(scene.lab.path_of(scene.second), "priority: p2", "priority: p3")
    scene.lab.look()
    assert scene.status() == ["A  ext.txt"]
    assert scene.lab.project.git("status", "--porcelain") == "A  ext.txt\n"


def test_G05_intent_to_add_and_index_flags_survive(scene: GitScene) -> None:
    hidden = scene.lab.path_of(scene.first)
    for folder, file in ((scene.project, "app.py"), (scene.root, hidden)):
        (folder / "draft.txt").write_text("draft\n")
        assert plain(folder, "add", "--intent-to-add", "draft.txt").returncode == 0
        assert plain(folder, "update-index", "--skip-worktree", file).returncode == 0
    scene.mine()
    scene.done(scene.second)
    assert "draft.txt" not in scene.lab.git("log", "--format=", "--name-only")
    assert scene.status() == [" A draft.txt"]
    scene.ask("todo", "edit", scene.first, "--set", "priority=p0").expect()
    assert f"S {hidden}" in scene.lab.git("ls-files", "-v").splitlines()
    assert scene.lab.git("show", f"HEAD:{hidden}").encode() == scene.lab.read(hidden)


def test_G06_a_staged_hunk_is_left_alone_by_writes_to_other_files(scene: GitScene) -> None:
    """The staged part of a file whose edit is not accepted (here: not readable) stays staged, the rest unstaged."""
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p1")
    scene.lab.git("add", path)
    scene.lab.change(path, "status: open", "status: [")
    staged, typed = scene.lab.git("show", f":{path}"), scene.lab.read(path)
    scene.done(scene.second)
    assert scene.status() == [f"MM {path}"]
    assert (scene.lab.git("show", f":{path}"), scene.lab.read(path)) == (staged, typed)
    warned = scene.ask("todo", "edit", scene.first, "--set", "title=By command", "--json").expect()
    assert "edit-waits" in [each["code"] for each in warned.json["warnings"]]
    assert scene.lab.read(path) == typed


def test_G06_both_halves_of_a_partly_staged_edit_are_taken_in_as_the_persons(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p1")
    scene.lab.git("add", path)
    scene.lab.change(path, "title: Write the guide", "title: Write the long guide")
    scene.done(scene.second)
    assert scene.lab.git("log", "-1", "--format=%an", "--", path).strip() == "Test Person"
    shown = scene.lab.git("show", f"HEAD:{path}")
    assert "priority: p1" in shown
    assert "title: Write the long guide" in shown
    assert scene.status() == []


@pytest.mark.parametrize("verb", ["read", "write"])
def test_G06_a_staged_version_that_was_typed_over_is_kept_and_named(scene: GitScene, verb: str) -> None:
    """Only Git's index holds it, and the index follows what is taken in."""
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "title: Write the guide", "title: Staged words")
    scene.lab.git("add", path)
    scene.lab.change(path, "title: Staged words", "title: Later words")
    asked = ("todo", "list") if verb == "read" else ("todo", "edit", scene.first, "--set", "priority=p0")
    [told] = [
        each for each in scene.ask(*asked, "--json").expect().json["warnings"] if each["code"] == "staged-replaced"
    ]
    assert b"title: Staged words" in scene.lab.read(told["facts"]["kept"])
    assert b"title: Later words" in scene.lab.at_head(path)
    assert scene.status() == []
    assert scene.ask("todo", "list", "--json").expect().json["warnings"] == []


def test_G16_a_split_index_is_kept_in_step(scene: GitScene) -> None:
    for folder in (scene.project, scene.root):
        for command in (("update-index", "--split-index"), ("config", "core.splitIndex", "true")):
            assert plain(folder, *command).returncode == 0
    (scene.root / "notes.txt").write_text("mine\n")
    scene.lab.git("add", "notes.txt")
    scene.mine()
    scene.done(scene.second)
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p0")
    scene.ask("status").expect()
    assert scene.status() == ["A  notes.txt"]


def test_G17_an_edit_of_a_file_git_was_told_to_hide_is_seen_and_the_flag_reported(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    scene.lab.git("update-index", "--skip-worktree", path)
    scene.lab.change(path, "priority: p2", "priority: p0")
    assert scene.status() == [], "Git itself says nothing"
    assert scene.ask("todo", "show", scene.first, "--json").expect().json["data"]["priority"] == "p0"
    assert "file-hidden" in scene.ask("check").out


# --- ignore rules, line endings, names -------------------------------------------------------


@pytest.mark.parametrize("where", ["project", "global"])
def test_G18_whatever_ignores_the_folder_or_its_files_there_is_a_history(
    scene: GitScene, home: Path, where: str
) -> None:
    rules = ".loopx/\n*.md\n*.yaml\ngoals/\n"
    if where == "project":
        scene.lab.project.write(".gitignore", rules)
    else:
        (home / "ignored").write_text(rules)
        scene.lab.project.git("config", "--global", "core.excludesFile", str(home / "ignored"))
    scene.mine()
    scene.done(scene.first)
    scene.lab.save("goals/beta/todos/new.md", "# Made by hand\n")
    scene.ask("todo", "list").expect()
    assert "goals/beta/todos/new.md" in scene.committed()
    assert scene.status() == []
    assert scene.ask("log", "--json").expect().json["data"]["entries"]
    scene.ask("check").expect()


def test_G18_a_workspace_the_project_tracks_is_told_of_and_left_alone(scene: GitScene) -> None:
    (scene.root / ".git").rename(scene.project.parent / "aside")
    scene.lab.project.git("add", "--force", ".loopx/workspace.yaml")
    (scene.project.parent / "aside").rename(scene.root / ".git")
    scene.mine()
    assert "workspace-tracked" in scene.ask("check").expect().out
    scene.done(scene.first)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_G21_history_holds_the_bytes_git_add_would_store(scene: GitScene, home: Path, ending: bytes) -> None:
    scene.lab.project.git("config", "--global", "core.autocrlf", "true")
    scene.lab.project.git("config", "--global", "core.attributesFile", str(home / "attributes"))
    (home / "attributes").write_text("*.md text eol=lf\n")
    scene.lab.project.write(".gitattributes", "*.md text eol=lf\n")
    scene.mine()
    (scene.root / ".gitattributes").write_text("")
    path = scene.lab.path_of(scene.first)
    typed = scene.lab.read(path).replace(b"priority: p2", b"priority: p0").replace(b"\n", ending)
    scene.lab.save(path, typed)
    scene.ask("todo", "list").expect()
    assert scene.lab.at_head(path) == typed
    stored = scene.lab.git("hash-object", path).strip()
    assert scene.lab.git("rev-parse", f"HEAD:{path}").strip() == stored
    scene.ask("todo", "edit", scene.first, "--set", "priority=p1").expect()
    assert scene.lab.at_head(path) == scene.lab.read(path)
    assert scene.status() == ["?? .gitattributes"]


def test_G22_looking_twenty_times_makes_no_commit(scene: GitScene) -> None:
    before = len(scene.lab.subjects())
    for number in range(20):
        scene.lab.clock.wait(3)
        if number % 5 == 0:
            (scene.root / scene.lab.path_of(scene.first)).touch()
        scene.ask("status").expect()
        scene.ask("todo", "edit", scene.first, "--set", "priority=p2").expect()
    assert len(scene.lab.subjects()) == before


@pytest.mark.parametrize("locale", ["C", "zh_CN.GBK", "de_DE.CP1252"])
def test_G26_a_name_in_any_script_is_the_same_in_every_locale(scene: GitScene, locale: str) -> None:
    path = "goals/beta/todos/写指南-é-ü.md"
    scene.lab.save(path, "# Schreib das Handbuch – 写指南\n")
    scene.lab.clock.wait(3)
    scene.lab.look()
    todo = next(each.id for each in scene.lab.todos().values() if each.id not in (scene.first, scene.second))
    scene.lab.close()
    environ = {"LC_ALL": locale, "LANG": locale}
    assert "写指南" in scene.run("todo", "show", todo, environ=environ).expect().out
    scene.run("todo", "edit", todo, "--set", "priority=p0", environ=environ).expect()
    log = scene.run("log", todo, "--json", environ=environ).expect().json["data"]["entries"]
    assert [each["paths"] for each in log] == [[path], [path]]
    assert path in scene.run("diff", "HEAD~1", environ=environ).expect().out
    scene.run("rollback", "HEAD~1", "--todo", todo, "--reason", "zurück", environ=environ).expect()
    assert "priority: p0" not in (scene.root / path).read_text("utf-8")
    assert scene.status() == []
    assert path in scene.lab.git("-c", "core.quotePath=false", "ls-files")


def test_G28_work_on_a_feature_branch_leaves_no_commit_on_it(scene: GitScene) -> None:
    scene.lab.project.git("checkout", "--quiet", "-b", "feature")
    scene.mine()
    for number in range(40):
        scene.lab.submit(EditTodo(todo=scene.first, fields={"priority": f"p{number % 4}"}))
    assert scene.lab.project.git("log", "--format=%s", "main..feature") == ""
    assert scene.lab.project.git("diff", "--stat", "main...feature") == ""
    assert len(scene.lab.subjects()) > 30


# --- kinds of repositories -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["no commit yet", "sha256", "none"])
def test_G14_G15_any_project_will_do(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "lab"
    root.mkdir()
    if kind != "none":
        form = ["--object-format=sha256"] if kind == "sha256" else []
        assert plain(root, "init", "--quiet", *form).returncode == 0
    project = Project(root)
    before = project.snapshot()
    ask = lambda *arguments: run_loopx(*arguments, cwd=root, environment={"LOOPX_PAGES": "off"})  # noqa: E731
    ask("init").expect()
    ask("goal", "new", "beta", "--title", "Ship").expect()
    ask("todo", "add", "a", "--goal", "beta").expect()
    assert len(ask("log", "--json").expect().json["data"]["entries"]) == 3
    ask("rollback", "HEAD~1", "--reason", "not yet").expect()
    ask("check").expect()
    project.assert_untouched(before)


def test_G14_a_repository_made_later_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "lab"
    root.mkdir()
    run_loopx("init", cwd=root, environment={"LOOPX_PAGES": "off"}).expect()
    assert plain(root, "init", "--quiet").returncode == 0
    run_loopx("status", cwd=root, environment={"LOOPX_PAGES": "off"}).expect()
    assert plain(root, "status", "--porcelain").stdout == ""


@contextmanager
def workspace_in(project: Project) -> Iterator[Lab]:
    """A lab in a project that is there already."""
    lab = Lab(project)
    lab.opened.append(Workspace.create(project.root, environ=ENVIRONMENT, clock=lab.clock))
    yield lab
    lab.close()


def test_G15_a_workspace_may_be_of_either_object_format(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "lab")
    project.loopx_folder.mkdir()
    assert plain(project.loopx_folder, "init", "--quiet", "-b", "main", "--object-format=sha256").returncode == 0
    with workspace_in(project) as lab:
        lab.goal()
        todo = lab.todo("One")
        lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
        lab.submit(EditTodo(todo=todo, fields={"title": "Two"}))
        assert (lab.todos()[todo].title, lab.todos()[todo].priority) == ("Two", "p0")
        assert len(lab.git("rev-parse", "HEAD").strip()) == 64
        lab.assert_sound()


def test_G19_a_linked_worktree_shares_the_workspace_of_the_main_one(scene: GitScene) -> None:
    side = scene.project.parent / "w2"
    scene.lab.project.git("worktree", "add", "--quiet", str(side), "-b", "w2")
    (side / "docs" / "deep").mkdir(parents=True)
    scene.mine()
    scene.lab.close()
    head = scene.lab.project.git("rev-parse", "HEAD")
    where = scene.run("where", "--json", cwd=side / "docs" / "deep").expect().json["data"]
    assert (where["found_by"], where["root"]) == ("worktree", str(scene.root))
    scene.run("todo", "done", scene.first, cwd=side).expect()
    scene.run("todo", "done", scene.second).expect()
    assert scene.run("todo", "list", "--json", cwd=side).json["data"]["todos"] == []
    assert plain(side, "status", "--porcelain").stdout == ""
    assert scene.lab.project.git("rev-parse", "HEAD") == head
    assert not (side / ".loopx").exists()


def test_G20_the_nearest_owning_workspace_is_used_and_named(scene: GitScene, tmp_path: Path) -> None:
    library = Project.make(tmp_path / "library")
    scene.lab.project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "sub")
    scene.lab.project.git("commit", "--quiet", "--message=with a submodule")
    nested = scene.project / "nested"
    (scene.project / "docs" / "deep").mkdir(parents=True)
    nested.mkdir()
    assert plain(nested, "init", "--quiet").returncode == 0
    scene.lab.close()
    scene.mine()
    for folder in (scene.project / "docs" / "deep", nested, scene.project / "sub"):
        where = scene.run("where", "--json", cwd=folder).expect().json["data"]
        assert (where["root"], where["found_by"]) == (str(scene.root), "folder")
    scene.run("init", cwd=scene.project / "sub").expect()
    own = scene.project / "sub" / ".loopx"
    assert scene.run("where", "--json", cwd=scene.project / "sub").expect().json["data"]["root"] == str(own)
    assert plain(scene.project / "sub", "status", "--porcelain").stdout == ""
    assert scene.lab.project.git("status", "--porcelain") == "?? nested/\n"
    scene.run("goal", "new", "inner", "--title", "Inner", cwd=scene.project / "sub").expect()
    goals = scene.run("goal", "list", "--json").expect().json["data"]["goals"]
    assert [each["id"] for each in goals] == ["beta"]
    scene.mine()
