"""A folder of boards as people really keep them, put into a fresh workspace: what is good is kept to the byte, what is
broken is told of where it is broken, and nothing is lost."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.console import Console
from tests.support.lab import Lab

REAL_INPUT = Path(__file__).with_name("real_input")
WEB, HOME, THESIS, ZINE = "goals/website-relaunch", "goals/household", "goals/thesis", "goals/zine"

BROKEN: dict[str, list[tuple[str, int | None, int | None]]] = {
    f"{WEB}/todos/broken-colon.md": [("document-syntax", 3, 21)],
    f"{WEB}/todos/broken-fence.md": [("document-fence-open", 1, 1)],
    f"{HOME}/todos/broken-list.md": [("document-root", 2, 1)],
    f"{HOME}/todos/broken-nothing.md": [("document-empty", 1, 1)],
    f"{HOME}/todos/broken-priority.md": [("field-value", 3, 11), ("field-value", 4, 9)],
    f"{HOME}/todos/broken-tab.md": [("document-syntax", 4, 1)],
    f"{HOME}/todos/setext.md": [("field-missing", 1, 1)],
    f"{THESIS}/todos/broken-latin1.md": [("document-encoding", 2, 17)],
    f"{THESIS}/todos/broken-merge.md": [("document-merge-markers", 3, 1)],
    f"{THESIS}/todos/broken-twice.md": [("document-duplicate-key", 5, 1)],
    f"{ZINE}/gates/broken-scope.md": [("scope-invalid", 3, 8)],
    f"{ZINE}/todos/broken-dependency.md": [("todo-unknown", 3, 13)],
    f"{ZINE}/todos/broken-title.md": [("field-missing", 2, 7)],
    f"{ZINE}/todos/README.md": [("field-missing", 1, 1)],
    "goals/attic/todos/orphan.md": [("goal-unknown", None, None)],
    f"{HOME}/todos/boiler (Ana's conflicted copy 2026-05-01).md": [("document-conflict-copy", None, None)],
    f"{THESIS}/todos/第一章.sync-conflict-20260501-101010-ABCDEFG.md": [("document-conflict-copy", None, None)],
}
"""Every file that is not taken in, with what is wrong: code, line, column (none where the name or place is wrong)."""

STRAYS = {f"{ZINE}/todos/idea.txt", f"{ZINE}/notes.md", f"{ZINE}/Todos/lost.md", f"{HOME}/todos/later/loft.md"}
"""Files nobody reads, which are told of as a notice."""

IGNORED = {
    f"{WEB}/todos/.hosting.md.swp",
    f"{WEB}/todos/hosting.md~",
    f"{WEB}/todos/#photos.md#",
    f"{HOME}/todos/.DS_Store",
    f"{HOME}/todos/4913",
    "README.md",
}
"""What editors and systems leave behind, and a file beside the boards."""

MENDED = {
    f"{WEB}/todos/broken-colon.md": (b"title: Opening hours: check them twice", b'title: "Opening hours: check them twice"'),
    f"{WEB}/todos/broken-fence.md": (b"priority: p2\n\n", b"priority: p2\n---\n\n"),
    f"{HOME}/todos/broken-list.md": (b"- Buy milk\n- Buy bread\n", b"title: Buy milk and bread\n"),
    f"{HOME}/todos/broken-nothing.md": (b"", b"# What was it?\n"),
    f"{HOME}/todos/broken-priority.md": (b"priority: urgent\nstatus: opne", b"priority: p0\nstatus: open"),
    f"{HOME}/todos/broken-tab.md": (b"\t- kitchen", b"  - kitchen"),
    f"{HOME}/todos/setext.md": (b"Repair the garden gate\n======================\n", b"# Repair the garden gate\n"),
    f"{THESIS}/todos/broken-latin1.md": (
        b"Universit\xe9, biblioth\xe8que",
        "Université, bibliothèque".encode(),
    ),
    f"{THESIS}/todos/broken-merge.md": (
        b"<<<<<<< HEAD\npriority: p1\n=======\npriority: p3\n>>>>>>> laptop\n",
        b"priority: p1\n",
    ),
    f"{THESIS}/todos/broken-twice.md": (b"status: open\n", b"reason: no answer yet\n"),
    f"{ZINE}/gates/broken-scope.md": (b"scope: money", b"scope: resource:goal:money"),
    f"{ZINE}/todos/broken-dependency.md": (b"t-00pr1nt3", b"t-00prntrn"),
    f"{ZINE}/todos/broken-title.md": (b"#7 needs a subtitle", b'"#7 needs a subtitle"'),
    f"{ZINE}/todos/README.md": (b"How this folder works\n---\n", b"# How this folder works\n"),
}  # fmt: skip
"""What a person does about each broken text."""

_ID_LINE = re.compile(rb'^ *(?:id|agent): "[a-z0-9-]+"\r?\n', re.MULTILINE)
_ID_IN_BRACES = re.compile(rb'id: "t-[a-z0-9]+", ')
_HEADER_OF_AN_ID = re.compile(rb'\A---\r?\nid: "[a-z0-9-]+"\r?\n---\r?\n')


def typed_files() -> dict[str, bytes]:
    """Path to bytes of the whole tree as people made it."""
    files = (each for each in REAL_INPUT.rglob("*") if each.is_file() and each.name != ".gitattributes")
    return {each.relative_to(REAL_INPUT).as_posix(): each.read_bytes() for each in files}


TYPED = typed_files()
GOOD = sorted(TYPED.keys() - BROKEN.keys() - STRAYS - IGNORED)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A fresh workspace into whose folder the whole tree was copied a while ago."""
    made = Lab.make(tmp_path / "lab")
    before = made.project.snapshot()
    shutil.copytree(REAL_INPUT, made.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".gitattributes"))
    made.clock.wait(60)
    made.ws.close()
    yield made
    made.project.assert_untouched(before)


@pytest.fixture
def ask(lab: Lab) -> Console:
    """The command line after everything was looked at once."""
    console = Console(lab)
    console("status").expect(1)
    return console


def without_inserted_id(committed: bytes, typed: bytes) -> bytes:
    """``committed`` with the one id that adoption put in taken out again."""
    if committed == typed:
        return committed
    for pattern in (_HEADER_OF_AN_ID, _ID_LINE, _ID_IN_BRACES):
        bare, count = pattern.subn(b"", committed, count=1)
        if count and bare == typed:
            return bare
    return committed


def test_the_tree_is_as_varied_as_it_claims() -> None:
    assert len(TYPED) > 65
    assert len(GOOD) > 40
    assert sum(b"\r\n" in TYPED[path] for path in GOOD) >= 5
    assert sum(TYPED[path].startswith(b"\xef\xbb\xbf") for path in GOOD) >= 3
    assert sum(not TYPED[path].startswith((b"---", b"\xef\xbb\xbf---")) for path in GOOD) >= 4
    assert sum(not TYPED[path].endswith(b"\n") for path in GOOD) >= 1


def test_good_files_are_committed_byte_for_byte_but_for_the_ids_put_in(lab: Lab, ask: Console) -> None:
    committed = {path: lab.at_head(path) for path in GOOD}
    assert {path: without_inserted_id(committed[path], TYPED[path]) for path in GOOD} == {
        path: TYPED[path] for path in GOOD
    }
    assert {path: lab.read(path) for path in GOOD} == committed
    with_ids = [path for path in GOOD if committed[path] != TYPED[path]]
    assert set(GOOD) - set(with_ids) == {f"{ZINE}/todos/print-run.md", f"{THESIS}/visions/claude.md"}


def test_everything_good_can_be_listed_under_its_own_title(lab: Lab, ask: Console) -> None:
    todos = ask("todo", "list", "--json").expect().json["data"]
    assert todos["count"] == sum("/todos/" in path for path in GOOD)
    titles = {each["title"] for each in todos["todos"]}
    assert {
        "Redirects: one table, one place",
        "Impressum und Datenschutzerklärung prüfen",
        "写第一章：研究背景",
        "Clean the gutters before the leaves fall",
        "Reread everything aloud, once, from the first page to the last",
        'Bind the "good" copy: glue, not staples',
        "📚📚📚",
    } <= titles
    goals = ask("goal", "list", "--json").expect().json["data"]["goals"]
    assert {each["id"]: each["title"] for each in goals}["zine"] == "Zine #7: weather"
    assert len(ask("gate", "list", "--json").expect().json["data"]["gates"]) == 2


def test_check_lists_every_broken_file_with_place_and_remedy(lab: Lab, ask: Console) -> None:
    told = ask("check", "--json").expect(1).json["data"]
    found: dict[str, list[tuple[str, int | None, int | None]]] = {}
    for each in told["problems"]:
        place = each["place"]
        found.setdefault(place["path"], []).append((each["code"], place.get("line"), place.get("column")))
        assert each["hint"]
        assert len(each["message"]) < 200
    assert found == BROKEN
    assert {each["place"]["path"] for each in told["warnings"] if each["code"] == "document-stray"} == STRAYS
    assert {each["place"]["line"] for each in told["warnings"] if each["code"] == "field-unknown"} == {4, 5, 6, 7}


def test_check_tells_people_the_same_and_can_be_clicked_on(lab: Lab, ask: Console) -> None:
    said = ask("check").expect(1).out
    for path, problems in BROKEN.items():
        for code, line, column in problems:
            assert (f"{path}:{line}:{column}" if line else path) in said
            assert f"error[{code}]" in said
    assert said.count("hint: ") >= len(BROKEN)


def test_nothing_is_lost_not_a_byte(lab: Lab, ask: Console) -> None:
    ask("check")
    ask("status", "--render")
    untouched = TYPED.keys() - set(GOOD)
    assert {path: lab.read(path) for path in untouched} == {path: TYPED[path] for path in untouched}
    on_disk = {each.relative_to(lab.root).as_posix() for each in lab.root.rglob("*") if each.is_file()}
    assert TYPED.keys() <= on_disk


def test_plain_git_tells_the_same(lab: Lab, ask: Console) -> None:
    assert lab.git("log", "--format=%an: %s").splitlines() == [
        f"Test Person: edit: {len(GOOD)} documents by hand",
        'Test Person: workspace: init "Lab"',
    ]
    shown = lab.git("-c", "core.quotePath=false", "show", "--name-status", "--format=", "HEAD").splitlines()
    # What a Vision rests on is noted beside it when it is taken in.
    noted = [path.replace("/visions/", "/baselines/").replace(".md", ".yaml") for path in GOOD if "/visions/" in path]
    assert sorted(line.split("\t") for line in shown) == [["A", path] for path in sorted([*GOOD, *noted])]
    ignored = ("-c", "core.quotePath=false", "status", "--porcelain", "-z", "--untracked-files=all")
    left = {line[3:] for line in lab.git(*ignored).split("\0") if line}
    assert left - IGNORED == BROKEN.keys() | STRAYS
    assert lab.git("fsck", "--strict", "--no-dangling").strip() == ""
    assert "写第一章：研究背景" in lab.git("show", f"HEAD:{THESIS}/todos/第一章.md")


def test_looking_again_changes_nothing(lab: Lab, ask: Console) -> None:
    head, first = lab.git("rev-parse", "HEAD"), ask("check").expect(1).out
    lab.clock.wait(600)
    assert ask("check").expect(1).out == first
    ask("todo", "list").expect()
    assert lab.git("rev-parse", "HEAD") == head


def test_what_is_mended_is_taken_in(lab: Lab, ask: Console) -> None:
    for path, (wrong, right) in MENDED.items():
        content = lab.read(path)
        assert wrong in content
        lab.save(path, content.replace(wrong, right, 1), quiet=False)
    lab.save("goals/attic/goal.md", "# Empty the attic\n", quiet=False)
    for path in BROKEN.keys() - MENDED.keys() - {"goals/attic/todos/orphan.md"}:
        (lab.root / path).unlink()
    lab.clock.wait(60)
    ask("check").expect()
    ask("status").expect()
    ask("edit", "list").expect()
    for path, (wrong, right) in MENDED.items():
        mended = TYPED[path].replace(wrong, right, 1)
        assert without_inserted_id(lab.at_head(path), mended) == mended
    assert "Carry the boxes down" in ask("todo", "list").expect().out


def test_a_command_on_an_adopted_file_changes_one_line(lab: Lab, ask: Console) -> None:
    listed = ask("todo", "list", "--json").expect().json["data"]["todos"]
    for path in (f"{WEB}/todos/impressum.md", f"{HOME}/todos/mixed-ends.md", f"{THESIS}/todos/第一章.md"):
        before = lab.read(path)
        [todo] = [each["id"] for each in listed if f'id: "{each["id"]}"'.encode() in before]
        ask("todo", "edit", todo, "--priority", "p4").expect()
        lines = lab.read(path).splitlines(keepends=True)
        changed = [line for line in lines if line not in before.splitlines(keepends=True)]
        assert len([line for line in changed if not line.startswith(b"rev:")]) == 1
        assert lab.read(path) == lab.at_head(path)
