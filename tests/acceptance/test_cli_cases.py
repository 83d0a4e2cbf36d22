"""What a person at a terminal and a script meet: the cases of reading, channels, advice, partial success and previews."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.lab import ENVIRONMENT, Lab
from tests.support.process import LOOPX, Ran, run_loopx


def loopx(lab: Lab, *arguments: str) -> Ran:
    return lab.project.loopx(*arguments, environment=ENVIRONMENT)


def everything(lab: Lab) -> dict[str, bytes]:
    """Every byte of the workspace but what is derived and local to the machine."""
    found = [each for each in lab.root.rglob("*") if each.is_file() and "local" not in each.relative_to(lab.root).parts]
    return {each.relative_to(lab.root).as_posix(): each.read_bytes() for each in found}


def test_U01_no_reading_command_writes_anything(lab: Lab) -> None:
    todo = lab.todo("Read only")
    lab.close()
    before = everything(lab)
    reads = (
        ("where",), ("status",), ("board",), ("goal", "list"), ("goal", "show", "beta"), ("todo", "list", "--runnable"),
        ("todo", "show", todo), ("gate", "list"), ("vision", "list"), ("why", todo), ("log",), ("show", "HEAD"),
        ("diff", "HEAD~1"), ("op",), ("edit", "list"), ("check",), ("schema", "todo"), ("rollback", "HEAD~1", "--plan"),
        ("undo", "--plan"), ("todo", "list", "--at", "HEAD~1"), ("todo", "add", "--help"),
    )  # fmt: skip
    for each in reads:
        loopx(lab, *each, *(() if "--help" in each else ("--json",))).expect()
    assert everything(lab) == before


def test_U01_a_workspace_that_cannot_be_written_can_be_read(lab: Lab, tmp_path: Path) -> None:
    todo = lab.todo("Read only")
    lab.close()
    place = tmp_path / "mounted"
    place.mkdir()
    mount = ["mount", "--bind", "-o", "ro", str(lab.project.root), str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a folder read-only")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        for each in (("status",), ("todo", "list"), ("todo", "show", todo), ("log",), ("check",), ("where",)):
            ran = run_loopx(*each, "--json", cwd=place, environment=ENVIRONMENT).expect()
            assert ran.json["ok"]
        refused = run_loopx("todo", "add", "No", "--goal", "beta", "--json", cwd=place, environment=ENVIRONMENT)
        assert refused.expect(4).json["error"]["code"] in ("file-failed", "disk-refused")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_U02_json_is_the_only_thing_on_standard_output(lab: Lab) -> None:
    lab.todo("Good")
    lab.save("goals/beta/todos/bad.md", "---\ntitle: Ship: it\n---\n")
    lab.save("goals/beta/todos/misspelt.md", "---\ntitle: Misspelt\npriorty: p1\n---\n")
    os.utime(lab.root / "goals/beta/todos/misspelt.md", (1, 1))
    for arguments in (
        ("todo", "list"),
        ("status",),
        ("todo", "add", "New", "--goal", "beta"),
        ("goal", "show", "beta"),
    ):
        ran = loopx(lab, *arguments, "--json", "--verbose")
        ran.expect(int(arguments == ("status",)))  # the one that tells of the whole workspace
        assert "bad.md" in json.dumps(ran.json)
    ran = loopx(lab, "check", "--json").expect(1)
    places = {each["place"]["path"] for each in (*ran.json["data"]["problems"], *ran.json["data"]["warnings"])}
    assert places == {"goals/beta/todos/bad.md", "goals/beta/todos/misspelt.md"}


def test_U03_no_advice_is_to_run_what_has_just_failed(lab: Lab) -> None:
    todo = lab.todo("Stuck")
    failing = ("todo", "edit", todo, "--priority", "p0")
    hints: dict[str, str] = {}

    def refused() -> None:
        error = loopx(lab, *failing, "--json").json["error"]
        hints[error["code"]] = error["hint"]

    lab.git("checkout", "--quiet", "--detach")
    refused()
    lab.git("checkout", "--quiet", "main")
    (lab.root / lab.path_of(todo)).chmod(0o444)
    refused()
    (lab.root / lab.path_of(todo)).chmod(0o644)
    hook = lab.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    refused()
    assert set(hints) == {"repository-busy", "file-read-only", "hook-refused"}
    assert len(set(hints.values())) == 3
    assert [each for each in hints.values() if "todo edit" in each or not each] == []


def test_U04_each_fault_has_a_code_and_a_remedy_of_its_own(lab: Lab, home: Path) -> None:
    todo = lab.todo("Faulty")
    lab.close()
    found: dict[str, tuple[int, str]] = {}

    def meet(ran: Ran) -> None:
        error = ran.json["error"]
        found[error["code"]] = (ran.code, error["hint"])
        assert "Traceback" not in ran.err

    (home / "gitconfig").write_text("")
    meet(loopx(lab, "todo", "edit", todo, "--priority", "p0", "--json"))
    (home / "gitconfig").write_text("[user]\n\tname = Test Person\n\temail = test@example.invalid\n")
    meet(run_loopx("status", "--json", cwd=lab.project.root.parent, environment=ENVIRONMENT))
    nowhere = {**ENVIRONMENT, "PATH": str(home)}
    meet(lab.project.loopx("todo", "edit", todo, "--priority", "p0", "--json", environment=nowhere))
    main = lab.root / ".git" / "refs" / "heads" / "main"
    tip = main.read_text().strip()
    (lab.root / ".git" / "objects" / tip[:2] / tip[2:]).unlink()
    shutil.rmtree(lab.root / "local")
    meet(loopx(lab, "todo", "edit", todo, "--priority", "p0", "--json"))
    assert len(found) == 4, found
    assert "bug" not in found
    assert len({hint for _, hint in found.values()}) == 4, found


def test_U05_one_bad_file_of_five_is_told_and_the_others_are_taken_in(lab: Lab) -> None:
    for number in range(5):
        lab.save(f"goals/beta/todos/n{number}.md", f"# Number {number}\n" if number != 3 else "---\ntitle: [\n---\n")
        os.utime(lab.root / f"goals/beta/todos/n{number}.md", (1, 1))
    listed = loopx(lab, "edit", "list", "--json").expect(1).json
    assert [each["path"] for each in listed["data"]["edits"]] == ["goals/beta/todos/n3.md"]
    assert not listed["ok"]
    for arguments in (("check",), ("status",)):
        ran = loopx(lab, *arguments).expect(1)
        assert "n3.md" in ran.out + ran.err
    todos = loopx(lab, "todo", "list", "--json").expect().json
    assert {each["title"] for each in todos["data"]["todos"]} == {f"Number {number}" for number in (0, 1, 2, 4)}
    assert [each["place"]["path"] for each in todos["warnings"]] == ["goals/beta/todos/n3.md"]


_BROKEN = {
    "P01": "---\ntitle: Ship: it\n---\n",
    "P06": "---\ntitle: A tab\ntags:\n\t- x\n---\n",
    "P17": "---\ntitle: Conflict\n<<<<<<< ours\npriority: p0\n=======\npriority: p1\n>>>>>>> theirs\n---\n",
    "P19": "---\ntitle: Twice\ntitle: Again\n---\n",
}


@pytest.mark.parametrize("case", _BROKEN)
def test_U06_only_sure_repairs_are_offered_and_the_original_is_kept(lab: Lab, case: str) -> None:
    path, typed = "goals/beta/todos/broken.md", _BROKEN[case].encode()
    lab.save(path, typed)
    os.utime(lab.root / path, (1, 1))
    preview = loopx(lab, "check", "--json").json["data"]["fixes"]
    assert lab.read(path) == typed
    done = loopx(lab, "check", "--fix", "--yes", "--json")
    assert done.json["data"]["fixed"] == [each["path"] for each in preview]
    if preview:
        done.expect()
        [kept] = (lab.root / "local" / "discarded").iterdir()
        assert kept.read_bytes() == typed
        lab.clock.wait(5)
        assert len(lab.todos()) == 1
    else:
        done.expect(1)
        assert lab.read(path) == typed
        assert "--fix" not in loopx(lab, "check").out + loopx(lab, "check").err


def test_U07_what_a_list_shows_can_be_acted_on_after_a_concurrent_change(lab: Lab) -> None:
    todos = [lab.todo(f"Number {number}") for number in range(3)]
    listed = [each["id"] for each in loopx(lab, "todo", "list", "--json").json["data"]["todos"]]
    assert sorted(listed) == sorted(todos)
    lab.change(lab.path_of(todos[0]), "title: Number 0", "title: Renamed by hand")
    (lab.root / lab.path_of(todos[1])).rename(lab.root / "goals/beta/todos/moved.md")
    loopx(lab, "todo", "cancel", todos[2], "--reason", "Not needed").expect()
    for each in listed:
        loopx(lab, "todo", "show", each, "--json").expect()
        assert loopx(lab, "why", each[:6], "--json").expect().json["ok"]
    loopx(lab, "todo", "done", todos[0]).expect()
    assert "is cancelled" in loopx(lab, "todo", "done", todos[2], "--json").expect(1).json["error"]["message"]
    assert loopx(lab, "todo", "show", "1", "--json").expect(1).json["error"]["code"] == "todo-unknown"


def test_U08_git_works_in_the_project_where_loopx_is_not_installed(lab: Lab, tmp_path: Path) -> None:
    lab.todo("Nothing to do with Git")
    lab.close()
    assert [each.name for each in (lab.project.root / ".git" / "hooks").iterdir() if each.suffix != ".sample"] == []
    clone = tmp_path / "clone"
    git = shutil.which("git")
    assert git is not None
    environment = {**os.environ, "PATH": f"{Path(git).parent}:/usr/bin:/bin"}
    for command in (
        ("clone", "--quiet", str(lab.project.root), str(clone)),
        ("-C", str(clone), "commit", "--quiet", "--allow-empty", "--message=fresh"),
        ("-C", str(clone), "rebase", "--quiet", "HEAD~1"),
    ):
        subprocess.run([git, *command], env=environment, check=True, capture_output=True)
    assert not (clone / ".loopx").exists()
    told = run_loopx("status", "--json", cwd=clone, environment=ENVIRONMENT).expect(1)
    assert told.json["error"]["code"] == "workspace-missing"


def test_U09_init_again_keeps_what_was_edited_and_makes_nothing_twice(lab: Lab) -> None:
    lab.change("workspace.yaml", "title: Lab", "title: Ours  # by hand")
    lab.save("goals/beta/todos/bad.md", "---\ntitle: [\n---\n")
    loopx(lab, "where").expect()
    lab.todo("Kept")
    before, log = everything(lab), lab.subjects()
    for _ in range(3):
        assert not loopx(lab, "init", "--title", "Other", "--json").expect().json["data"]["created"]
    assert everything(lab) == before
    assert lab.subjects() == log
    exclude = (lab.project.root / ".git" / "info" / "exclude").read_text().splitlines()
    assert exclude.count(".loopx/") == 1


def test_U10_a_preview_writes_nothing_and_names_what_then_happens(lab: Lab) -> None:
    todo = lab.todo("Previewed")
    before = lab.git("rev-parse", "HEAD").strip()
    loopx(lab, "todo", "edit", todo, "--priority", "p0", "--op", "op-edit").expect()
    previews = (
        (("undo", "op-edit"), ("undo", "op-edit", "--reason", "No")),
        (("rollback", before, "--todo", todo), ("rollback", before, "--todo", todo, "--reason", "Back")),
        (("rollback", before, "--goal", "beta"), ("rollback", before, "--goal", "beta", "--reason", "Back")),
    )
    for preview, act in previews:
        here = everything(lab)
        planned = loopx(lab, *preview, "--plan", "--json").expect().json["data"]
        assert everything(lab) == here
        done = loopx(lab, *act, "--json").expect().json["data"]
        assert done["packet"]["items"] == planned["items"]
        assert done["packet"]["operations"] == planned["operations"]
        loopx(lab, "todo", "edit", todo, "--priority", "p1").expect()
    assert LOOPX
