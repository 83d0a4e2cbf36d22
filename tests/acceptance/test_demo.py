"""``loopx demo`` as somebody runs it who has never seen LoopX, and what it leaves for them to explore."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import Ran, run_loopx
from tests.support.project import Project

PAGES = ("README.md", "problems.md", "timeline.md", "graph.md", "board.html", "status.json", "goals/launch.md")
SECONDS = 15.0


@dataclass(frozen=True)
class Seen:
    """A demo that ran: how long it took, what it said, what it left."""

    ran: Ran
    seconds: float
    project: Project
    outside: Path

    def loopx(self, *arguments: str) -> Ran:
        return self.project.loopx(*arguments, environment={"LOOPX_PAGES": "off"})


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """One demo for the tests that only look at what it said and left."""
    outside = tmp_path_factory.mktemp("demo")
    began = time.monotonic()
    ran = run_loopx("demo", cwd=outside)
    return Seen(ran, time.monotonic() - began, Project(outside / "loopx-demo"), outside)


def commands_of(text: str) -> list[str]:
    return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]


def test_it_comes_out_as_told_within_seconds(seen: Seen) -> None:
    seen.ran.expect()
    assert seen.ran.err == ""
    assert seen.seconds < SECONDS


def test_each_step_stands_as_typed_and_is_shown_once(seen: Seen) -> None:
    typed = [line for line in commands_of(seen.ran.out) if line != "loopx edit list"]  # before and after mending
    assert len(typed) > 20
    assert len(set(typed)) == len(typed) - 1, "only the completion that was refused is typed a second time"


@pytest.mark.parametrize(
    "said",
    [
        "error[gate-required]",
        "error[gate-own-question]",
        "gate g-",
        "edit[field-value]: `priority` is `urgent`",
        "goals/launch/todos/announce.md:3:11",
        "hint: Use one of the values named.",
        "every hand edit is accepted",
        "met a1",
        "a plan, nothing is done",
        "1 document put back to",
        "proof ",
        "no problems",
        "board.html",
    ],
)
def test_it_tells_the_whole_job(seen: Seen, said: str) -> None:
    assert said in seen.ran.out


def test_no_colour_reaches_a_pipe(seen: Seen) -> None:
    assert "\x1b" not in seen.ran.out


def test_what_it_leaves_is_a_sound_workspace(seen: Seen) -> None:
    assert "no problems" in seen.loopx("check").expect().out
    assert seen.project.loopx_git("fsck", "--strict", "--no-dangling").strip() == ""
    assert seen.project.loopx_git("status", "--porcelain") == ""
    assert seen.project.loopx_git("rev-parse", "HEAD") == seen.project.loopx_git("rev-parse", "refs/loopx/admitted")


def test_what_it_leaves_can_be_worked_on(seen: Seen) -> None:
    listed = seen.loopx("todo", "list", "--all", "--json").expect().json["data"]["todos"]
    assert {each["title"]: each["status"] for each in listed} == {
        "Write the guide": "done",
        "Publish the guide": "done",
        "Print the guide": "done",
        "Tell the mailing list": "open",
    }
    assert seen.loopx("status").expect().code == 0
    goal = seen.loopx("goal", "show", "launch", "--json").expect().json["data"]
    assert [each["status"] for each in goal["criteria"]] == ["met", "open"]


def test_the_validation_really_ran_on_the_projects_commit(seen: Seen) -> None:
    records = (seen.project.loopx_folder / "goals/launch/evidence").glob("*/*.yaml")
    [told] = [text for each in records if "kind: validation" in (text := each.read_text(encoding="utf-8"))]
    assert "guide.md tells how to install it (1 section)" in told
    assert seen.project.git("rev-parse", "HEAD").strip() in told


def test_the_plan_tried_its_first_step_twice(seen: Seen) -> None:
    shown = seen.loopx("plan", "list", "--all", "--json").expect().json["data"]["plans"]
    assert [(each["status"], each["objective"]) for each in shown] == [("completed", "Print the guide")]
    assert (seen.project.root / "out/guide.html").read_text().startswith("<pre># Guide")
    said = seen.loopx("step", "show", shown[0]["id"], "print").expect().out
    assert "try 1       failed with 1" in said and "try 2       succeeded" in said


def test_the_rollback_left_the_file_as_the_person_had_it(seen: Seen) -> None:
    text = (seen.project.loopx_folder / "goals/launch/todos/announce.md").read_text(encoding="utf-8")
    assert re.fullmatch(r'---\nid: "t-[0-9a-z]{8}"\npriority: p0  # soon\n---\n# Tell the mailing list\n', text), text


def test_every_page_is_there(seen: Seen) -> None:
    status = seen.project.loopx_folder / "status"
    assert [page for page in PAGES if not (status / page).is_file()] == []


def test_the_project_holds_its_own_commit_and_nothing_of_the_workspace(seen: Seen) -> None:
    assert seen.project.git("status", "--porcelain", "--ignored").splitlines() == ["!! .loopx/", "!! out/"]
    assert seen.project.git("log", "--format=%s").splitlines() == ["Start the guide"]
    assert [each.name for each in seen.outside.iterdir()] == ["loopx-demo"]


def test_every_commit_is_by_whoever_made_it(seen: Seen) -> None:
    authors = set(seen.project.loopx_git("log", "--format=%an").splitlines())
    assert authors == {"Test Person", "helper"}


def test_one_envelope_holds_the_facts_of_each_step(tmp_path: Path) -> None:
    told = run_loopx("demo", "first", "--json", cwd=tmp_path).expect().json
    steps: list[dict[str, Any]] = told["data"]["steps"]
    ends = {each["command"]: each["exit"] for each in steps if "command" in each}
    assert told["ok"] is True
    assert told["data"]["folder"] == str(tmp_path / "first")
    assert sorted(set(ends.values())) == [0, 1]
    [rolled_back] = [each for each in steps if "--reason" in each.get("command", "") and "rollback" in each["command"]]
    assert re.fullmatch(r"[0-9a-f]{40,64}", rolled_back["data"]["digest"])


def test_a_machine_without_an_identity_gets_one_for_this_project_only(
    home: Path, no_git_identity: None, tmp_path: Path
) -> None:
    ran = run_loopx("demo", cwd=tmp_path).expect()
    project = Project(tmp_path / "loopx-demo")
    assert "identity-missing" in ran.out
    assert '$ git config user.name "Demo Person"' in ran.out
    assert project.git("config", "--local", "user.name").strip() == "Demo Person"
    assert (home / "gitconfig").read_text(encoding="utf-8") == ""


def test_what_the_person_set_for_other_work_does_not_reach_it(tmp_path: Path) -> None:
    elsewhere = Project.make(tmp_path / "elsewhere")
    elsewhere.loopx("init").expect()
    before = elsewhere.loopx_git("rev-parse", "HEAD")
    settings = {
        "LOOPX_WORKSPACE": str(elsewhere.root),
        "LOOPX_ACTOR": "agent:other",
        "GIT_DIR": str(elsewhere.root / ".git"),
    }
    untouched = elsewhere.snapshot()
    run_loopx("demo", cwd=tmp_path, environment=settings).expect()
    assert elsewhere.loopx_git("rev-parse", "HEAD") == before
    elsewhere.assert_untouched(untouched)


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "loopx-demo").mkdir()
    (tmp_path / "loopx-demo" / "mine.txt").write_text("mine")
    ran = run_loopx("demo", cwd=tmp_path).expect(1)
    assert "error[folder-taken]" in ran.err
    assert "loopx demo DIR" in ran.err
    assert [each.name for each in (tmp_path / "loopx-demo").iterdir()] == ["mine.txt"]


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    for target in ("taken", "taken/below"):
        assert run_loopx("demo", target, "--json", cwd=tmp_path).expect(1).json["error"]["code"] == "folder-taken"


@pytest.mark.parametrize("option", ["--workspace", "--actor"])
def test_options_that_mean_nothing_to_it_are_refused(tmp_path: Path, option: str) -> None:
    assert option in run_loopx("demo", option, "human:Ann", cwd=tmp_path).expect(2).err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_step_that_comes_out_otherwise_ends_it_as_a_bug_that_names_the_step(
    tmp_path: Path, form: tuple[str, ...]
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text("#!/bin/sh\necho the check is broken\nexit 3\n")
    (tools / "python3").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    ran = run_loopx("demo", "first", *form, cwd=tmp_path, environment={"PATH": path}).expect(70)
    told = ran.out if form else ran.err
    assert re.search(r"The demo's step `loopx todo done t-\w{8}` came out otherwise than told", told)
    assert "validation-failed" in told
    assert (tmp_path / "first" / ".loopx").is_dir()


def test_a_person_at_a_terminal_sees_colour(tmp_path: Path) -> None:
    pytest.importorskip("pty")
    told = on_a_terminal(["demo"], tmp_path)
    assert "\x1b[36m$ loopx init --title Demo\x1b[0m" in told
    assert "error[gate-required]" in told


def on_a_terminal(arguments: list[str], folder: Path) -> str:
    """What ``loopx`` says where standard output is a terminal that shows colours."""
    from tests.support.process import LOOPX

    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR")
    process = subprocess.Popen([LOOPX, *arguments], cwd=folder, env=environment, stdin=theirs, stdout=theirs)
    os.close(theirs)
    said = b""
    while chunk := _read(ours):
        said += chunk
    os.close(ours)
    assert process.wait() == 0
    return said.decode()


def _read(terminal: int) -> bytes:
    """The next piece; nothing once the other side is closed, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
