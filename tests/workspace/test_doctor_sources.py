"""`loopx doctor` on what is committed or typed: found, its owner named, explained, and every byte left as it is."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest

from loopx.workspace.doctor import Difference, Finding, Surface
from tests.support.lab import ANN, Lab
from tests.workspace.doctoring import committed, documents, everything, faults, first, guide, typed_into_a_page
from tests.workspace.gitting import commit


@pytest.fixture
def lab(furnished: Lab) -> Lab:
    return furnished


# sources: explained, never touched -----------------------------------------------------------


def assert_only_explained(lab: Lab, *places: str) -> list[Finding]:
    """These faults are found and named; a repair leaves every byte of them and says they are left."""
    found = faults(lab)
    assert [each.place for each in found] == list(places)
    assert not any(each.may_be_repaired for each in found)
    before, head = documents(lab), lab.git("rev-parse", "HEAD")
    done = lab.ws.repair(actor=ANN)
    assert [each.place for each in done.after.faults] == list(places)
    assert (documents(lab), lab.git("rev-parse", "HEAD")) == (before, head)
    return found


def test_a_refused_edit_is_not_committed_and_stays_as_typed(lab: Lab) -> None:
    path = first(lab)
    lab.change(path, "priority: p2", "priority: urgent")
    lab.look()
    lab.ws.render(wait=True)
    line = lab.read(path).decode().splitlines().index("priority: urgent") + 1
    [found] = assert_only_explained(lab, f"{path}:{line}:11")
    assert (found.surface, found.kind) == (Surface.FILES, Difference.NOT_COMMITTED)
    assert found.owner == "the last accepted version, in history"
    assert "must be one of p0" in found.why


def test_a_broken_file_nobody_looked_at_yet_is_told_all_the_same(lab: Lab) -> None:
    path = first(lab)
    lab.save(path, "---\ntitle: [broken\n---\n")
    [found] = faults(lab)
    assert (found.surface, found.place.split(":")[0]) == (Surface.FILES, path)


def test_an_edit_nobody_looked_at_yet_is_no_fault(lab: Lab) -> None:
    lab.change(first(lab), "priority: p2", "priority: p0")
    os.remove(lab.root / first(lab, "gates"))
    found = lab.ws.doctor()
    assert found.faults == ()
    assert [(each.place, each.kind) for each in found.findings if each.surface is Surface.FILES] == [
        (first(lab), Difference.NOT_COMMITTED),
        *[(each.place, Difference.NOT_COMMITTED) for each in found.findings if "gates" in each.place],
    ]


def test_what_a_person_staged_is_mentioned_and_left(lab: Lab) -> None:
    path = first(lab)
    before = lab.read(path)
    (lab.root / path).write_bytes(before + b"\nA note that is only staged.\n")
    lab.git("add", path)
    (lab.root / path).write_bytes(before)
    found = lab.ws.doctor()
    assert [(each.surface, each.is_fault) for each in found.findings] == [(Surface.INDEX, False)]
    index_line = lab.git("ls-files", "--stage", path)
    typed_into_a_page(lab)
    lab.ws.repair(actor=ANN)
    assert lab.git("ls-files", "--stage", path) == index_line


def test_a_commit_of_plain_git_waits_to_be_judged(lab: Lab) -> None:
    lab.change(first(lab), "priority: p2", "priority: p1")
    commit(lab)
    found = lab.ws.doctor()
    assert found.faults == ()
    assert [(each.surface, each.kind) for each in found.findings] == [(Surface.HISTORY, Difference.NOT_COMMITTED)]
    assert found.basis.head != found.basis.admitted
    lab.look()
    lab.ws.render(wait=True)
    assert lab.ws.doctor().findings == ()


def test_a_rewritten_history_waits_for_a_persons_choice(lab: Lab) -> None:
    lab.git("reset", "--quiet", "--hard", "HEAD~2")
    found = [each for each in faults(lab) if each.surface is Surface.HISTORY]
    assert [(each.place, each.kind) for each in found] == [("refs/heads/main", Difference.NOT_COMMITTED)]
    assert "loopx history keep old" in found[0].next_step
    head = lab.git("rev-parse", "HEAD")
    lab.ws.repair(actor=ANN)
    assert lab.git("rev-parse", "HEAD") == head


def test_an_accepted_commit_without_a_receipt_is_a_gap_in_the_lineage(lab: Lab) -> None:
    oid = committed(lab, "goals/beta/goal.md", lab.read("goals/beta/goal.md") + b"\nMore.\n")
    lab.ws.render(wait=True)
    [found] = assert_only_explained(lab, oid[:10])
    assert (found.surface, found.kind, found.owner) == (
        Surface.HISTORY,
        Difference.SOURCE_WRONG,
        "the history of .loopx/.git",
    )
    assert "neither has a receipt nor was it ever judged" in found.why


def test_an_operation_committed_twice_is_told(lab: Lab) -> None:
    message = lab.git("log", "-1", "--format=%B")
    oid = committed(lab, "goals/beta/goal.md", lab.read("goals/beta/goal.md") + b"\nMore.\n", message)
    lab.ws.render(wait=True)
    [found] = [each for each in faults(lab) if each.surface is Surface.HISTORY]
    assert oid[:10] in found.why
    assert "both hold the receipt of operation op-" in found.why


def test_a_time_from_the_future_is_told(lab: Lab) -> None:
    lab.clock.shift += timedelta(hours=2)
    lab.todo("From the future")
    lab.ws.render(wait=True)
    lab.clock.shift -= timedelta(hours=2)
    [found] = faults(lab)
    assert (found.surface, found.kind) == (Surface.CLOCK, Difference.SOURCE_WRONG)
    lab.clock.shift += timedelta(hours=2)
    assert faults(lab) == []


# committed documents that cannot be read ----------------------------------------------------


def test_a_committed_document_that_cannot_be_read_is_unknown_and_not_none(lab: Lab) -> None:
    path = first(lab)
    sound = lab.read(path)
    committed(lab, path, b"---\nid: t-aaaaaaaa\ntitle: [broken\n---\n")
    assert lab.look().state.unreadable() == [path]
    assert lab.look().state.unreadable("beta") == [path]
    assert lab.look().state.unreadable("other") == []
    lab.ws.render(wait=True)
    found = [each for each in faults(lab) if each.surface is Surface.DOCUMENTS]
    assert [(each.kind, each.place.split(":")[0]) for each in found] == [(Difference.SOURCE_WRONG, path)]
    head = lab.git("rev-parse", "HEAD")
    lab.ws.repair(actor=ANN)
    assert lab.git("rev-parse", "HEAD") == head
    lab.save(path, sound + b"\nMended.\n")
    lab.look()
    assert lab.look().state.unreadable() == []
    assert [each for each in faults(lab) if each.surface is Surface.DOCUMENTS] == []


def test_a_file_that_mends_a_committed_document_is_judged_against_its_last_readable_version(lab: Lab) -> None:
    path = guide(lab)
    sound = lab.read(path)
    committed(lab, path, b"---\nid: t-aaaaaaaa\ntitle: [broken\n---\n")
    lab.save(path, sound.replace(b"status: open", b"status: cancelled"))
    lab.look()
    assert [each.problems[0].code for each in lab.ws.edits()] == ["reason-missing"]
    lab.save(path, sound)  # as it was before: nothing to judge
    lab.look()
    assert (lab.ws.edits(), lab.look().state.unreadable()) == ([], [])
    assert lab.subjects()[0].startswith("todo: mend t-")
    lab.assert_sound()


def test_a_record_is_mended_by_the_very_text_it_had_and_by_no_other(lab: Lab) -> None:
    path = first(lab, "completions")
    sound = lab.read(path)
    committed(lab, path, b"todo: [broken\n")
    assert lab.look().state.unreadable() == [path]
    lab.save(path, sound.replace(b"by: human:Ann", b"by: human:Ben"))
    lab.look()
    assert [each.problems[0].code for each in lab.ws.edits()] == ["record-machine-owned"]
    lab.save(path, sound)
    lab.look()
    assert (lab.ws.edits(), lab.look().state.unreadable()) == ([], [])
    lab.assert_sound()


def test_a_look_at_the_past_knows_what_could_not_be_read_then(lab: Lab) -> None:
    path = guide(lab)
    oid = committed(lab, path, b"nothing of a Todo\n")
    assert lab.ws.read(at=oid).state.unreadable("beta") == [path]
    assert lab.ws.read(at=f"{oid}~1").state.unreadable() == []
    assert [each.place for each in lab.ws.doctor(at=oid).faults if each.surface is Surface.DOCUMENTS] == [f"{path}:1:1"]


def test_a_document_of_a_newer_version_is_a_migration_difference(lab: Lab) -> None:
    committed(lab, "workspace.yaml", lab.read("workspace.yaml").replace(b"version: 1", b"version: 2"))
    path = guide(lab)
    committed(lab, path, lab.read(path).replace(b"status: open", b"status: dreaming"))
    lab.restart()
    assert lab.look().state.unreadable() == [path]
    found = [each for each in faults(lab) if each.surface is Surface.DOCUMENTS]
    assert {each.kind for each in found} == {Difference.MIGRATION_DIFFERENCE}
    assert [each.place.split(":")[0] for each in found] == ["workspace.yaml", path]


def test_what_cannot_be_read_is_known_again_after_the_cache_is_lost(lab: Lab) -> None:
    path = first(lab)
    committed(lab, path, b"nothing of a Todo\n\x00")
    lab.close()
    for each in (lab.root / "local").glob("cache.sqlite*"):
        each.unlink()
    lab.restart()
    assert lab.look().state.unreadable() == [path]


# stored status against record ---------------------------------------------------------------


def test_Q02_a_todo_that_reads_done_without_a_completion_is_a_contradiction(lab: Lab) -> None:
    path = guide(lab)
    message = _message(lab)
    committed(lab, path, lab.read(path).replace(b"status: open", b"status: done"), message)
    lab.ws.render(wait=True)
    [found] = [each for each in faults(lab) if each.surface is Surface.DOCUMENTS]
    assert (found.kind, found.place) == (Difference.SOURCE_WRONG, path)
    assert found.owner.startswith("the record goals/beta/completions/t-")
    assert found.owner.endswith("which is not there")
    assert "loopx todo reopen" in found.next_step


def test_a_gate_that_reads_otherwise_than_it_was_decided_is_a_contradiction(lab: Lab) -> None:
    path = first(lab, "gates")
    committed(lab, path, lab.read(path).replace(b"status: approved", b"status: rejected"), _message(lab))
    lab.ws.render(wait=True)
    [found] = [each for each in faults(lab) if each.surface is Surface.DOCUMENTS]
    assert found.place == path
    assert found.owner.startswith("the record goals/beta/decisions/g-")
    assert "Ann decided approved" in found.why


def test_Q02_a_goal_that_reads_closed_without_an_end_on_record_is_a_contradiction(lab: Lab) -> None:
    path = "goals/beta/goal.md"
    text = lab.read(path)
    assert b"status: active" in text
    committed(lab, path, text.replace(b"status: active", b"status: closed\noutcome: achieved"), _message(lab))
    lab.ws.render(wait=True)
    [found] = [each for each in faults(lab) if each.surface is Surface.DOCUMENTS]
    assert (found.place, found.owner) == (path, "the record goals/beta/closure.yaml, which is not there")


def _message(lab: Lab) -> str:
    """A message with a receipt nobody gave: what a faulty program of ours would leave."""
    return lab.git("log", "-1", "--format=%B").replace("op-", "op-x", 1)


def test_a_history_that_cannot_be_read_is_one_finding_and_nothing_is_thrown_away(lab: Lab) -> None:
    lab.git("gc", "--quiet")
    lab.close()
    [pack] = (lab.root / ".git/objects/pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[40:60] = b"\0" * 20
    pack.chmod(0o644)
    pack.write_bytes(content)
    lab.restart()
    [found] = faults(lab)
    assert (found.surface, found.kind, found.place) == (Surface.HISTORY, Difference.READ_FAILED, ".loopx/.git")
    assert found.owner == "nobody can say while it cannot be read"
    before = everything(lab)
    assert lab.ws.repair(actor=ANN).done == ()
    assert everything(lab) == before
