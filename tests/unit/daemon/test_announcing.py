"""What is told after a look: commits at once, refusals when they stand, and everything once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from loopx.daemon.announcing import LASTS_AFTER, NOTHING, STANDS_AFTER, Memory, announce
from loopx.daemon.looking import Look
from loopx.errors import Place, Problem
from loopx.kernel.state import MemorySource, State
from loopx.web.hub import HappeningKind
from loopx.workspace.reports import LogEntry
from loopx.workspace.results import EditState, PendingEdit

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
STATE = State(MemorySource([]))
BAD = Problem("document-syntax", "a bracket is never closed", Place("goals/a/goal.md", 3, 1), "Close it.")


def edit(problem: Problem = BAD, state: EditState = EditState.UNREADABLE, path: str = "goals/a/goal.md") -> PendingEdit:
    return PendingEdit(path, state, (problem,), NOW)


def look(*edits: PendingEdit, failure: Problem | None = None, commits: list[LogEntry] | None = None) -> Look:
    return Look(revision="r1", edits=list(edits), failure=failure, state=STATE, commits=commits or [])


def heard(memory: Memory, found: Look, seconds: float = 0.0) -> tuple[list[tuple[HappeningKind, str]], Memory]:
    told, memory = announce(memory, found, NOW + timedelta(seconds=seconds))
    return [(each.kind, each.text) for each in told], memory


def test_a_commit_is_told_at_once_with_who_made_it() -> None:
    entry = LogEntry("r1", NOW, "Ann <a@x>", "human:Ann", "hand", "edit", None, "goal a", "goal: edit a", (), ("x",))
    told, _ = heard(NOTHING, look(commits=[entry]))
    assert told == [(HappeningKind.ACCEPTED, "goal: edit a · human:Ann")]


def test_a_file_caught_half_written_is_never_spoken_of() -> None:
    told, memory = heard(NOTHING, look(edit()))
    assert told == []
    assert memory.has_doubts
    told, memory = heard(memory, look(), 0.5)
    assert told == []
    assert not memory.has_doubts


def test_a_refusal_that_stands_is_told_once_with_place_reason_and_remedy() -> None:
    _, memory = heard(NOTHING, look(edit()))
    told, memory = heard(memory, look(edit()), STANDS_AFTER.total_seconds())
    assert told == [
        (HappeningKind.REFUSED, "goals/a/goal.md:3:1: a bracket is never closed [document-syntax] → Close it.")
    ]
    assert heard(memory, look(edit()), 5)[0] == []


def test_a_refusal_for_another_reason_is_told_again_and_its_end_too() -> None:
    _, memory = heard(NOTHING, look(edit()))
    _, memory = heard(memory, look(edit()), 1)
    other = Problem("field-unknown", "no such field", Place("goals/a/goal.md", 4, 1), "Remove it.")
    told, memory = heard(memory, look(edit(other)), 2)
    assert told == []
    told, memory = heard(memory, look(edit(other)), 3)
    assert [kind for kind, _ in told] == [HappeningKind.REFUSED]
    told, _ = heard(memory, look(), 4)
    assert told == [(HappeningKind.ACCEPTED, "no longer refused: goals/a/goal.md")]


def test_a_file_that_only_rests_is_no_refusal() -> None:
    told, memory = heard(NOTHING, look(edit(state=EditState.SETTLING)))
    assert (told, dict(memory.files)) == ([], {})
    assert look(edit(state=EditState.SETTLING)).is_unsettled


def test_a_thousand_refusals_are_not_told_one_by_one() -> None:
    edits = [edit(path=f"goals/a/todos/{number}.md") for number in range(1000)]
    _, memory = heard(NOTHING, look(*edits))
    told, _ = heard(memory, look(*edits), 1)
    assert len(told) == 21
    assert "980 more files" in told[-1][1]


def test_a_failure_is_told_once_and_so_is_its_end() -> None:
    failure = Problem("repository-busy", "a rebase is going on", hint="Finish it.")
    told, memory = heard(NOTHING, look(failure=failure))
    assert told == [(HappeningKind.HEALTH, "a rebase is going on [repository-busy] → Finish it.")]
    assert heard(memory, look(failure=failure), 1)[0] == []
    assert heard(memory, look(), 2)[0] == [(HappeningKind.HEALTH, "All is well again: the last look went through.")]


def test_a_lock_that_somebody_holds_for_a_moment_is_not_told() -> None:
    failure = Problem("edits-pending", "the lock is held by process 7", hint="Wait.")
    told, memory = heard(NOTHING, look(failure=failure))
    assert told == []
    assert heard(memory, look(), 1)[0] == []
    other = Problem("edits-pending", "the lock is held by process 8", hint="Wait.")
    told, memory = heard(memory, look(failure=other), LASTS_AFTER.total_seconds())
    assert told == [(HappeningKind.HEALTH, "the lock is held by process 8 [edits-pending] → Wait.")]
    assert heard(memory, look(failure=failure), 6)[0] == []
    assert heard(memory, look(), 7)[0] == [(HappeningKind.HEALTH, "All is well again: the last look went through.")]


def test_a_look_that_failed_concludes_nothing_about_files() -> None:
    _, memory = heard(NOTHING, look(edit()))
    _, memory = heard(memory, look(edit()), 1)
    failed = Look(failure=Problem("file-failed", "the disk is gone"))
    told, after = heard(memory, failed, 2)
    assert [kind for kind, _ in told] == [HappeningKind.HEALTH]
    assert after.files == memory.files
