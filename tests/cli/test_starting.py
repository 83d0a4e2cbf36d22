"""The first commands: version, help, init, where, schema, completion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loopx import __version__
from tests.cli.conftest import Desk
from tests.support.process import LOOPX, run_loopx


def test_the_version_is_answered_before_anything_is_loaded(tmp_path: Path) -> None:
    assert run_loopx("--version", cwd=tmp_path).out == f"loopx {__version__}\n"
    code = "import sys; sys.argv = ['loopx', '--version']; from loopx.cli import main; main(); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {"click", "dataclasses", "loopx.cli.app"} & set(said.stdout.split())


ROOT = Path(__file__).parents[2]


def test_version_and_help_are_answers_too(empty: Desk) -> None:
    assert empty("--json", "--version").expect().json["data"] == {"version": f"loopx {__version__}"}
    assert "Usage: loopx todo add" in empty("todo", "add", "--help", "--json").expect().json["data"]["help"]
    assert empty("-h").out == empty().out == empty("--help").out


def test_U09_init_three_times_makes_one_workspace(empty: Desk) -> None:
    first = empty("init", "--title", "Lab").expect()
    assert first.out.startswith(f"workspace made in {empty.root}\n")
    (empty.root / "workspace.yaml").write_text((empty.root / "workspace.yaml").read_text() + "# mine\n")
    revision = empty("where", "--json").json["revision"]
    for _ in range(2):
        again = empty("init").expect()
        assert again.out.startswith(f"workspace was there already: {empty.root}\n")
    assert empty("where", "--json").json["revision"] == revision
    assert (empty.root / "workspace.yaml").read_text().endswith("# mine\n")


def test_init_takes_a_path_a_title_and_a_place_for_the_history(empty: Desk, tmp_path: Path) -> None:
    words = ("init", str(tmp_path / "notes"), "--title", "Notes", "--git-dir", str(tmp_path / "notes.git"))
    (tmp_path / "notes").mkdir()
    told = empty(*words, "--json").expect().json["data"]
    assert (told["title"], told["root"], told["created"]) == ("Notes", str(tmp_path / "notes" / ".loopx"), True)
    assert told["git_dir"] == str(tmp_path / "notes.git")


def test_where_says_what_is_used_and_why(desk: Desk) -> None:
    assert desk("where").text == (
        f'{desk.root}  "Lab"\n'
        "  because   the nearest one in this folder or above\n"
        f"  project   {desk.project}\n"
        f"  history   {desk.root}/.git\n"
        "  revision  REV\n"
        "--- 0\n"
    )
    named = desk("where", "--workspace", str(desk.project), "--json").json["data"]
    assert named["found_by"] == "option"
    found = desk("where", environ={"LOOPX_WORKSPACE": str(desk.root)})
    assert "named by LOOPX_WORKSPACE" in found.out


def test_a_folder_that_was_deleted_meanwhile_still_belongs_to_those_above_it(desk: Desk) -> None:
    gone = desk.project / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "{LOOPX}" where'
    ran = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"{desk.root}  ")


def test_options_may_stand_before_the_noun(desk: Desk) -> None:
    assert desk("--json", "--workspace", str(desk.project), "goal").expect().json["data"]["count"] == 1
    error = desk("--workspace", "/nowhere", "goal", "--json").expect(1).json["error"]
    assert error["place"]["path"] == "--workspace"
    assert desk("--workspace", "/nowhere", "goal", "--workspace", str(desk.project)).expect().code == 0


def test_schemas_are_listed_and_printed(empty: Desk) -> None:
    assert "todo" in empty("schema").expect().out.splitlines()
    printed = json.loads(empty("schema", "todo").expect().out)
    assert printed["title"] == "LoopX todo"
    assert empty("schema", "todo", "--json").expect().json["data"]["schema"] == printed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_shell_is_taught_our_words(empty: Desk, shell: str) -> None:
    assert "_LOOPX_COMPLETE" in empty("completion", shell).expect().out


def test_a_shell_completes_words_options_and_ids(desk: Desk) -> None:
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    desk("todo", "add", "Record", "--goal", "beta").expect()

    def completed(line: str) -> set[str]:
        words = line.split(" ")
        environ = {"_LOOPX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        said = run_loopx(cwd=desk.project, environment=environ).expect().out
        return {each.partition(",")[2] for each in said.splitlines() if each}

    assert {"todo", "goal", "status"} <= completed("loopx ")
    assert {"add", "list", "done"} <= completed("loopx todo ")
    assert completed("loopx todo show t-a") == {"t-a0000001", "t-a0000002"}
    assert completed("loopx todo list --goal b") == {"beta"}
    assert "--priority" in completed("loopx todo add --pri")
    assert completed("loopx gate show g") == set()


def test_completion_outside_a_workspace_offers_nothing_and_says_nothing(tmp_path: Path) -> None:
    environ = {"_LOOPX_COMPLETE": "fish_complete", "COMP_WORDS": "loopx todo show t", "COMP_CWORD": "t"}
    ran = run_loopx(cwd=tmp_path, environment=environ).expect()
    assert (ran.out.strip(), ran.err) == ("", "")


def test_X05_a_latin_1_locale_changes_no_text(desk: Desk) -> None:
    title = "写用户指南 – é"
    locale = {"LC_ALL": "en_US.ISO-8859-1", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for environ in (locale, {**locale, "LC_ALL": "C"}):
        run_loopx("todo", "add", title, "--goal", "beta", cwd=desk.project, environment=environ).expect()
        assert title in run_loopx("todo", "list", cwd=desk.project, environment=environ).expect().out
    assert title in desk.file("goals/beta/todos/t-*.md").read_text(encoding="utf-8")
