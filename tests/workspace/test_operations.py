"""An operation is read back under its own id: what is known of it, and what is not, after answers were lost."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel import commands as c
from loopx.workspace import Workspace
from loopx.workspace.crashpoints import POINTS
from loopx.workspace.proposal import RefusedError
from loopx.workspace.reports import OperationReport
from tests.support.lab import ANN, BOT, ENVIRONMENT, Crash, Lab, crash_at

OP = "op-the-one"
WAY_BACK = {"identity", "why", "reread", "entrypoint", "stop_when", "owner"}
UNFINISHED = POINTS[POINTS.index("published") : POINTS.index("admitted")]


def read_back(lab: Lab, operation: str = OP) -> OperationReport:
    """What a process that knows nothing but the id is told."""
    with Workspace.find(lab.project.root, environ=ENVIRONMENT, clock=lab.clock) as other:
        return other.operation(operation)


def begun(lab: Lab, point: str) -> str:
    """A Todo that an agent was completing when its process died at ``point``."""
    lab.goal()
    todo = lab.todo("Complete me")
    with crash_at(point), pytest.raises(Crash):
        lab.submit(c.CompleteTodo(todo=todo), BOT, op=OP)
    lab.restart()
    return todo


# committed -----------------------------------------------------------------------------------


def test_a_lost_answer_is_had_again_by_another_process_after_later_commits(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Complete me")
    first = lab.submit(c.CompleteTodo(todo=todo), BOT, op=OP)
    for number in range(3):
        lab.todo(f"Later {number}")
    told = read_back(lab)
    assert (told.state, told.receipt, told.revision) == ("committed", first.receipt, first.revision)
    assert told.recovery == {} and told.superseded_by is None
    again = lab.restart().submit(c.CompleteTodo(todo=todo), actor=BOT, op=OP)
    assert (again.replayed, again.receipt, again.revision) == (True, first.receipt, first.revision)
    assert lab.operations().count(OP) == 1


def test_a_receipt_outlives_the_cache(lab: Lab) -> None:
    lab.goal()
    first = lab.submit(c.AddTodo(goal="beta", title="Kept"), BOT, op=OP)
    lab.close()
    shutil.rmtree(lab.root / "local")
    told = read_back(lab)
    assert (told.state, told.receipt, told.revision) == ("committed", first.receipt, first.revision)
    lab.restart()


def test_one_id_means_one_request(lab: Lab) -> None:
    lab.goal()
    lab.submit(c.AddTodo(goal="beta", title="One"), op=OP)
    before = lab.git("rev-parse", "HEAD")
    for command, actor in ((c.AddTodo(goal="beta", title="Two"), ANN), (c.AddTodo(goal="beta", title="One"), BOT)):
        with pytest.raises(LoopxError) as reused:
            lab.submit(command, actor, op=OP)
        assert reused.value.code == "operation-reused"
    assert lab.git("rev-parse", "HEAD") == before


def test_an_accepted_request_that_changes_nothing_leaves_its_receipt_where_its_id_was_given(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Mine")
    lab.submit(c.ClaimTodo(todo=todo), BOT)
    before = lab.git("rev-parse", "HEAD")
    unnamed = lab.submit(c.ClaimTodo(todo=todo), BOT)
    assert (unnamed.revision, lab.git("rev-parse", "HEAD")) == (None, before)
    named = lab.submit(c.ClaimTodo(todo=todo), BOT, op=OP)
    assert named.receipt.result["already"] is True and named.revision != before.strip()
    assert lab.git("diff", "HEAD~1", "HEAD") == ""
    assert read_back(lab).receipt == named.receipt
    assert lab.submit(c.ClaimTodo(todo=todo), BOT, op=OP).replayed


# committed, its receipt missing --------------------------------------------------------------


@pytest.mark.parametrize("point", UNFINISHED)
def test_a_receipt_that_was_not_recorded_is_told_again_from_its_commit_and_nothing_is_done(
    lab: Lab, point: str
) -> None:
    todo = begun(lab, point)
    head, journal = lab.git("rev-parse", "HEAD").strip(), lab.read("local/journal.json")
    told = read_back(lab)
    assert (told.state, told.revision) == ("committed_receipt_missing", head)
    assert told.receipt is not None and (told.receipt.operation, told.receipt.actor) == (OP, BOT)
    assert (lab.git("rev-parse", "HEAD").strip(), lab.read("local/journal.json")) == (head, journal)
    again = lab.submit(c.CompleteTodo(todo=todo), BOT, op=OP)
    assert (again.replayed, again.receipt) == (True, told.receipt)
    assert read_back(lab).state == "committed"
    assert lab.operations().count(OP) == 1
    lab.assert_sound()


def test_the_receipt_is_told_from_the_right_commit_of_several_written_together(lab: Lab) -> None:
    lab.goal()
    edited, todo = lab.todo("Edited by hand"), lab.todo("Complete me")
    lab.change(lab.path_of(edited), "priority: p2", "priority: p0")
    with crash_at("published"), pytest.raises(Crash):
        lab.submit(c.CompleteTodo(todo=todo), BOT, op=OP)
    lab.restart()
    [by_hand] = [each for each in lab.operations() if lab.operations().index(each) == 1]
    for operation, verb in ((OP, "todo done"), (by_hand, "todo edit")):
        told = read_back(lab, operation)
        assert told.receipt is not None
        assert (told.state, told.receipt.command) == ("committed_receipt_missing", verb)


def without_words(lab: Lab) -> str:
    """Somebody replaces the newest commit by one that says nothing, and the note of what was accepted with it."""
    bare = lab.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", "oops").strip()
    for name in ("refs/heads/main", "refs/loopx/admitted"):
        lab.git("update-ref", name, bare)
    lab.close()
    shutil.rmtree(lab.root / "local")
    lab.restart()
    return bare


def test_what_records_tell_of_is_never_done_again_although_its_receipt_is_gone(lab: Lab) -> None:
    lab.goal()
    asked = c.RecordEvidence(evidence=seen("e-aaaa1111"))
    lab.submit(asked, op=OP)
    bare = without_words(lab)
    told = read_back(lab)
    assert (told.state, told.receipt, told.revision) == ("committed_receipt_missing", None, bare)
    assert set(told.recovery) == WAY_BACK
    assert told.recovery["reread"] == [f"revision {bare}", "goals/beta/evidence/2026-03-02/e-aaaa1111.yaml"]
    with pytest.raises(LoopxError) as unknown:
        lab.submit(asked, op=OP)
    assert (unknown.value.code, int(unknown.value.exit)) == ("outcome-unknown", 6)
    assert unknown.value.problem.facts["recovery"]["identity"] == OP
    assert lab.git("rev-parse", "HEAD").strip() == bare


def seen(name: str) -> Any:
    from dataclasses import replace

    from loopx.model.records import EvidenceKind
    from tests.support.kernel import evidence

    found = evidence(name, kind=EvidenceKind.OBSERVATION, source=str(ANN), operation=OP)
    return replace(found, goal="beta")


# claimed, pending, absent --------------------------------------------------------------------


def test_a_commit_of_plain_git_that_claims_an_operation_is_no_receipt(lab: Lab) -> None:
    lab.goal()
    first = lab.submit(c.AddTodo(goal="beta", title="Real"), op="op-real")
    words = lab.git("log", "-1", "--format=%B").replace("op-real", OP)
    lab.save("goals/beta/todos/forged.md", "---\ntitle: Forged\n---\n")
    lab.git("add", "goals")
    lab.git("commit", "--quiet", "-m", words)
    told = read_back(lab)
    assert (told.state, told.receipt) == ("pending", None)
    forged = lab.git("rev-parse", "HEAD").strip()
    lab.look()
    told = read_back(lab)
    assert (told.state, told.receipt, told.revision) == ("unknown", None, forged)
    assert set(told.recovery) == WAY_BACK and read_back(lab, "op-real").receipt == first.receipt
    assert not lab.submit(c.AddTodo(goal="beta", title="Mine"), op=OP).replayed
    assert read_back(lab).state == "committed"


def test_absence_is_only_told_while_nobody_writes(lab: Lab) -> None:
    lab.goal()
    assert read_back(lab).state == "absent"
    started, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lab.ws.store.lock(5, "todo add"):
            started.set()
            done.wait(10)

    writer = threading.Thread(target=hold)
    writer.start()
    try:
        assert started.wait(10)
        told = read_back(lab)
        assert told.state == "pending" and "todo add" in told.recovery["why"]
        assert set(told.recovery) == WAY_BACK
    finally:
        done.set()
        writer.join()
    assert read_back(lab).state == "absent"


def test_confirmed_absence_allows_execution_only_on_todays_terms(lab: Lab) -> None:
    todo = begun(lab, "journal-written")
    assert read_back(lab).state == "pending"
    lab.submit(c.CancelTodo(todo=todo, reason="Not any more"))
    assert read_back(lab).state == "absent"
    with pytest.raises(RefusedError) as refused:
        lab.submit(c.CompleteTodo(todo=todo), BOT, op=OP)
    assert refused.value.code == "todo-closed"
    assert read_back(lab).state == "absent"
    assert OP not in lab.operations()


# unknown -------------------------------------------------------------------------------------


def spoil_accepted(lab: Lab) -> None:
    (lab.root / ".git/refs/loopx/admitted").write_text("garbage\n")


def lose_objects(lab: Lab) -> None:
    shutil.move(lab.root / ".git/objects", lab.root / ".git/gone")
    (lab.root / ".git/objects").mkdir()
    shutil.rmtree(lab.root / "local")


def mend(lab: Lab) -> None:
    gone = lab.root / ".git/gone"
    if gone.exists():
        (lab.root / ".git/objects").rmdir()
        shutil.move(gone, lab.root / ".git/objects")
    (lab.root / ".git/refs/loopx/admitted").unlink()
    lab.git("update-ref", "refs/loopx/admitted", "refs/heads/main")


@pytest.mark.parametrize("spoil", [spoil_accepted, lose_objects])
def test_a_store_that_cannot_be_read_says_nothing_about_an_operation(lab: Lab, spoil: Callable[[Lab], None]) -> None:
    lab.goal()
    first = lab.submit(c.AddTodo(goal="beta", title="Real"), op=OP)
    lab.close()
    spoil(lab)
    for operation in (OP, "op-never"):
        told = read_back(lab, operation)
        assert (told.state, told.receipt, told.revision) == ("unknown", None, None)
        assert set(told.recovery) == WAY_BACK
        assert told.recovery["identity"] == operation
        assert told.recovery["entrypoint"] == f"loopx op show {operation}"
        assert isinstance(told.recovery["reread"], list)
    mend(lab)
    assert (read_back(lab).receipt, read_back(lab, "op-never").state) == (first.receipt, "absent")
    lab.restart()


def test_a_move_of_main_that_can_neither_be_made_nor_read_ends_as_unknown(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.goal()
    store = lab.ws.store
    publish = store.publish

    def deaf(new: str, expected: str | None) -> None:
        publish(new, expected)
        monkeypatch.setattr(store, "head", dumb)
        raise LoopxError("git-failed", "the answer was lost")

    def dumb() -> None:
        raise LoopxError("disk-failed", "the disk went away")

    monkeypatch.setattr(store, "publish", deaf)
    with pytest.raises(LoopxError) as unknown:
        lab.submit(c.AddTodo(goal="beta", title="Perhaps"), op=OP)
    facts = unknown.value.problem.facts
    assert (unknown.value.code, int(unknown.value.exit), facts["cause"]) == ("outcome-unknown", 6, "git-failed")
    assert set(facts["recovery"]) == WAY_BACK and facts["recovery"]["identity"] == OP
    monkeypatch.undo()
    told = read_back(lab)
    assert told.state == "committed_receipt_missing"
    again = lab.restart().submit(c.AddTodo(goal="beta", title="Perhaps"), actor=ANN, op=OP)
    assert (again.replayed, again.receipt) == (True, told.receipt)
    lab.assert_sound()


@pytest.mark.parametrize(
    "error", [LoopxError("disk-full", "There is no room left."), OSError(5, "Input/output error", "/some/file")]
)
def test_what_fails_after_main_moved_is_no_plain_failure(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A caller that takes a failed disk for "nothing happened" would ask again under another id."""
    lab.goal()

    def fail(*_given: Any) -> None:
        raise error

    monkeypatch.setattr(lab.ws.store, "admit", fail)
    with pytest.raises(LoopxError) as unknown:
        lab.submit(c.AddTodo(goal="beta", title="There"), op=OP)
    facts = unknown.value.problem.facts
    assert (unknown.value.code, facts["cause"]) == ("outcome-unknown", getattr(error, "code", "file-failed"))
    assert facts["operation"] == facts["recovery"]["identity"] == OP
    monkeypatch.undo()
    assert lab.restart().submit(c.AddTodo(goal="beta", title="There"), actor=ANN, op=OP).replayed
    assert [each.title for each in lab.todos().values()] == ["There"]
    lab.assert_sound()


def test_a_cache_that_breaks_after_main_moved_is_made_anew_and_the_answer_given(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.goal()
    broken = lab.ws.cache.add_commit

    def once(*_given: Any) -> int:
        monkeypatch.setattr(lab.ws.cache, "add_commit", broken)
        raise LoopxError("cache-broken", "malformed")

    monkeypatch.setattr(lab.ws.cache, "add_commit", once)
    done = lab.submit(c.AddTodo(goal="beta", title="There"), op=OP)
    assert done.revision == lab.git("rev-parse", "HEAD").strip() and done.receipt.operation == OP
    assert lab.operations().count(OP) == 1
    lab.assert_sound()


def test_a_cache_found_broken_when_the_workspace_is_opened_stands_in_nobodys_way(lab: Lab) -> None:
    lab.goal()
    first = lab.submit(c.AddTodo(goal="beta", title="There"), op=OP)
    lab.close()
    whole = (lab.root / "local/cache.sqlite").read_bytes()
    (lab.root / "local/cache.sqlite").write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert read_back(lab).receipt == first.receipt
    assert lab.restart().submit(c.AddTodo(goal="beta", title="There"), actor=ANN, op=OP).replayed


# taken back since ----------------------------------------------------------------------------
