"""Cases of file systems, names and encodings: what is protected stays protected, what is odd is told, nothing leaves
the workspace's folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors.exits import Exit
from loopx.workspace import swap
from tests.acceptance.gitscene import GitScene, git_scene
from tests.support.process import run_loopx

TITLES = {
    "long": "x" * 300,
    "reserved": "CON",
    "punctuation": "a/b:c?",
    "dots": "...",
    "emoji": "🚀🔥",
    "blank inside": "  spaces   and\ttabs ",
    "path": "../../outside",
    "dash": "--help",
    "quotes": '"it\'s" `quoted` $HOME',
    "composed": "Café",
    "decomposed": "Cafe\u0301",
    "right to left": "\u202egnp.exe",
}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[GitScene]:
    with git_scene(tmp_path / "lab") as made:
        yield made


# --- X01 modes and links ---------------------------------------------------------------------


def test_X01_a_write_protected_file_is_respected(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    file = scene.root / path
    file.chmod(0o444)
    before = file.read_bytes(), file.stat().st_ino, scene.lab.git("rev-parse", "HEAD")
    told = scene.ask("todo", "done", scene.first, "--op", "op-ro", "--json").expect(Exit.REFUSED).json["error"]
    assert told["code"] == "file-read-only"
    assert told["place"]["path"] == path
    assert (file.read_bytes(), file.stat().st_ino, scene.lab.git("rev-parse", "HEAD")) == before
    assert file.stat().st_mode & 0o777 == 0o444
    scene.done(scene.second)
    file.chmod(0o644)
    scene.ask("todo", "done", scene.first, "--op", "op-ro").expect()
    assert scene.status() == []


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_X01_a_files_mode_is_kept(scene: GitScene, mode: int) -> None:
    for path in (scene.lab.path_of(scene.first), "workspace.yaml"):
        (scene.root / path).chmod(mode)
    scene.ask("todo", "edit", scene.first, "--set", "priority=p0").expect()
    typed = scene.lab.read("workspace.yaml").replace(b"title: ", b"title: The ", 1)
    (scene.root / "workspace.yaml").write_bytes(typed)
    scene.lab.clock.wait(5)
    scene.ask("status").expect()
    for path in (scene.lab.path_of(scene.first), "workspace.yaml"):
        assert (scene.root / path).stat().st_mode & 0o777 == mode
    assert scene.lab.at_head(scene.lab.path_of(scene.first)) == scene.lab.read(scene.lab.path_of(scene.first))


def test_X01_another_name_of_a_file_keeps_what_it_held_and_is_told_of(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    twin = scene.project.parent / "twin.md"
    os.link(scene.root / path, twin)
    held = twin.read_bytes()
    [told] = scene.ask("check", "--json").expect().json["data"]["warnings"]
    assert (told["code"], told["place"]["path"]) == ("file-shared", path)
    scene.ask("todo", "edit", scene.first, "--set", "priority=p0", "--json").expect()
    assert twin.read_bytes() == held, "a file outside is never written through a link"
    assert b"priority: p0" in scene.lab.read(path)


def test_X01_a_linked_document_is_refused_and_what_it_names_left_alone(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    outside = scene.project.parent / "outside.md"
    outside.write_bytes(scene.lab.read(path))
    (scene.root / path).unlink()
    (scene.root / path).symlink_to(outside)
    scene.lab.clock.wait(5)
    held = outside.read_bytes()
    assert "document-link" in scene.ask("check").expect(1).out
    scene.ask("todo", "edit", scene.first, "--set", "priority=p0").expect()
    assert outside.read_bytes() == held
    assert (scene.root / path).is_symlink()
    scene.ask("edit", "discard", path).expect()
    assert not (scene.root / path).is_symlink()
    assert outside.read_bytes() == held


@pytest.mark.parametrize("folder", ["goals", "goals/beta", "goals/beta/todos"])
def test_X01_a_linked_folder_is_not_followed_out_of_the_workspace(scene: GitScene, folder: str) -> None:
    outside = scene.project.parent / "outside"
    (scene.root / folder).rename(outside)
    (scene.root / folder).symlink_to(outside)
    held = sorted((each.relative_to(outside), each.read_bytes()) for each in outside.rglob("*") if each.is_file())
    head = scene.lab.git("rev-parse", "HEAD")
    for _ in range(3):
        scene.lab.clock.wait(5)
        assert "document-link" in scene.ask("check").expect(1).out
    told = scene.ask("todo", "add", "Another", "--goal", "beta", "--json").expect(Exit.REFUSED).json["error"]
    assert (told["code"], told["place"]["path"]) == ("document-link", folder)
    assert len(scene.ask("todo", "list", "--json").expect().json["data"]["todos"]) == 2
    assert scene.lab.git("rev-parse", "HEAD") == head, "nothing behind the link counts as deleted"
    now = sorted((each.relative_to(outside), each.read_bytes()) for each in outside.rglob("*") if each.is_file())
    assert now == held
    (scene.root / folder).unlink()
    outside.rename(scene.root / folder)
    scene.lab.clock.wait(5)
    scene.done(scene.first)
    assert scene.status() == []


# --- X02, X03 identity and paths -------------------------------------------------------------


def test_X02_a_rename_in_case_only_is_the_same_document(scene: GitScene) -> None:
    path = scene.lab.path_of(scene.first)
    other = path.replace("write-the-guide", "Write-The-GUIDE")
    scene.lab.git("mv", path, other)
    scene.lab.clock.wait(5)
    todos = scene.ask("todo", "list", "--json").expect().json["data"]["todos"]
    assert {each["id"] for each in todos} == {scene.first, scene.second}
    assert scene.lab.path_of(scene.first) == other
    assert scene.status() == []


def test_X02_a_name_in_composed_and_decomposed_form_is_one_document_or_told(scene: GitScene) -> None:
    composed, decomposed = "goals/beta/todos/caf\u00e9.md", "goals/beta/todos/cafe\u0301.md"
    scene.lab.save(composed, "# Drink coffee\n")
    scene.ask("todo", "list").expect()
    (scene.root / composed).rename(scene.root / decomposed)
    scene.lab.clock.wait(5)
    assert len(scene.ask("todo", "list", "--json").expect().json["data"]["todos"]) == 3
    assert composed not in scene.lab.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD")
    scene.lab.save(composed, scene.lab.read(decomposed))
    told = scene.ask("check", "--json").expect(1).json["data"]["problems"]
    assert [(each["code"], each["place"]["path"]) for each in told] == [("id-duplicate", composed)]


@pytest.mark.parametrize("pair", [("caf\u00e9", "cafe\u0301"), ("plan", "PLAN")])
def test_X02_names_that_are_one_on_other_systems_are_told_before_a_checkout_breaks(
    scene: GitScene, pair: tuple[str, str]
) -> None:
    for number, name in enumerate(pair):
        scene.lab.save(f"goals/beta/todos/{name}.md", f"# Number {number}\n")
    scene.ask("todo", "list").expect()
    told = scene.ask("check", "--json").json["data"]
    assert "document-name-clash" in [each["code"] for each in (*told["problems"], *told["warnings"])]


BAD_IDS = ("../../app", "/etc/passwd", "a\\0b", "a\\nb", "..", "", "T 1", "t-\u00e9", "x" * 300)


@pytest.mark.parametrize("bad", BAD_IDS)
def test_X03_an_id_by_hand_that_is_none_is_refused_where_it_is_read(scene: GitScene, bad: str) -> None:
    scene.lab.save("goals/beta/todos/new.md", f'---\nid: "{bad}"\ntitle: New\n---\n')
    told = scene.ask("check", "--json").expect(1).json["data"]["problems"]
    assert [each["place"]["path"] for each in told] == ["goals/beta/todos/new.md"]
    assert scene.committed() != ["goals/beta/todos/new.md"]
    assert not (scene.project.parent / "app").exists()


@pytest.mark.parametrize("bad", ["../x", "/etc", "a/b", "..", "", ".hidden", "A", "a\nb", "x" * 65, "caf\u00e9", "-a"])
def test_X03_a_goals_name_that_is_a_path_is_refused_where_it_is_written(scene: GitScene, bad: str) -> None:
    before = sorted(scene.root.parent.rglob("*"))
    said = scene.ask("goal", "new", "--title", "Evil", "--", bad)
    assert said.code in (Exit.REFUSED, Exit.USAGE), said.text
    scene.ask("todo", "add", "Evil", "--goal", "../../x").expect(Exit.REFUSED)
    scene.ask("vision", "set", "--goal", "beta", "--agent", "../../x", "--summary", "x", "--actor", "agent:bot")
    now = [
        each for each in sorted(scene.root.parent.rglob("*")) if ".git" not in each.parts and "local" not in each.parts
    ]
    assert now == [each for each in before if ".git" not in each.parts and "local" not in each.parts]
    assert not (scene.project / "x").exists()


@pytest.mark.parametrize("path", ["../../app.py", "/etc/hostname", "goals/../../app.py"])
def test_X03_settling_an_edit_names_no_file_outside(scene: GitScene, path: str) -> None:
    for verb in ("accept", "discard"):
        assert scene.ask("edit", verb, path, "--json").expect(Exit.REFUSED).json["error"]["code"] == "edit-unknown"
    assert scene.lab.project.read("app.py") == "x = 1\n"


# --- X04, X05 stray files and encodings ------------------------------------------------------


STRAYS = (
    ".t-1.md.swp", "t-1.md~", "#t-1.md#", ".#t-1.md", ".env", "4913", "t-1.md.orig", "t-1.md.rej", "notes.txt",
    ".DS_Store", "t-1.md.bak", "t-1.tmp", "t-1.md.part",
)  # fmt: skip


def test_X04_what_editors_and_systems_leave_behind_is_neither_read_nor_committed(scene: GitScene) -> None:
    before = scene.lab.git("rev-parse", "HEAD")
    for name in STRAYS:
        (scene.root / "goals/beta/todos" / name).write_text("# Secret token 123\n")
    scene.lab.clock.wait(5)
    assert len(scene.ask("todo", "list", "--json").expect().json["data"]["todos"]) == 2
    assert scene.lab.git("rev-parse", "HEAD") == before
    scene.done(scene.first)
    assert "123" not in scene.lab.git("log", "-p", "--format=")
    assert all((scene.root / "goals/beta/todos" / name).exists() for name in STRAYS)


@pytest.mark.parametrize(
    "suffix", [" (conflict copy)", " (Ann's conflicted copy 2026-03-01)", ".sync-conflict-20260301-120000-ABC", " (1)"]
)
def test_X04_a_copy_a_synchronising_tool_made_is_reported(scene: GitScene, suffix: str) -> None:
    path = scene.lab.path_of(scene.first)
    copy = path.removesuffix(".md") + suffix + ".md"
    scene.lab.save(copy, scene.lab.read(path).replace(b"priority: p2", b"priority: p0"))
    told = scene.ask("check", "--json").expect(1).json["data"]["problems"]
    assert [(each["code"], each["place"]["path"]) for each in told] == [("document-conflict-copy", copy)]
    assert scene.ask("todo", "show", scene.first, "--json").json["data"]["priority"] == "p2"
    (scene.root / copy).unlink()


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1", "zh_CN.GBK"])
def test_X05_text_is_utf8_whatever_the_locale(scene: GitScene, locale: str) -> None:
    title = "写指南 für Zoë 🚀"
    scene.lab.close()
    environ = {"LC_ALL": locale, "LANG": locale, "PYTHONIOENCODING": "", "PYTHONUTF8": "0"}
    said = scene.run("todo", "add", title, "--goal", "beta", "--json", environ=environ).expect()
    todo = said.json["data"]["result"]["id"] if "result" in said.json["data"] else said.json["data"]["id"]
    assert title in scene.run("todo", "show", todo, environ=environ).expect().out
    assert title in scene.run("show", "HEAD", environ=environ).expect().out
    assert title in scene.lab.git("log", "-1", "--format=%s")
    assert title.encode() in (scene.root / scene.lab.path_of(todo)).read_bytes()
    scene.run("status", "--render", environ=environ).expect()
    assert title.encode() in b"".join(each.read_bytes() for each in (scene.root / "status").rglob("*.md"))


@pytest.mark.parametrize("typed", ["für".encode("latin-1"), "für".encode("utf-16"), b"\xff\xfe\x00", b"f\x00r"])
def test_X05_bytes_that_are_no_utf8_are_told_with_their_place(scene: GitScene, typed: bytes) -> None:
    path = scene.lab.path_of(scene.first)
    saved = scene.lab.read(path) + b"Notes\n" + typed + b"\n"
    scene.lab.save(path, saved)
    [told] = scene.ask("check", "--json").expect(1).json["data"]["problems"]
    assert told["code"] in ("document-encoding", "document-syntax")
    assert (told["place"]["path"], told["place"]["line"]) == (path, saved[: saved.index(b"Notes")].count(b"\n") + 2)
    assert scene.lab.read(path) == saved
    scene.ask("todo", "done", scene.second).expect()


# --- X06, X07 --------------------------------------------------------------------------------


@pytest.mark.parametrize("refusals", [2, 10_000])
def test_X06_a_file_another_program_holds_is_tried_again_and_then_left_whole(
    scene: GitScene, refusals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is in history; the file follows as soon as the system lets it."""
    path, left = scene.lab.path_of(scene.first), [refusals]
    real, before = swap.exchange, scene.lab.read(path)

    def exchange(one: Path, other: Path) -> bool:
        if left[0] > 0 and other == scene.root / path:
            left[0] -= 1
            raise PermissionError(13, "The file is in use", str(other))
        return real(one, other)

    monkeypatch.setattr(swap, "exchange", exchange)
    scene.ask("todo", "edit", scene.first, "--set", "priority=p0").expect()
    held = scene.lab.read(path)
    assert held == scene.lab.at_head(path) if refusals == 2 else held == before
    monkeypatch.setattr(swap, "exchange", real)
    scene.lab.clock.wait(5)
    assert scene.ask("todo", "show", scene.first, "--json").expect().json["data"]["priority"] == "p0"
    scene.ask("todo", "edit", scene.second, "--set", "priority=p0").expect()
    assert scene.lab.read(path) == scene.lab.at_head(path)
    assert b"priority: p0" in scene.lab.read(path)
    assert scene.status() == []
    scene.ask("edit", "list").expect()
    scene.lab.clock.wait(5)
    scene.ask("todo", "list").expect()
    assert list((scene.root / "local" / "displaced").iterdir()) == []
    assert not (scene.root / "local" / "late.json").exists()


@pytest.mark.parametrize("kind", TITLES)
def test_X07_a_file_gets_a_safe_name_and_the_title_stays(scene: GitScene, kind: str) -> None:
    title = TITLES[kind]
    made = scene.ask("todo", "add", "--goal", "beta", "--json", "--", title)
    if made.code == Exit.REFUSED:
        assert made.json["error"]["code"] in ("title-invalid", "field-value"), made.text
        assert kind in ("right to left", "long")
        return
    todo = made.expect().json["data"]["result"]["id"] if "result" in made.json["data"] else made.json["data"]["id"]
    name = scene.lab.path_of(todo).rpartition("/")[2]
    assert name.startswith(todo)
    assert len(name.encode()) <= 120
    assert all(each.isalnum() or each in "-." for each in name), name
    assert not name.endswith(("-.md", "..md"))
    shown = scene.ask("todo", "show", todo, "--json").expect().json["data"]["title"]
    assert shown == title.strip()
    again = scene.ask("todo", "add", "--goal", "beta", "--json", "--allow-duplicate", "--", title)
    assert again.code in (Exit.DONE, Exit.USAGE)
    assert len({each.name.casefold() for each in (scene.root / "goals/beta/todos").iterdir()}) == len(
        list((scene.root / "goals/beta/todos").iterdir())
    )


def test_X07_titles_that_are_equal_as_names_get_files_of_their_own(scene: GitScene) -> None:
    titles = ("A b", "a-B", "a/b", "a  b!", "A.B")
    for title in titles:
        scene.ask("todo", "add", title, "--goal", "beta").expect()
    listed = scene.ask("todo", "list", "--json").expect().json["data"]["todos"]
    assert {"A b", "a-B", "a/b", "A.B"} <= {each["title"] for each in listed}
    assert len(listed) == 2 + len(titles)
    assert scene.status() == []


def test_the_installed_command_answers_outside_any_workspace(tmp_path: Path) -> None:
    told = run_loopx("status", "--json", cwd=tmp_path).expect(Exit.REFUSED).json["error"]
    assert told["code"] == "workspace-missing"
    assert subprocess.run(["ls", "-A", str(tmp_path)], capture_output=True).stdout == b""
