"""`loopx doctor` and `repair`: each surface damaged for real, found, its owner named, mended, and read back clean."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta

import pytest

from loopx.kernel.commands import EditGoal, OpenGate
from loopx.model.actor import Actor
from loopx.model.times import format_instant
from loopx.workspace.doctor import Difference, Surface
from loopx.workspace.doctor.findings import DERIVED
from loopx.workspace.doctor.repairing import MENDS
from loopx.workspace.proposal import RefusedError
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at
from tests.workspace.doctoring import database, documents, everything, faults, first, told, typed_into_a_page


@pytest.fixture
def lab(furnished: Lab) -> Lab:
    return furnished


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


def wrong_order(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("UPDATE log SET seq = seq + 100 WHERE command = 'todo add'")


def forgotten_id(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("DELETE FROM known_id")


def invented_trouble(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("INSERT INTO unreadable VALUES ('goals/beta/goal.md')")


def wrong_reference(lab: Lab) -> None:
    with database(lab) as cache:
        cache.execute("INSERT INTO entity_ref SELECT row, 't-zzzzzzzz' FROM entity WHERE kind = 'goal'")


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
    (wrong_order, Surface.CACHE, Difference.PAGE_STALE, "in another order than they were accepted in"),
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
