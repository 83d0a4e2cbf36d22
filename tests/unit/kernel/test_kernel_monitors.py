"""Monitors: what makes one, what a look at it does, and when it is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.cadence import DEFAULT_CADENCE, cadence_of, monitor_standing
from loopx.kernel.outcome import Record
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.monitor import MonitorLog, PollResult
from loopx.model.records import EvidenceKind
from loopx.model.todo import TodoClass, TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T1, T2, Desk, criterion, edited, facts, goal, todo
from tests.unit.kernel.watching import TARGET, dead, desk, look, watched


def log(at: Desk) -> MonitorLog:
    found = at.state.monitor(T1)
    assert found is not None
    return found


# what makes a monitor ------------------------------------------------------------------------


def test_adding_a_monitor_takes_a_target_and_a_cadence() -> None:
    at = Desk.of(goal())
    monitor: dict[str, Any] = {"goal": "beta", "title": "Watch", "todo_class": TodoClass.MONITOR}
    assert at.no(c.AddTodo(**monitor, cadence="6h")).code == "target-missing"
    assert at.no(c.AddTodo(**monitor, target=TARGET)).code == "cadence-invalid"
    made = at.do(
        c.AddTodo(
            **monitor,
            target=TARGET,
            cadence="1h30m",
            expires_at="2026-12-01T00:00:00+02:00",
            material="the version changes",
            watch_only=True,
        )
    )
    found = at.todo(facts(made)["id"])
    assert (found.target, found.cadence, found.material, found.watch_only) == (
        TARGET,
        "1h30m",
        "the version changes",
        True,
    )
    assert found.expires_at == datetime(2026, 11, 30, 22, tzinfo=UTC)


@pytest.mark.parametrize("typed", ["soon", "0m", "-1h", "1 fortnight", "1h 2h 3h", "99999999d", "h"])
def test_a_cadence_that_is_no_length_of_time_is_refused_on_every_way_in(typed: str) -> None:
    at = desk()
    added = c.AddTodo(goal="beta", title="Watch", todo_class=TodoClass.MONITOR, target=TARGET, cadence=typed)
    assert at.no(added).facts["field"] == "cadence"
    assert at.no(c.EditTodo(todo=T1, fields={"cadence": typed})).code == "cadence-invalid"
    found = at.mistyped(at.todo(), edited(at.todo(), cadence=typed))
    assert (found.code, found.facts["field"]) == ("cadence-invalid", "cadence")
    assert at.mistyped(None, watched(id=T2, cadence=typed)).code == "cadence-invalid"


def test_a_monitor_keeps_saying_what_it_watches_and_how_often() -> None:
    at = desk()
    assert at.no(c.EditTodo(todo=T1, fields={"target": None})).code == "target-missing"
    assert at.no(c.EditTodo(todo=T1, fields={"cadence": None})).code == "cadence-invalid"
    at.do(c.EditTodo(todo=T1, fields={"cadence": "2d"}))
    plain = todo(T2, "Write it")
    at.entities.append(plain)
    assert at.no(c.EditTodo(todo=T2, fields={"class": "monitor"})).code == "target-missing"
    at.do(c.EditTodo(todo=T2, fields={"class": "monitor", "target": "x", "cadence": "1d"}))


def test_what_only_a_monitor_has_is_refused_on_other_work() -> None:
    found = Desk.of(goal()).no(c.AddTodo(goal="beta", title="Write it", target=TARGET))
    assert (found.code, found.facts["field"]) == ("field-value", "target")


def test_watching_does_not_end_before_it_begins() -> None:
    monitor: dict[str, Any] = {"todo_class": TodoClass.MONITOR, "target": TARGET, "cadence": "1h"}
    at = Desk.of(goal())
    ended = c.AddTodo(goal="beta", title="Watch", expires_at="2026-03-02T08:59:59Z", **monitor)
    assert at.no(ended).facts["field"] == "expires_at"
    assert at.no(c.AddTodo(goal="beta", title="Watch", expires_at="tomorrow", **monitor)).code == "instant-invalid"


def test_a_hand_made_monitor_that_leaves_something_out_is_taken_in_with_a_notice() -> None:
    at = Desk.of(goal())
    bare = at.typed(None, watched(target=None, cadence=None))
    assert [(each.code, each.facts["field"]) for each in bare.notices] == [("monitor-incomplete", "target")]
    slow = at.typed(None, watched(id=T2, title="Watch two", cadence=None))
    assert [(each.code, each.facts["field"]) for each in slow.notices] == [("monitor-incomplete", "cadence")]
    # It stays readable and editable, and is due once a day.
    at.typed(at.todo(T2), edited(at.todo(T2), body="More.\n"))
    assert cadence_of(at.todo(T2)) == DEFAULT_CADENCE
    assert not monitor_standing(at.state, at.todo(T1), at.now).is_due


def test_who_may_do_it_with_what_abilities_and_where_is_set_when_it_is_added() -> None:
    at = Desk.of(goal())
    made = at.do(
        c.AddTodo(
            goal="beta",
            title="Write it",
            capabilities=("python", "python "),
            write_scopes=("docs/**",),
            excluded_agents=("rex", "rex"),
        )
    )
    found = at.todo(facts(made)["id"])
    assert found.capabilities == ("python",)
    assert found.write_scopes == ("docs/**",)
    assert found.excluded_agents == ("rex",)
    assert at.no(c.AddTodo(goal="beta", title="Other", excluded_agents=("Mr Rex",))).code == "agent-invalid"
    assert at.no(c.AddTodo(goal="beta", title="Other", capabilities=(" ",))).code == "field-missing"


# a look --------------------------------------------------------------------------------------


def test_the_first_look_is_what_later_ones_are_compared_with() -> None:
    at = desk()
    made = at.do(look(), BOT)
    assert facts(made)["result"] == "unchanged"
    assert (log(at).polls, log(at).unchanged_count, log(at).last_material_at) == (1, 0, None)
    assert log(at).last_result_hash is not None
    assert log(at).recent[0].by == str(BOT)
    assert log(at).recent[0].summary == "200 OK"


def test_looks_that_see_the_same_add_up_and_put_the_next_one_off_by_the_cadence() -> None:
    at = desk()
    for count in range(3):
        at.do(look("200 OK\n"), BOT)
        assert log(at).unchanged_count == count
        assert log(at).next_due_at == at.now + timedelta(hours=6)
        at.wait(hours=6)


def test_a_look_that_finds_nothing_new_writes_its_record_and_nothing_else() -> None:
    at = desk()
    at.do(look())
    assert at.do(look()).changes == (Record(log(at)),)


def test_a_look_that_sees_something_else_is_material_and_calls_for_work() -> None:
    at = desk(priority="p1", acceptance=("a1",))
    at.entities[1] = goal(acceptance=(criterion(),))
    at.do(look())
    at.wait(hours=6)
    assert at.no(look("503")).code == "monitor-successor-missing"
    made = at.do(look("503", successors=("Bring the site back",), summary="It answers 503"), BOT)
    successor = at.todo(facts(made)["successors"][0])
    assert (successor.title, successor.priority, successor.acceptance) == ("Bring the site back", "p1", ("a1",))
    assert at.todo().successors == (successor.id,)
    assert (log(at).unchanged_count, log(at).last_material_at) == (0, at.now)
    [seen] = at.records(Kind.EVIDENCE)
    assert (seen.kind, seen.subject, seen.source) == (EvidenceKind.OBSERVATION, T1, str(BOT))
    assert log(at).recent[-1].evidence == (seen.id,)
    assert log(at).recent[-1].summary == "It answers 503"


def test_material_resets_the_streaks() -> None:
    at = desk(watch_only=True)
    for command in (look(), look(), look(), dead()):
        at.do(command)
    assert (log(at).unchanged_count, log(at).dead_count) == (2, 1)
    at.do(look("503"))
    assert (log(at).unchanged_count, log(at).dead_count) == (0, 0)


def test_no_successor_is_wanted_where_one_is_open_where_it_only_watches_or_where_a_reason_is_given() -> None:
    at = desk()
    at.do(look())
    made = at.do(look("503", successors=("Mend it",)))
    successor = facts(made)["successors"][0]
    at.do(look("504"))
    at.do(c.CompleteTodo(todo=successor))
    assert at.no(look("505")).code == "monitor-successor-missing"
    at.do(look("505", no_follow_up="The host is known to flap"))
    watching = desk(watch_only=True)
    watching.do(look())
    assert facts(watching.do(look("503")))["result"] == "material"


def test_a_successor_may_be_named_by_its_id_and_must_be_open_and_another() -> None:
    at = desk(todo(T2, "Mend it"))
    at.do(look())
    assert at.no(look("503", successors=(T1,))).code == "poll-contradiction"
    at.do(look("503", successors=(T2,)))
    assert at.todo().successors == (T2,)
    at.do(c.CompleteTodo(todo=T2))
    assert at.no(look("504", successors=(T2,))).code == "todo-closed"
    assert at.no(look("504", successors=("t-zzzz9999",))).code == "todo-unknown"


def test_whoever_looks_may_say_what_counts() -> None:
    at = desk(watch_only=True)
    assert facts(at.do(look(is_material=True)))["result"] == "material", "even a first look"
    assert facts(at.do(look("200 OK (2)", is_material=False)))["result"] == "unchanged"
    assert log(at).unchanged_count == 1
    assert facts(at.do(look("200 OK (2)")))["result"] == "unchanged", "it is compared with what was seen last"
    assert facts(at.do(look("200 OK (2)", is_material=True)))["result"] == "material"


def test_a_look_that_could_read_nothing_keeps_what_was_seen_last() -> None:
    at = desk()
    at.do(look())
    at.do(look())
    before = log(at)
    at.do(dead())
    at.do(dead())
    after = log(at)
    assert (after.dead_count, after.unchanged_count) == (2, before.unchanged_count)
    assert after.last_result_hash == before.last_result_hash
    assert after.recent[-1].result is PollResult.DEAD and after.recent[-1].digest is None
    at.do(look())
    assert (log(at).dead_count, log(at).unchanged_count) == (0, 2)


def test_a_log_lists_the_newest_ten_looks() -> None:
    at = desk()
    for _ in range(13):
        at.do(look())
    assert [each.number for each in log(at).recent] == list(range(4, 14))
    assert log(at).polls == 13


def test_a_look_before_it_is_due_is_allowed_and_said() -> None:
    at = desk()
    assert at.do(look()).notices == ()
    at.wait(hours=5, minutes=59)
    assert [each.code for each in at.do(look()).notices] == ["monitor-early"]
    at.wait(hours=6)
    assert at.do(look()).notices == ()


def test_a_repeated_request_is_one_look() -> None:
    at = desk()
    first = at.do(look(), op="op-look")
    again = at.do(look(), op="op-look")
    assert again.receipt == first.receipt and again.changes == ()
    assert log(at).polls == 1
    assert at.no(look("other"), op="op-look").code == "operation-reused"


def test_the_wrong_target_is_refused() -> None:
    at = desk()
    found = at.no(look(target="https://example.com/status"))
    assert found.code == "monitor-target-mismatch" and found.facts["target"] == TARGET
    at.do(look(target=f" {TARGET} "))
    assert desk(target=None).no(look()).code == "target-missing"


def test_what_is_not_watched_any_more_is_not_looked_at() -> None:
    assert desk(todo_class=TodoClass.ADVANCEMENT).no(look()).code == "todo-not-monitor"
    assert desk(status=TodoStatus.DONE).no(look()).code == "todo-closed"
    assert desk(status=TodoStatus.BLOCKED, reason="no").no(look()).code == "todo-not-open"
    stopped = Desk.of(goal(status=GoalStatus.STOPPED), watched())
    assert stopped.no(look()).code == "goal-closed"


def test_an_expired_monitor_says_how_to_close_it() -> None:
    at = desk(expires_at=START + timedelta(hours=1))
    at.wait(hours=1)
    at.do(look())
    at.wait(seconds=1)
    found = at.no(look())
    assert found.code == "monitor-expired" and f"loopx todo done {T1}" in found.hint
    at.do(c.CompleteTodo(todo=T1, no_follow_up="Watching ended"))


def test_anybody_looks_but_who_is_excluded() -> None:
    at = desk(claimed_by="rex", excluded_agents=("bot",))
    at.do(look(), REX)
    at.do(look(), ANN)
    assert at.no(look(), BOT).code == "agent-excluded"
    desk(claimed_by="rex").do(look(), BOT)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (look(None), "field-missing"),
        (look("200", is_dead=True), "poll-contradiction"),
        (look(None, is_dead=True, is_material=True), "poll-contradiction"),
        (look(successors=("Mend it",)), "poll-contradiction"),
        (look(no_follow_up="Nothing new"), "poll-contradiction"),
        (look(is_material=True, successors=("Mend it",), no_follow_up="No"), "poll-contradiction"),
        (look(is_material=True, no_follow_up=" "), "reason-missing"),
        (look(summary="two\nlines"), "field-value"),
        (look(summary="password: hunter2"), "text-credential"),
    ],
)
def test_a_look_that_excludes_itself_or_says_too_little_or_too_much_is_refused(
    command: c.PollMonitor, code: str
) -> None:
    assert desk().no(command).code == code


def test_what_was_seen_is_left_out_of_the_summary_where_it_holds_a_credential() -> None:
    at = desk(watch_only=True)
    at.do(look("token=abcdef123456 and more"))
    assert log(at).recent[0].summary == ""
    at.do(look("x" * 300))
    assert len(log(at).recent[1].summary) == 200


def test_a_monitor_that_was_looked_at_is_not_deleted_by_hand() -> None:
    at = desk()
    at.do(look())
    assert at.mistyped(at.todo(), None).code == "document-closed"
