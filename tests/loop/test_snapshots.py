"""Snapshots of a real project: taken, put back and laid out, and everything that speaks against it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.keeping.snapshots import ProjectArtifacts, scopes_of, sweep
from loopx.model.step import StepEffect
from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from tests.store.building import git
from tests.support.clock import FakeClock
from tests.support.components import planned

RUN = "run-4k9x2m7q"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "lab"
    made.mkdir()
    git(made, "init", "-q")
    (made / ".gitignore").write_text("*.log\nlib/\n.loopx/\n")
    save(made, {"src/app.py": "one\n", "src/sub/x.py": "x\n", "src/run.sh": "#!\n", "README": "read me\n"})
    (made / "src/run.sh").chmod(0o755)
    git(made, "add", ".")
    return made


@pytest.fixture
def store(project: Path, clock: FakeClock) -> Iterator[GitStore]:
    made = create(project / ".loopx", clock=clock)
    yield made
    made.close()


@pytest.fixture
def artifacts(store: GitStore, project: Path, clock: FakeClock) -> ProjectArtifacts:
    return of(store, project, clock)


def of(store: GitStore, project: Path, clock: FakeClock, *scopes: str, **more: Any) -> ProjectArtifacts:
    return ProjectArtifacts(store.snapshots, project, scopes or ("src/**",), more.pop("run", RUN), clock, **more)


def save(project: Path, files: dict[str, str | None]) -> None:
    for path, text in files.items():
        if text is None:
            (project / path).unlink()
        else:
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)


def files(project: Path, under: str = "src") -> dict[str, str]:
    found = (each for each in (project / under).rglob("*") if each.is_file() or each.is_symlink())
    return {each.relative_to(project).as_posix(): each.read_text() for each in sorted(found)}


def refused(artifacts: ProjectArtifacts, snapshot: str, code: str) -> LoopxError:
    with pytest.raises(LoopxError) as no:
        artifacts.restore(snapshot)
    assert no.value.code == code
    return no.value


def test_files_go_back_to_what_they_were_and_new_ones_go(artifacts: ProjectArtifacts, project: Path) -> None:
    before, good = files(project), artifacts.take("s1")
    save(project, {"src/app.py": "two\n", "src/sub/x.py": None, "src/made/deep/y.py": "y\n", "README": "mine\n"})
    (project / "src/sub").rmdir()
    (project / "src/run.sh").chmod(0o644)
    index = (project / ".git/index").read_bytes()
    artifacts.take("s2")
    assert artifacts.restore(good) == artifacts.tree(good)
    assert files(project) == before and not (project / "src/made").exists()
    assert os.access(project / "src/run.sh", os.X_OK)
    assert (project / "README").read_text() == "mine\n"  # outside the scopes
    assert (project / ".git/index").read_bytes() == index


def test_the_present_is_kept_before_anything_goes_back(
    artifacts: ProjectArtifacts, project: Path, store: GitStore
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n"})
    artifacts.take("s2")
    save(project, {"src/app.py": "three\n"})
    artifacts.restore(good, over_others=True)
    names = [each.name.rpartition("-")[0].rpartition("/")[2] for each in store.snapshots.named(RUN)]
    assert names == ["000001", "000002", "000003-before", "000004"]
    kept = store.snapshots.named(RUN)[2].oid
    assert store.find(kept, "src/app.py") == ("src/app.py", store.hash(b"three\n"), 0o100644)


def test_a_snapshot_of_what_did_not_change_is_the_same(artifacts: ProjectArtifacts, project: Path) -> None:
    first = artifacts.take("s1")
    assert artifacts.take("s2") == first
    save(project, {"src/app.py": "two\n"})
    assert artifacts.take("s3") != first


def test_changes_of_somebody_else_are_not_overwritten_unless_told(artifacts: ProjectArtifacts, project: Path) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n"})
    artifacts.take("s2")
    save(project, {"src/app.py": "a person's\n", "src/note.txt": "a person's\n"})
    now = files(project)
    for _ in range(2):  # to be refused changes nothing about being refused
        no = refused(artifacts, good, "snapshot-overwrites")
        assert no.problem.facts["paths"] == ["src/app.py", "src/note.txt"] and files(project) == now
    assert artifacts.restore(good, over_others=True) == artifacts.tree(good)
    assert files(project)["src/app.py"] == "one\n" and "src/note.txt" not in files(project)


def test_what_somebody_changed_between_executions_stays_theirs(
    artifacts: ProjectArtifacts, store: GitStore, project: Path, clock: FakeClock
) -> None:
    artifacts.found()  # nothing was left yet, so nothing can differ from it
    good = artifacts.take("s1")
    save(project, {"src/note.txt": "a person's\n"})
    artifacts.found()
    save(project, {"src/app.py": "two\n"})
    bad = artifacts.take("s2")
    no = refused(of(store, project, clock), good, "snapshot-overwrites")  # another process knows it too
    assert no.problem.facts["paths"] == ["src/note.txt"]
    save(project, {"src/app.py": "three\n"})
    artifacts.take("s3")
    assert artifacts.restore(bad) == artifacts.tree(bad)  # which holds the note
    assert files(project) | {"src/note.txt": "a person's\n", "src/app.py": "two\n"} == files(project)


def test_what_somebody_made_as_it_was_is_not_in_the_way(artifacts: ProjectArtifacts, project: Path) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n", "src/sub/x.py": "z\n"})
    artifacts.take("s2")
    save(project, {"src/app.py": "one\n"})
    assert artifacts.restore(good) == artifacts.tree(good)


def test_another_process_knows_how_the_last_execution_left_the_files(
    artifacts: ProjectArtifacts, store: GitStore, project: Path, clock: FakeClock
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n"})
    artifacts.take("s2")
    save(project, {"src/sub/x.py": "a person's\n"})
    refused(of(store, project, clock), good, "snapshot-overwrites")
    save(project, {"src/sub/x.py": "x\n"})
    assert of(store, project, clock).restore(good) == artifacts.tree(good)


def test_a_restore_that_was_cut_short_is_taken_up_again(
    artifacts: ProjectArtifacts, store: GitStore, project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n", "src/sub/x.py": "z\n", "src/y": "y\n"})
    artifacts.take("s2")
    written: list[Any] = []

    def replace(source: Any, target: Any) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(target)
        os.rename(source, target)

    monkeypatch.setattr("loopx.loop.keeping.laying_out.os.replace", replace)
    with pytest.raises(KeyboardInterrupt):
        artifacts.restore(good)
    monkeypatch.undo()
    assert list((project / "src").rglob(".loopx-restoring-*"))
    again = of(store, project, clock)
    assert again.restore(good) == artifacts.tree(good)


def test_a_file_and_a_folder_trade_places(artifacts: ProjectArtifacts, project: Path) -> None:
    good, before = artifacts.take("s1"), files(project)
    save(project, {"src/sub/x.py": None, "src/app.py": None})
    (project / "src/sub").rmdir()
    save(project, {"src/sub": "a file\n", "src/app.py/in": "a folder\n"})
    bad = artifacts.take("s2")
    assert artifacts.restore(good) == artifacts.tree(good) and files(project) == before
    assert artifacts.restore(bad) == artifacts.tree(bad) and (project / "src/sub").read_text() == "a file\n"


def test_links_within_the_scopes_go_back_as_links(artifacts: ProjectArtifacts, project: Path) -> None:
    (project / "src/near").symlink_to("app.py")
    good = artifacts.take("s1")
    (project / "src/near").unlink()
    save(project, {"src/near": "now a file\n"})
    artifacts.take("s2")
    assert artifacts.restore(good) == artifacts.tree(good)
    assert os.readlink(project / "src/near") == "app.py" and (project / "src/app.py").read_text() == "one\n"


def test_nothing_is_written_through_a_link(artifacts: ProjectArtifacts, project: Path, tmp_path: Path) -> None:
    good = artifacts.take("s1")
    save(project, {"src/sub/x.py": None})
    (project / "src/sub").rmdir()
    (tmp_path / "away").mkdir()
    (project / "src/sub").symlink_to(tmp_path / "away")
    artifacts.take("s2")
    assert "src/sub" in artifacts.uncovered
    assert "src/sub" in str(refused(artifacts, good, "snapshot-blocked"))
    assert list((tmp_path / "away").iterdir()) == [] and (project / "src/sub").is_symlink()


def test_what_no_snapshot_holds_is_not_overwritten(store: GitStore, project: Path, clock: FakeClock) -> None:
    artifacts = of(store, project, clock, largest=10)
    good = artifacts.take("s1")
    save(project, {"src/app.py": "x" * 20})
    artifacts.take("s2")
    assert "larger" in artifacts.uncovered["src/app.py"]
    refused(artifacts, good, "snapshot-blocked")
    assert (project / "src/app.py").read_text() == "x" * 20


def test_ignored_files_stay_and_keep_their_folder(artifacts: ProjectArtifacts, project: Path) -> None:
    good = artifacts.take("s1")
    save(project, {"src/made/y.py": "y\n", "src/made/run.log": "log\n"})
    artifacts.take("s2")
    assert artifacts.uncovered == {"src/made/run.log": "it is ignored"}
    artifacts.restore(good)
    assert files(project, "src/made") == {"src/made/run.log": "log\n"}


def test_nothing_outside_what_may_be_written_now_is_touched(
    artifacts: ProjectArtifacts, store: GitStore, project: Path, clock: FakeClock
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n", "src/sub/x.py": "z\n"})
    narrow = of(store, project, clock, "src/sub/**")
    narrow.take("s2")
    no = refused(narrow, good, "snapshot-overwrites")
    assert no.problem.facts["paths"] == ["src/app.py"]
    with pytest.raises(LoopxError) as blocked:
        narrow.restore(good, over_others=True)
    assert blocked.value.code == "snapshot-blocked" and (project / "src/sub/x.py").read_text() == "z\n"


def test_wider_scopes_do_not_make_older_snapshots_remove_what_they_never_held(
    artifacts: ProjectArtifacts, store: GitStore, project: Path, clock: FakeClock
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n", "docs/guide": "mine\n"})
    wide = of(store, project, clock, "**")
    wide.take("s2")
    assert wide.restore(good) == wide.tree(good)
    assert (project / "docs/guide").read_text() == "mine\n" and (project / "README").exists()


def test_an_interfering_hand_shows_in_the_hash(
    artifacts: ProjectArtifacts, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = artifacts.take("s1")
    save(project, {"src/app.py": "two\n"})
    artifacts.take("s2")

    def replace(source: Any, target: Any) -> None:
        os.rename(source, target)
        Path(target).write_text("somebody was quicker\n")

    monkeypatch.setattr("loopx.loop.keeping.laying_out.os.replace", replace)
    assert artifacts.restore(good) != artifacts.tree(good)


def test_an_unknown_snapshot_is_told(artifacts: ProjectArtifacts, store: GitStore) -> None:
    refused(artifacts, "0" * 40, "snapshot-unknown")
    refused(artifacts, store.snapshots.write({}, "something else", FakeClock().now()), "snapshot-unknown")


# laid out ----------------------------------------------------------------------------------------


def test_a_clean_checkout_has_the_snapshot_and_the_rest_of_the_project(
    artifacts: ProjectArtifacts, project: Path
) -> None:
    save(project, {"src/run.log": "log\n", "lib/big": "big\n"})
    good = artifacts.take("s1")
    save(project, {"src/app.py": "later\n", "src/more.py": "later\n", "README": "as it is now\n"})
    with artifacts.checkout(good) as folder:
        there = Path(folder)
        assert files(there, ".") == {
            ".gitignore": "*.log\nlib/\n.loopx/\n",
            "README": "as it is now\n",
            "src/app.py": "one\n",
            "src/run.sh": "#!\n",
            "src/sub/x.py": "x\n",
        }
        assert os.access(there / "src/run.sh", os.X_OK)
        (there / "src/app.py").write_text("a verifier may write here\n")
    assert not there.exists() and (project / "src/app.py").read_text() == "later\n"
    assert len(git(project, "worktree", "list").splitlines()) == 1


def test_declared_ignored_paths_are_carried_along(artifacts: ProjectArtifacts, project: Path) -> None:
    save(project, {"lib/big": "big\n", "src/run.log": "log\n"})
    good = artifacts.take("s1")
    with artifacts.checkout(good, ("lib", "src/run.log")) as folder:
        assert (Path(folder) / "lib/big").read_text() == "big\n"
        assert (Path(folder) / "src/run.log").read_text() == "log\n"
    assert (project / "lib/big").read_text() == "big\n"
    for path in ("gone", "../x", "/etc", ".loopx", ".git", ""):
        with pytest.raises(LoopxError) as no, artifacts.checkout(good, (path,)):
            pass
        assert no.value.code == "checkout-missing"


# who is asked for what ---------------------------------------------------------------------------


def test_old_snapshots_go_but_those_of_open_runs_stay(store: GitStore, project: Path, clock: FakeClock) -> None:
    for run in ("run-aaaa1111", "run-bbbb2222", RUN):
        of(store, project, clock, run=run).take("s1")
    clock.advance(days=15)
    of(store, project, clock, run="run-cccc3333").take("s1")
    dropped = sweep(store.snapshots, [RUN, "run-bbbb2222"], clock.now())
    assert dropped == ["run-aaaa1111/000001-s1"]
    assert sweep(store.snapshots, [RUN, "run-bbbb2222"], clock.now(), timedelta(days=1)) == []


def test_the_scopes_of_a_plan_are_what_its_writing_steps_name() -> None:
    steps = [
        planned("a", id="s1", write_scopes=("src/**", "docs/**")),
        planned("b", id="s2", write_scopes=("src/**",)),
        planned("c", id="s3", write_scopes=("never",), effects=(StepEffect.READ,)),
        planned("d", id="s4"),
    ]
    assert scopes_of(steps) == ("src/**", "docs/**")


def test_without_scopes_nothing_is_held_and_nothing_goes(store: GitStore, project: Path, clock: FakeClock) -> None:
    artifacts = ProjectArtifacts(store.snapshots, project, (), RUN, clock)
    good, before = artifacts.take("s1"), files(project)
    save(project, {"src/app.py": "two\n"})
    assert artifacts.restore(good) == artifacts.tree(good)
    assert files(project) == {**before, "src/app.py": "two\n"}
