"""The tests' own tools do what they claim: an oracle that cannot fail proves nothing."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from loopx.model.ids import TODO_PATTERN, is_random_part
from tests.support.clock import START, FakeClock
from tests.support.environment import EMAIL, hermetic, temporary_root
from tests.support.ids import FixedIds
from tests.support.process import finish, kill_hard, run_at_once, run_loopx, start_loopx
from tests.support.project import Project


def test_waiting_moves_the_clock_and_lets_others_act() -> None:
    seen: list[float] = []
    clock = FakeClock()
    clock.while_waiting = lambda: seen.append((clock.now() - START).total_seconds())
    clock.wait(2.5)
    assert seen == [2.5]
    assert clock.waits == [2.5]


def test_foretold_ids_are_valid_distinct_and_repeatable() -> None:
    first, second = FixedIds(), FixedIds()
    made = [first.fresh("t") for _ in range(2000)]
    assert made[:2] == ["t-a0000001", "t-a0000002"]
    assert made == [second.fresh("t") for _ in range(2000)]
    assert len(set(made)) == 2000
    assert all(re.fullmatch(TODO_PATTERN, each) and is_random_part(each[2:]) for each in made)


def test_two_sources_with_different_letters_never_meet() -> None:
    assert FixedIds("b").fresh("t") != FixedIds("c").fresh("t")
    with pytest.raises(ValueError, match="lead"):
        FixedIds("7")


def test_settings_of_the_machines_owner_do_not_reach_a_test(tmp_path: Path) -> None:
    outside = {"PATH": "/bin", "GIT_DIR": "/x", "LOOPX_ACTOR": "agent:x", "LC_TIME": "de_DE", "EDITOR": "vi"}
    outside |= {"PYTHONDONTWRITEBYTECODE": "1"}
    environment = hermetic(tmp_path / "home", outside)
    assert environment["PATH"] == "/bin"
    assert not {"GIT_DIR", "LOOPX_ACTOR", "LC_TIME", "EDITOR", "PYTHONDONTWRITEBYTECODE"} & environment.keys()


def test_temporary_folders_lie_in_memory_unless_somebody_chose_a_place_or_there_is_none(tmp_path: Path) -> None:
    roomy, missing = str(tmp_path), str(tmp_path / "missing")
    assert temporary_root({}, missing) is None
    assert temporary_root({"TMPDIR": "/chosen"}, roomy) is None
    assert temporary_root({"PYTEST_DEBUG_TEMPROOT": "/chosen"}, roomy) == "/chosen"
    is_roomy = shutil.disk_usage(roomy).free >= 1 << 30
    assert temporary_root({}, roomy) == (roomy if is_roomy else None)


def test_every_test_runs_in_its_own_home_as_the_tests_person(home: Path, project: Project) -> None:
    assert os.environ["HOME"] == str(home)
    assert project.git("config", "user.email").strip() == EMAIL
    assert time.strftime("%z") == "+0000"


@pytest.mark.usefixtures("no_git_identity")
def test_the_person_can_be_taken_away(tmp_path: Path) -> None:
    project = Project(tmp_path)
    with pytest.raises(AssertionError, match="git config"):
        project.git("config", "--global", "user.email")


def test_a_command_that_ends_otherwise_than_expected_fails_the_test(tmp_path: Path) -> None:
    ran = run_loopx("--version", cwd=tmp_path).expect(0)
    assert ran.out.startswith("loopx ")
    with pytest.raises(AssertionError, match="ended with 0, not 3"):
        ran.expect(3)


def test_jobs_let_go_together_all_run_and_answer_in_order(tmp_path: Path) -> None:
    ran = run_at_once([["--version"]] * 3, cwd=tmp_path)
    assert [each.code for each in ran] == [0, 0, 0]
    assert all(each.out.startswith("loopx ") for each in ran)


def test_a_killed_process_ends_by_the_signal(tmp_path: Path) -> None:
    process = start_loopx("--version", cwd=tmp_path)
    kill_hard(process.pid)
    assert finish(process).code == -9


UNTOUCHED = {
    "a working file": ("app.py", "x = 2\n"),
    "a new file": ("notes.md", "hello\n"),
    "a hook": (".git/hooks/pre-commit", "#!/bin/sh\n"),
    "the index": (".git/index", ""),
    "HEAD": (".git/HEAD", "ref: refs/heads/other\n"),
    "a branch": (".git/refs/heads/other", "0" * 40 + "\n"),
    "the configuration": (".git/config", "[core]\n"),
    "a third excluded line": (".git/info/exclude", "x\n"),
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_the_oracle_sees_a_change_of(project: Project, name: str) -> None:
    before = project.snapshot()
    project.write(*UNTOUCHED[name])
    with pytest.raises(AssertionError):
        project.assert_untouched(before)


def test_the_oracle_allows_the_workspace_and_its_two_excluded_lines(project: Project) -> None:
    before = project.snapshot()
    project.write(".loopx/workspace.yaml", "title: x\n")
    exclude = project.root / ".git/info/exclude"
    exclude.write_text(exclude.read_text() + ".loopx/\n.local/\n")
    project.assert_untouched(before)


def test_the_oracle_sees_a_changed_mode(project: Project) -> None:
    before = project.snapshot()
    (project.root / "app.py").chmod(0o755)
    with pytest.raises(AssertionError, match=re.escape("app.py")):
        project.assert_untouched(before)


def test_the_command_under_test_is_the_one_beside_this_interpreter() -> None:
    assert Path(sys.executable).with_name("loopx").exists()
