"""`loopx doctor` and `repair`: each surface damaged for real, found, its owner named, mended, and read back clean."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from loopx.kernel.commands import CompleteTodo, DecideGate, EditGoal, OpenGate
from loopx.model.actor import Actor, Channel
from loopx.model.times import format_instant
from loopx.store.protocol import Draft, Signature
from loopx.workspace.doctor import Diagnosis, Difference, Finding, Surface
from loopx.workspace.doctor.findings import DERIVED
from loopx.workspace.doctor.repairing import MENDS
from loopx.workspace.proposal import RefusedError
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at
from tests.workspace.gitting import commit

ANN_GIT = Signature("Ann", "ann@example.invalid")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose workspace has a Goal with two Todos, one done, an approved Gate, and pages that show it all."""
    lab = Lab.make(tmp_path_factory.mktemp("doctor") / "lab")
    lab.goal("beta", "Ten people use it")
    lab.todo("Write the guide")
    lab.submit(CompleteTodo(todo=lab.todo("Record the demo")))
    gate = lab.submit(OpenGate(goal="beta", scope="production:goal:deploy", question="May it go live?"))
    approve = DecideGate(
        gate=gate.receipt.result["id"], verb="approve", reason="Fine", channel=Channel.TERMINAL, confirmed=True
    )
    lab.submit(approve)
    lab.ws.pages.ensure_schemas()
    lab.ws.render(wait=True)
    lab.close()
    return lab.project.root


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Iterator[Lab]:
    """A copy of :func:`made` for each test."""
    lab = Lab.copied(made, tmp_path / "lab")
    before = lab.project.snapshot()
    yield lab
    lab.close()
    lab.project.assert_untouched(before)


def first(lab: Lab, folder: str = "todos") -> str:
    """The path of the first document of a folder of the Goal."""
    [found, *_] = sorted((lab.root / "goals/beta" / folder).iterdir())
    return found.relative_to(lab.root).as_posix()


def guide(lab: Lab) -> str:
    """The path of the Todo that is open."""
    [found] = (lab.root / "goals/beta/todos").glob("*-write-the-guide.md")
    return found.relative_to(lab.root).as_posix()


def faults(lab: Lab) -> list[Finding]:
    return list(lab.ws.doctor().faults)


def told(found: Diagnosis) -> list[tuple[str, str, str]]:
    return [(each.surface.value, each.kind.value, each.place) for each in found.faults]


@contextmanager
def database(lab: Lab) -> Iterator[sqlite3.Connection]:
    """The cache's file, changed behind the workspace's back."""
    connection = sqlite3.connect(lab.root / "local/cache.sqlite")
    yield connection
    connection.commit()
    connection.close()


def committed(lab: Lab, path: str, content: bytes, message: str = "", *, on_disk: bool = True) -> str:
    """A commit of ``path`` that nobody judged, with both references on it and the file following."""
    text = message or "by plumbing\n"
    draft = Draft({path: content}, text, ANN_GIT, ANN_GIT, lab.clock.now())
    [written] = lab.ws.store.write(lab.ws.store.head(), [draft])
    lab.ws.store.publish(written.oid, lab.ws.store.head())
    lab.ws.store.admit(written.oid)
    if on_disk:
        (lab.root / path).parent.mkdir(parents=True, exist_ok=True)
        (lab.root / path).write_bytes(content)
    lab.git("reset", "--quiet")
    return written.oid


def everything(lab: Lab) -> dict[str, bytes]:
    """Every byte below ``.loopx/`` but SQLite's own side files, which a mere look may touch."""
    skipped = ("cache.sqlite-wal", "cache.sqlite-shm")
    files = [each for each in lab.root.rglob("*") if each.is_file() and each.name not in skipped]
    return {each.relative_to(lab.root).as_posix(): each.read_bytes() for each in files}


def documents(lab: Lab) -> dict[str, bytes]:
    return {path: content for path, content in everything(lab).items() if path.startswith(("goals/", "workspace"))}


# what is looked at ---------------------------------------------------------------------------


def test_a_sound_workspace_has_nothing_to_say_and_is_left_as_it_is(lab: Lab) -> None:
    before = everything(lab)
    found = lab.ws.doctor()
    assert found.findings == ()
    assert everything(lab) == before
    assert set(found.looked_at) == {each.value for each in Surface}


def test_the_basis_says_which_workspace_revision_settings_and_time_it_is(lab: Lab) -> None:
    basis = lab.ws.doctor().basis
    assert (basis.root, basis.found_by, basis.goals) == (str(lab.root), "folder", {"beta": "active"})
    assert basis.head == basis.admitted == basis.cache_revision == lab.git("rev-parse", "HEAD").strip()
    assert (basis.is_past, basis.actor, basis.mode["durability"]) == (False, None, "full")
    assert basis.newest_stamp is not None
    assert basis.newest_stamp <= basis.now


def test_an_actor_named_by_the_environment_is_told(lab: Lab) -> None:
    lab.ws.environ = {**lab.ws.environ, "LOOPX_ACTOR": "agent:bot"}
    assert lab.ws.doctor().basis.actor == "agent:bot"


def test_Q12_how_much_the_overview_leaves_out_is_told(lab: Lab) -> None:
    for number in range(9):
        lab.todo(f"Another {number}")
    lab.ws.render(wait=True)
    assert lab.ws.doctor().basis.truncated == {"frontier": 3}


def test_one_goal_can_be_looked_at_alone(lab: Lab) -> None:
    lab.goal("other")
    lab.ws.render(wait=True)
    lab.save("goals/other/goal.md", "---\ntitle: [broken\n---\n", quiet=False)
    assert [each.surface for each in lab.ws.doctor(goal="other").faults] == [Surface.FILES]
    assert lab.ws.doctor(goal="beta").faults == ()
    assert lab.ws.doctor(goal="beta").basis.goals == {"beta": "active"}
    with pytest.raises(RefusedError) as error:
        lab.ws.doctor(goal="nowhere")
    assert error.value.code == "goal-unknown"


def test_a_past_revision_is_asked_for_what_was_committed_and_nothing_else(lab: Lab) -> None:
    (lab.root / "status/README.md").write_text("typed")
    found = lab.ws.doctor(at="HEAD~1")
    assert (found.basis.is_past, found.faults) == (True, ())
    assert set(found.looked_at) == {"documents", "history", "clock"}


# derived surfaces: damaged, found, repaired, read back --------------------------------------


def wrong_status(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("UPDATE entity SET status = 'done' WHERE kind = 'todo'")


def lost_row(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("DELETE FROM entity WHERE kind = 'gate'")


def invented_row(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute(
            "INSERT INTO entity (kind, id, goal, path, blob, status, entangled, data)"
            " SELECT kind, 't-zzzzzzzz', goal, path || 'x', blob, status, entangled, data FROM entity"
            " WHERE kind = 'todo' LIMIT 1"
        )


def wrong_tally(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("UPDATE tally SET count = count + 5 WHERE status = 'open'")


def lost_operation(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("DELETE FROM log WHERE command = 'todo done'")


def wrong_operation(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("UPDATE log SET subject = 'todo t-other' WHERE command = 'todo done'")


def forgotten_id(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("DELETE FROM known_id")


def invented_trouble(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("INSERT INTO unreadable VALUES ('goals/beta/goal.md')")


def wrong_reference(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("INSERT INTO entity_ref SELECT row, 't-zzzzzzzz' FROM entity WHERE kind = 'goal'")


def typed_into_a_page(lab: Lab) -> None:
    with open(lab.root / "status/README.md", "a", encoding="utf-8") as page:
        page.write("- [x] all done\n")


def lost_page(lab: Lab) -> None:
    (lab.root / "status/goals/beta.md").unlink()


def page_of_no_goal(lab: Lab) -> None:
    (lab.root / "status/goals/ghost.md").write_text("# Ghost\n")


def page_behind(lab: Lab) -> None:
    lab.todo("Announce it")
    lab.ws.places.pages_dirty.unlink()  # the mark is lost, and nobody renders


def index_behind(lab: Lab) -> None:
    path = first(lab)
    old = lab.git("rev-parse", f"HEAD:{path}").strip()
    lab.submit(EditGoal(goal="beta", fields={"title": "Another title"}))
    lab.change(path, "priority: p2", "priority: p0")
    lab.look()
    lab.ws.render(wait=True)
    lab.git("update-index", "--cacheinfo", f"100644,{old},{path}")


def index_gone(lab: Lab) -> None:
    (lab.root / ".git/index").unlink()


def index_garbage(lab: Lab) -> None:
    (lab.root / ".git/index").write_bytes(b"no index at all" * 20)


def other_schemas(lab: Lab) -> None:
    (lab.root / "local/schemas/version").write_text("0.0.1")


def journal_before(lab: Lab) -> None:
    with pytest.raises(Crash), crash_at("journal-written"):
        lab.todo("Never happened")
    lab.restart()


def journal_after(lab: Lab) -> None:
    with pytest.raises(Crash), crash_at("published"):
        lab.todo("Happened")
    lab.restart()
    lab.ws.places.pages_dirty.touch()


def journal_garbage(lab: Lab) -> None:
    (lab.root / "local/journal.json").write_text("{")


def temp_file(lab: Lab) -> None:
    (lab.root / "goals/beta/todos/.w-aaaaaaaa.0.loopx-tmp").write_text("half")


DAMAGES: list[tuple[Callable[[Lab], None], Surface, Difference, str]] = [
    (wrong_status, Surface.CACHE, Difference.PAGE_STALE, "another status than is committed"),
    (lost_row, Surface.CACHE, Difference.PAGE_STALE, "does not know goals/beta/gates/"),
    (invented_row, Surface.CACHE, Difference.PAGE_STALE, "which no file of that revision is"),
    (wrong_tally, Surface.CACHE, Difference.PAGE_STALE, "kept counts of Todos are wrong in beta"),
    (lost_operation, Surface.CACHE, Difference.PAGE_STALE, "The cache does not know op-"),
    (wrong_operation, Surface.CACHE, Difference.PAGE_STALE, "The cache tells otherwise of op-"),
    (forgotten_id, Surface.CACHE, Difference.PAGE_STALE, "The cache forgot that"),
    (invented_trouble, Surface.CACHE, Difference.PAGE_STALE, "wrong about goals/beta/goal.md, which can be read"),
    (wrong_reference, Surface.CACHE, Difference.PAGE_STALE, "which ids goals/beta/goal.md names"),
    (typed_into_a_page, Surface.PAGES, Difference.PAGE_STALE, "README.md was changed after it was rendered"),
    (lost_page, Surface.PAGES, Difference.PAGE_STALE, "goals/beta.md is not there"),
    (page_of_no_goal, Surface.PAGES, Difference.PAGE_STALE, "goals/ghost.md is the page of no Goal there is"),
    (page_behind, Surface.PAGES, Difference.PAGE_STALE, "nothing marked it as behind"),
    (index_behind, Surface.INDEX, Difference.PAGE_STALE, "The index holds an older version of goals/beta/todos/"),
    (index_gone, Surface.INDEX, Difference.PAGE_STALE, "The index holds no version of"),
    (index_garbage, Surface.INDEX, Difference.READ_FAILED, "It could not be looked at"),
    (other_schemas, Surface.SCHEMAS, Difference.MIGRATION_DIFFERENCE, "not those of the LoopX that is installed"),
    (journal_before, Surface.JOURNAL, Difference.NOT_COMMITTED, "before it became part of history"),
    (journal_after, Surface.JOURNAL, Difference.PAGE_STALE, "after it had become part of history"),
    (journal_garbage, Surface.JOURNAL, Difference.PAGE_STALE, "never in force"),
    (temp_file, Surface.JOURNAL, Difference.PAGE_STALE, "was left by a write that did not end"),
]
OWNERS = {
    Surface.CACHE: "the accepted history in .loopx/.git",
    Surface.PAGES: "the accepted history in .loopx/.git",
    Surface.INDEX: "main (refs/heads/main)",
    Surface.SCHEMAS: "the LoopX that is installed",
    Surface.JOURNAL: "history: a write is part of it or did not happen",
}


@pytest.mark.parametrize(("damage", "surface", "kind", "why"), DAMAGES, ids=[each[0].__name__ for each in DAMAGES])
def test_a_damaged_surface_is_found_repaired_and_read_back_clean(
    lab: Lab, damage: Callable[[Lab], None], surface: Surface, kind: Difference, why: str
) -> None:
    damage(lab)
    found = faults(lab)
    assert {each.surface for each in found} == {surface}
    assert {each.kind for each in found} == {kind}
    assert any(why in each.why for each in found), [each.why for each in found]
    if kind is not Difference.READ_FAILED:
        assert {each.owner for each in found} == {OWNERS[surface]}
    head, before = lab.git("rev-parse", "HEAD"), documents(lab)
    done = lab.ws.repair(actor=ANN)
    assert done.is_clean
    assert done.after.findings == ()
    assert told(done.before)
    assert lab.git("rev-parse", "HEAD") == head  # history is not what is repaired
    if surface is not Surface.JOURNAL:
        assert documents(lab) == before
    lab.assert_sound()


def test_every_derived_surface_has_something_that_mends_it() -> None:
    assert {surface for surface, _ in MENDS} == DERIVED
    assert {surface for _, surface, _, _ in DAMAGES} == DERIVED


def test_a_repair_that_finds_nothing_wrong_does_nothing(lab: Lab) -> None:
    before = everything(lab)
    done = lab.ws.repair(actor=ANN)
    assert (done.done, done.reassess, done.is_clean) == ((), (), True)
    assert everything(lab) == before


def test_a_page_that_only_time_has_changed_is_no_fault_and_no_repair(lab: Lab) -> None:
    deadline = format_instant(lab.clock.now() + timedelta(minutes=1))
    lab.submit(OpenGate(goal="beta", scope="direction:goal:name", question="Which name?", deadline=deadline))
    lab.ws.render(wait=True)
    assert "overdue" not in (lab.root / "status/README.md").read_text("utf-8")
    lab.clock.shift += timedelta(hours=1)
    found = lab.ws.doctor()
    assert found.faults == ()
    assert all("depends on the time" in each.why for each in found.findings)
    assert lab.ws.repair(actor=ANN).done == ()


def test_several_surfaces_are_found_at_once(lab: Lab) -> None:
    for damage in (wrong_tally, typed_into_a_page, index_gone):
        damage(lab)
    assert {each.surface for each in faults(lab)} == {Surface.CACHE, Surface.PAGES, Surface.INDEX}
    assert lab.ws.repair(actor=ANN).after.findings == ()


def test_a_file_that_is_no_database_is_made_anew(lab: Lab) -> None:
    lab.close()
    (lab.root / "local/cache.sqlite").write_bytes(b"no database" * 500)
    lab.restart()
    assert [each.is_fault for each in lab.ws.doctor().findings] == [False]  # empty by now; the next command fills it
    lab.look()
    assert lab.ws.doctor().findings == ()


def test_a_cache_file_damaged_within_is_made_anew(lab: Lab) -> None:
    lab.close()
    file = lab.root / "local/cache.sqlite"
    with sqlite3.connect(file) as cache:
        [(page,)] = cache.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entity_by_title'")
        [(size,)] = cache.execute("PRAGMA page_size")
    cache.close()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    lab.restart()
    [found] = [each for each in faults(lab) if each.surface is Surface.CACHE]
    assert (found.kind, found.may_be_repaired) == (Difference.READ_FAILED, True)
    assert lab.ws.repair(actor=ANN).after.findings == ()


# dependent work ------------------------------------------------------------------------------


def test_work_that_leans_on_what_was_wrong_is_named(lab: Lab) -> None:
    [guide] = [each.id for each in lab.todos().values() if each.title == "Write the guide"]
    waiting = lab.todo("Publish it", depends_on=(guide,))
    lab.ws.render(wait=True)
    with database(lab) as cache:
        cache.execute("UPDATE entity SET status = 'done' WHERE id = ?", (guide,))
    named = {each.id: each.why for each in lab.ws.repair(actor=ANN).reassess}
    assert set(named) == {guide, waiting}
    assert named[waiting] == f"It leans on {guide}."


def test_the_operations_of_an_interrupted_write_are_to_be_read_back(lab: Lab) -> None:
    with pytest.raises(Crash), crash_at("published"):
        lab.submit(EditGoal(goal="beta", fields={"title": "New"}), op="op-lost")
    lab.restart()
    assert [each.id for each in lab.ws.repair(actor=ANN).reassess if each.id.startswith("op-")] == ["op-lost"]
    assert lab.ws.operation("op-lost").state == "committed"


# repaired again and again -------------------------------------------------------------------


def again(lab: Lab, times: int) -> None:
    for _ in range(times):
        typed_into_a_page(lab)
        lab.ws.repair(actor=ANN)
        lab.clock.shift += timedelta(hours=1)


def test_a_page_repaired_again_and_again_raises_an_obligation(lab: Lab) -> None:
    again(lab, 2)
    assert faults(lab) == []
    again(lab, 1)
    [found] = faults(lab)
    assert (found.surface, found.place, found.owner) == (Surface.REPAIRS, "status/README.md", "operators")
    assert "3 times within 30 days" in found.why
    [armed] = found.ids
    again(lab, 1)
    assert [each.ids for each in faults(lab)] == [(armed,)]  # a fourth time is the same obligation
    assert not lab.ws.repair(actor=ANN).done  # no repair discharges it


def test_naming_the_cause_discharges_it_and_a_new_cause_arms_another(lab: Lab) -> None:
    again(lab, 3)
    [first_armed] = faults(lab)[0].ids
    lab.ws.repair(actor=ANN, cause="A sync client wrote there; it is excluded now")
    assert faults(lab) == []
    assert "A sync client" in (lab.root / "local/repairs.json").read_text("utf-8")
    again(lab, 3)
    assert faults(lab)[0].ids != (first_armed,)


def test_repairs_long_ago_count_no_more(lab: Lab) -> None:
    again(lab, 3)
    lab.clock.shift += timedelta(days=31)
    assert faults(lab) == []


def test_a_trace_that_cannot_be_read_counts_nothing(lab: Lab) -> None:
    again(lab, 3)
    for text in ("{", "[]", '{"repairs": 3, "causes": [7]}', '{"repairs": [{"place": 1, "at": "x"}, 5]}'):
        (lab.root / "local/repairs.json").write_text(text)
        assert faults(lab) == []


# who may -------------------------------------------------------------------------------------


def test_an_agent_may_repair_unless_a_goal_leaves_it_to_people(lab: Lab) -> None:
    typed_into_a_page(lab)
    assert lab.ws.repair(actor=BOT).is_clean
    lab.submit(EditGoal(goal="beta", fields={"policies": {"self_repair": False}}))
    typed_into_a_page(lab)
    before = everything(lab)
    with pytest.raises(RefusedError) as error:
        lab.ws.repair(actor=BOT)
    assert error.value.code == "actor-not-permitted"
    assert everything(lab) == before
    assert lab.ws.repair(actor=Actor.parse("human:Ben")).is_clean


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
