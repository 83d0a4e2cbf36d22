"""What is taken away, replaced or wound back under a running daemon: it stops and asks, and undoes nothing."""

from __future__ import annotations

import os
import shutil
import time

from tests.support.watched import GUIDE, Watched


def test_D08_without_events_it_polls_and_says_so(own: Watched) -> None:
    own.start(extra={"LOOPX_WATCH": "polling"})
    found = own.health() or {}
    assert (found["mode"], found["why"]) == ("polling", "polling was asked for")
    content = own.path(GUIDE).read_bytes() + b"seen by polling\n"
    own.path(GUIDE).write_bytes(content)
    own.until_accepted(GUIDE, content)
    os.replace(own.path(GUIDE), own.path("goals/beta/todos/renamed.md"))
    own.until_accepted("goals/beta/todos/renamed.md", content)


def test_D08_a_workspace_that_goes_and_comes_back_lost_nothing(own: Watched) -> None:
    """As an unmount and a mount do it; and then another folder in its place, as a restored backup is."""
    own.start()
    own.path(GUIDE).write_bytes(own.path(GUIDE).read_bytes() + b"before\n")
    own.flush()
    before, away = own.commits(), own.project / "away"
    os.replace(own.root, away)
    own.wait(lambda: "workspace-gone" in own.said)
    assert own.process is not None
    left = sorted(each.as_posix() for each in own.root.rglob("*"))
    assert not own.root.exists(), f"nothing is made where the workspace was: {left}"
    os.replace(away, own.root)
    own.wait(lambda: f"{own.root} is back." in own.said)
    assert own.commits() == before
    own.flush()
    shutil.copytree(own.root, away, symlinks=True, ignore=shutil.ignore_patterns("daemon.*"))
    shutil.rmtree(own.root)
    os.replace(away, own.root)
    own.wait(lambda: own.said.count("is back.") == 2)
    own.flush()
    assert own.commits() == before + 4


def test_D09_all_todos_moved_away_is_asked_about_and_no_deletion(own: Watched) -> None:
    own.start()
    before, todos, away = own.commits(), own.path("goals/beta/todos"), own.project / "away"
    os.replace(todos, away)
    own.wait(lambda: "[mass-deletion]" in own.said)
    assert own.commits() == before
    assert not todos.exists()
    os.replace(away, todos)
    own.wait(lambda: "no longer refused" in own.said)
    own.flush()
    assert own.commits() == before + 2
    own.assert_sound()


def test_D09_goals_moved_away_and_back_are_watched_again(own: Watched) -> None:
    own.start()
    before, goals, away = own.commits(), own.path("goals"), own.project / "away"
    os.replace(goals, away)
    own.wait(lambda: "[mass-deletion]" in own.said)
    assert not goals.exists(), "nothing is made in its place"
    os.replace(away, goals)
    own.wait(lambda: "no longer refused" in own.said)
    own.flush()
    assert own.commits() == before + 2
    assert (own.health() or {})["mode"] == "events"


def test_D09_a_branch_that_never_had_a_workspace_changes_nothing(own: Watched) -> None:
    project = ["git", "-C", str(own.project)]
    for words in (["commit", "-q", "--allow-empty", "-m", "base"], ["checkout", "-q", "--orphan", "bare"]):
        assert os.spawnvpe(os.P_WAIT, "git", [*project, *words], own.environ) == 0
    own.start()
    before = own.commits()
    assert os.spawnvpe(os.P_WAIT, "git", [*project, "checkout", "-q", "-b", "other"], own.environ) == 0
    own.flush()
    assert own.commits() == before + 2


def test_D10_a_reset_stays_as_the_person_left_it(own: Watched) -> None:
    own.start()
    original = own.path(GUIDE).read_bytes()
    content = original + b"to be wound back\n"
    own.path(GUIDE).write_bytes(content)
    own.until_accepted(GUIDE, content)
    own.wait(lambda: own.git("status", "--porcelain") == "")
    target = own.git("rev-parse", "HEAD~1").strip()
    own.git("reset", "-q", "--hard", "HEAD~1")
    own.wait(lambda: "history-rewritten" in own.said)
    time.sleep(1)
    assert own.git("rev-parse", "HEAD").strip() == target
    assert own.path(GUIDE).read_bytes() == original
    own.loopx("history", "keep", "new", "--reason", "wound back on purpose").expect()
    own.wait(lambda: "All is well again" in own.said)
    own.flush()
    assert own.path(GUIDE).read_bytes() == original


def test_D10_another_branch_and_a_stash_stay_as_the_person_left_them(own: Watched) -> None:
    own.start()
    own.git("checkout", "-q", "-b", "other")
    content = own.path(GUIDE).read_bytes() + b"typed on the other branch\n"
    own.path(GUIDE).write_bytes(content)
    own.wait(lambda: "is busy" in own.said)
    assert own.git("symbolic-ref", "HEAD").strip() == "refs/heads/other"
    assert own.path(GUIDE).read_bytes() == content
    own.git("stash", "-q")
    own.git("checkout", "-q", "main")
    own.wait(lambda: "All is well again" in own.said)
    assert own.at_head(GUIDE) == own.path(GUIDE).read_bytes() != content
    own.git("stash", "pop", "-q")
    own.until_accepted(GUIDE, content)


def test_D14_what_failed_is_tried_again_without_another_edit(own: Watched) -> None:
    own.start()
    objects, away = own.path(".git/objects"), own.path(".git/elsewhere")
    os.replace(objects, away)
    content = own.path(GUIDE).read_bytes() + b"saved while nothing could be written\n"
    own.path(GUIDE).write_bytes(content)
    own.wait(lambda: (own.health() or {})["failures"] > 0)
    os.replace(away, objects)
    own.until_accepted(GUIDE, content)
    own.wait(lambda: (own.health() or {})["problems"] == [])


def test_D16_pages_are_made_from_the_files_and_never_read_back(own: Watched) -> None:
    own.start()
    own.flush()
    own.stop()
    for number in range(3):
        path = own.path(f"goals/beta/todos/item-{number}.md")
        path.write_text(path.read_text().replace(f"title: Item {number}", f"title: Changed {number}"))
    page = own.root / "status/goals/beta.md"
    page.unlink(missing_ok=True)
    overview = own.root / "status/README.md"
    overview.write_text("# Everything is done\n")
    before = own.commits()
    own.start()
    own.wait(lambda: page.exists() and all(f"Changed {number}" in page.read_text() for number in range(3)))
    own.wait(lambda: "Everything is done" not in overview.read_text())
    own.wait(lambda: own.git("rev-parse", "--short=7", "HEAD").strip()[:7] in overview.read_text())
    assert own.commits() == before + 1
    assert "Everything is done" not in own.git("log", "-p", "--format=")
