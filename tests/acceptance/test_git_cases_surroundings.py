"""Cases of what Git finds around it: leaking variables, a missing identity, wishes to sign, somebody else's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors.exits import Exit
from tests.acceptance.gitscene import GitScene, git_scene, plain
from tests.support.process import run_loopx


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[GitScene]:
    with git_scene(tmp_path / "lab") as made:
        yield made


LEAKS = {
    "GIT_INDEX_FILE": "{other}/.git/index",
    "GIT_WORK_TREE": "{other}",
    "GIT_DIR": "{other}/.git",
    "GIT_OBJECT_DIRECTORY": "{other}/.git/objects",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
    "GIT_CONFIG_COUNT": "1",
}


@pytest.mark.parametrize("name", LEAKS)
def test_G09_a_variable_of_gits_that_leaks_in_redirects_nothing(scene: GitScene, tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert plain(other, "init", "--quiet").returncode == 0
    before = {each: each.read_bytes() for each in other.rglob("*") if each.is_file()}
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p0")
    scene.lab.close()
    environ = {name: LEAKS[name].format(other=other), "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true"}
    scene.run("todo", "add", "Leaky", "--goal", "beta", environ=environ).expect()
    scene.run("log", environ=environ).expect()
    scene.run("check", environ=environ).expect()
    assert {each: each.read_bytes() for each in other.rglob("*") if each.is_file()} == before
    assert scene.status() == []
    assert len(scene.committed()) == 1
    assert "2001" not in scene.lab.git("log", "--format=%ai %ci")


def test_G24_without_an_identity_nobody_is_made_up(scene: GitScene, home: Path) -> None:
    (home / "gitconfig").write_text("")
    before = scene.lab.git("rev-parse", "HEAD")
    told = scene.ask("todo", "done", scene.first, "--json").expect(Exit.REFUSED).json["error"]
    assert told["code"] == "identity-missing"
    assert "user.name" in told["hint"]
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p0")
    typed = scene.lab.read(path)
    listed = scene.ask("todo", "list", "--json").expect()
    assert "identity-missing" in [each["code"] for each in listed.json["warnings"]]
    assert scene.lab.git("rev-parse", "HEAD") == before
    scene.ask("todo", "done", scene.second, "--actor", "agent:bot").expect()
    assert scene.lab.git("log", "-1", "--format=%an <%ae> %cn").strip() == "bot <bot@agents.invalid> bot"
    assert scene.lab.read(path) == typed
    assert plain(scene.project.parent, "init", "--quiet", "bare").returncode == 0
    refused = run_loopx("init", "--json", cwd=scene.project.parent / "bare").expect(Exit.REFUSED)
    assert refused.json["error"]["code"] == "identity-missing"
    assert not (scene.project.parent / "bare" / ".loopx").exists()


@pytest.mark.parametrize("program", ["/bin/false", "/nowhere/gpg"])
def test_G23_a_global_wish_to_sign_neither_stops_nor_hangs_the_workspace(
    scene: GitScene, home: Path, program: str
) -> None:
    scene.lab.project.git("config", "--global", "commit.gpgSign", "true")
    scene.lab.project.git("config", "--global", "gpg.program", program)
    scene.done(scene.first)
    assert scene.lab.git("log", "-1", "--format=%G?").strip() == "N"
    scene.lab.git("config", "commit.gpgSign", "true")
    before = scene.lab.git("rev-parse", "HEAD")
    told = scene.ask("todo", "done", scene.second, "--op", "op-sign", "--json").expect(Exit.UNAVAILABLE).json["error"]
    assert told["code"] == "signing-failed"
    assert scene.lab.git("rev-parse", "HEAD") == before, "never unsigned where signing is asked for"
    assert scene.status() == []
    scene.lab.git("config", "commit.gpgSign", "false")
    scene.ask("todo", "done", scene.second, "--op", "op-sign").expect()


def test_G23_init_that_is_to_sign_and_cannot_makes_no_unsigned_history(tmp_path: Path) -> None:
    assert plain(tmp_path, "init", "--quiet", "lab").returncode == 0
    plain(tmp_path, "config", "--global", "gpg.program", "/bin/false")
    told = run_loopx("init", "--sign", "--json", cwd=tmp_path / "lab").expect(Exit.UNAVAILABLE)
    assert told.json["error"]["code"] == "signing-failed"
    plain(tmp_path, "config", "--global", "--unset", "gpg.program")
    run_loopx("init", cwd=tmp_path / "lab", environment={"LOOPX_PAGES": "off"}).expect()
    run_loopx("goal", "new", "beta", "--title", "Ship", cwd=tmp_path / "lab").expect()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_G25_a_repository_of_somebody_else_is_told_as_such_with_the_remedy(scene: GitScene) -> None:
    scene.lab.close()
    for folder, folders, files in os.walk(scene.root):
        for name in (".", *folders, *files):
            os.lchown(os.path.join(folder, name), 12345, 12345)
    told = scene.run("todo", "done", scene.first, "--json").expect(Exit.UNAVAILABLE).json["error"]
    assert told["code"] == "repository-owner"
    assert "safe.directory" in told["hint"]
    assert "Record the demo" in scene.run("todo", "list").expect().out
    scene.lab.project.git("config", "--global", "--add", "safe.directory", str(scene.root))
    scene.run("todo", "done", scene.first).expect()
