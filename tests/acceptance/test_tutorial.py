"""Every page that shows what to type is followed to the letter, in an empty folder, by somebody with a fresh home."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.project import Project
from tests.support.source import ROOT
from tests.support.walkthrough import Typed, Walk, Written, steps

DOCS = ROOT / "docs"
ALONE = (
    "../README.md",
    "tutorial/first-workspace.md",
    "tutorial/first-plan.md",
    "how-to/answer-a-gate.md",
    "how-to/close-a-goal.md",
    "how-to/drive-an-agent.md",
    "how-to/edit-by-hand.md",
    "how-to/editors.md",
    "how-to/let-a-coding-agent-work-a-todo.md",
    "how-to/live-page.md",
    "how-to/roll-back.md",
    "how-to/run-the-daemon.md",
    "how-to/take-over-a-lease.md",
    "how-to/use-from-scripts.md",
)
"""Pages that start from nothing; the one on recovery starts from a damaged workspace and has a test of its own."""
WITHOUT_A_WORKSPACE = ("how-to/write-a-recovery-handler.md",)
"""Pages about what runs in memory."""


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed command and its interpreter come first, as in an activated environment; pages wait for nobody."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LOOPX_PAGES", "off")


@pytest.mark.parametrize("page", ALONE)
def test_a_reader_who_types_what_the_page_says_sees_what_it_shows(page: str, tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.follow((DOCS / page).read_text(encoding="utf-8"))
    assert len(walk.said) > 5
    [workspace] = tmp_path.rglob(".loopx")
    project = Project(workspace.parent)
    assert project.loopx_git("fsck", "--strict", "--no-dangling").strip() == ""
    assert project.loopx_git("status", "--porcelain") == ""


@pytest.mark.parametrize("page", WITHOUT_A_WORKSPACE)
def test_a_reader_who_needs_no_workspace_sees_what_the_page_shows(page: str, tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.follow((DOCS / page).read_text(encoding="utf-8"))
    assert len(walk.said) > 1
    assert list(tmp_path.rglob(".loopx")) == []


def test_every_how_to_page_is_followed_by_a_test() -> None:
    pages = {each.relative_to(DOCS).as_posix() for each in (*DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md"))}
    assert {*pages, "../README.md"} == {*ALONE, *WITHOUT_A_WORKSPACE, "how-to/recover-after-a-crash.md"}


def test_a_page_is_read_as_a_person_reads_it() -> None:
    page = "```console\n$ one \\\n  two\n…\n$ three   # exits with 2\n```\n```diff file=a\n-x\n+y\n same\n```\n"
    assert list(steps(page)) == [Typed("one   two", 0, ("…",)), Typed("three   # exits with 2", 2, ()),
        Written("a", "y\nsame\n", "x\nsame\n")]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```console\n$ false\n```\n", "ended with 1, not 0"),
        ("```console\n$ echo one\ntwo\n```\n", "'two', which does not come"),
        ("```console\n$ echo one; echo two\none\n```\n", "ends before the output does"),
        ("```console\n$ echo t-aaaaaaaa\n```\n", "no output before it shows"),
        ("```console\n$ echo t-\\bbbbbbb1 t-\\bbbbbbb2\nt-aaaaaaa1 t-aaaaaaa1\n```\n", "does not come"),
        ("```console\n$ echo x > f\n```\n```diff file=f\n-y\n+z\n```\n", "holds 'y\\n' 0 times"),
    ],
)
def test_a_page_that_is_wrong_would_be_seen(page: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=complaint.replace("\\", "\\\\")):
        Walk(tmp_path).follow(page)


def test_an_id_of_the_page_stands_for_the_one_that_was_seen(tmp_path: Path) -> None:
    page = "```console\n$ echo todo t-\\bbbbbbb1 added\ntodo t-aaaaaaa1 added\n$ echo t-aaaaaaa1\nt-aaaaaaa1\n```\n"
    walk = Walk(tmp_path)
    walk.follow(page)
    assert walk.said[-1] == ("echo t-aaaaaaa1", ["t-bbbbbbb1"])
