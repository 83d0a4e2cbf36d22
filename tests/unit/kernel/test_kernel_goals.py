"""Goals: making, editing, and the verbs of the status."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import EditGoal, NewGoal, SetGoalStatus
from loopx.kernel.outcome import Create
from loopx.model.goal import Criterion, Goal, GoalStatus, Quota
from tests.support.kernel import ANN, BEN, BOT, T1, Desk, config, criterion, facts, goal, todo

PAUSE = SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED, reason="holidays")


def test_a_new_goal_is_active_and_names_its_criteria_a1_and_on() -> None:
    desk = Desk.of()
    done = desk.do(NewGoal(goal="beta", title=" Ship it ", acceptance=("Ten users", "No data loss"), tags=("q1",)))
    made = desk.goal()
    assert made.status is GoalStatus.ACTIVE and made.title == "Ship it" and made.tags == ("q1",)
    assert [(each.id, each.text) for each in made.acceptance] == [("a1", "Ten users"), ("a2", "No data loss")]
    assert done.headline == 'goal: new beta "Ship it"'
    assert facts(done) == {"id": "beta", "status": "active"}
    assert made.created_at == desk.now


@pytest.mark.parametrize("name", ["Ship the beta", "../x", "β", "-a", "a" * 65, "", "a/b", "a\n"])
def test_a_goal_name_that_is_no_slug_is_refused(name: str) -> None:
    refused = Desk.of().no(NewGoal(goal=name, title="Ship"))
    assert refused.code == "goal-id-invalid"


def test_a_refused_goal_name_comes_with_a_suggestion() -> None:
    refused = Desk.of().no(NewGoal(goal="Ship the Beta!", title="Ship"))
    assert refused.facts["suggestion"] == "ship-the-beta" and "ship-the-beta" in refused.hint


def test_a_goal_is_made_once() -> None:
    refused = Desk.of(goal()).no(NewGoal(goal="beta", title="Another"))
    assert refused.code == "goal-exists" and "Ship the beta" in refused.message


def test_an_agent_may_propose_a_draft_and_nothing_more() -> None:
    desk = Desk.of()
    refused = desk.no(NewGoal(goal="beta", title="Ship"), BOT)
    assert refused.code == "actor-not-permitted" and "--draft" in refused.hint
    desk.do(NewGoal(goal="beta", title="Ship", draft=True), BOT)
    assert desk.goal().status is GoalStatus.DRAFT


@pytest.mark.parametrize(
    ("title", "code"),
    [("", "field-missing"), ("  ", "field-missing"), ("a\nb", "field-value"), ("a" * 1001, "field-value")],
)
def test_a_title_is_one_line(title: str, code: str) -> None:
    refused = Desk.of().no(NewGoal(goal="beta", title=title))
    assert (refused.code, refused.facts["field"]) == (code, "title")


def test_a_blank_criterion_is_refused() -> None:
    assert Desk.of().no(NewGoal(goal="beta", title="Ship", acceptance=("fine", " "))).facts["field"] == "acceptance"


def test_editing_changes_only_what_differs() -> None:
    desk = Desk.of(goal(tags=("a",)))
    done = desk.do(EditGoal(goal="beta", fields={"title": "Ship it", "tags": ["a"]}, objective="All of it"))
    assert facts(done)["changed"] == ["title", "body"]
    assert desk.goal() == goal(title="Ship it", tags=("a",), body="All of it")


def test_an_edit_that_changes_nothing_is_no_change() -> None:
    done = Desk.of(goal()).do(EditGoal(goal="beta", fields={"title": "Ship the beta"}))
    assert done.changes == () and facts(done)["changed"] == []


def test_a_person_adds_criteria_and_sets_a_quota() -> None:
    desk = Desk.of(goal(acceptance=(criterion("a1"), criterion("a3"))))
    desk.do(EditGoal(goal="beta", fields={"quota": {"compute": 5}}, add_acceptance=("No data loss",)))
    assert [each.id for each in desk.goal().acceptance] == ["a1", "a3", "a2"]
    assert desk.goal().quota == Quota(compute=5)


@pytest.mark.parametrize(
    "fields",
    [
        {"acceptance": []},
        {"boundary": {"private_paths": ["x"]}},
        {"quota": {"compute": 0}},
        {"agents": [{"id": "bot"}]},
    ],
)
def test_criteria_boundary_quota_and_agents_are_for_a_person(fields: dict[str, object]) -> None:
    desk = Desk.of(goal(acceptance=(criterion(),), status=GoalStatus.DRAFT))
    refused = desk.no(EditGoal(goal="beta", fields=fields), BOT)
    assert refused.code == "actor-not-permitted" and refused.facts["field"] == next(iter(fields))


def test_an_agent_may_edit_the_words_of_a_draft_and_not_of_an_active_goal() -> None:
    edit = EditGoal(goal="beta", fields={"title": "Ship it"}, objective="All of it")
    Desk.of(goal(status=GoalStatus.DRAFT)).do(edit, BOT)
    assert Desk.of(goal()).no(edit, BOT).code == "actor-not-permitted"


def test_two_criteria_of_one_name_are_refused() -> None:
    twice = [{"id": "a1", "text": "x"}, {"id": "a1", "text": "y"}]
    assert Desk.of(goal()).no(EditGoal(goal="beta", fields={"acceptance": twice})).code == "criterion-duplicate"


def test_a_criterion_taken_away_is_said_to_be_missed_by_open_todos() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(acceptance=("a1",)))
    done = desk.do(EditGoal(goal="beta", fields={"acceptance": []}))
    assert [each.code for each in done.notices] == ["criterion-dangling"] and T1 in done.notices[0].message


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"titel": "x"}, "field-name-unknown"),
        ({"id": "gamma"}, "field-machine-owned"),
        ({"outcome": "achieved"}, "field-machine-owned"),
        ({"status": "closed"}, "field-by-command"),
        ({"title": 5}, "field-type"),
        ({"title": None}, "field-missing"),
        ({"quota": {"compute": "many"}}, "field-type"),
        ({"agents": [{"id": "Bot!"}]}, "field-value"),
    ],
)
def test_a_field_that_cannot_be_set_is_named(fields: dict[str, object], code: str) -> None:
    assert Desk.of(goal()).no(EditGoal(goal="beta", fields=fields)).code == code


def test_the_status_follows_its_verbs() -> None:
    desk = Desk.of(goal(status=GoalStatus.DRAFT))
    for verb, to in [
        ("activate", GoalStatus.ACTIVE),
        ("pause", GoalStatus.PAUSED),
        ("resume", GoalStatus.ACTIVE),
        ("stop", GoalStatus.STOPPED),
        ("activate", GoalStatus.ACTIVE),
    ]:
        done = desk.do(SetGoalStatus(goal="beta", verb=verb, to=to))
        assert desk.goal().status is to and done.headline.startswith(f"goal: {verb} beta")


def test_pausing_keeps_its_reason_and_going_on_clears_it() -> None:
    desk = Desk.of(goal())
    desk.do(PAUSE)
    assert desk.goal().reason == "holidays"
    desk.do(SetGoalStatus(goal="beta", verb="resume", to=GoalStatus.ACTIVE))
    assert desk.goal().reason is None


def test_pausing_twice_changes_nothing() -> None:
    desk = Desk.of(goal())
    desk.do(PAUSE)
    again = desk.do(PAUSE)
    assert again.changes == () and facts(again)["already"] is True


def test_a_verb_that_does_not_fit_is_refused() -> None:
    desk = Desk.of(goal(status=GoalStatus.DRAFT))
    refused = desk.no(SetGoalStatus(goal="beta", verb="resume", to=GoalStatus.ACTIVE))
    assert refused.code == "transition-illegal" and "loopx goal activate" in refused.hint


def test_a_closed_goal_stays_closed() -> None:
    desk = Desk.of(goal(status=GoalStatus.CLOSED))
    assert desk.no(SetGoalStatus(goal="beta", verb="activate", to=GoalStatus.ACTIVE)).code == "transition-illegal"


def test_a_goal_nobody_has_is_unknown_and_the_nearest_is_named() -> None:
    refused = Desk.of(goal(), goal("gamma")).no(SetGoalStatus(goal="betta", verb="pause", to=GoalStatus.PAUSED))
    assert refused.code == "goal-unknown" and refused.facts["nearest"] == "beta"


def test_with_operators_only_they_make_a_goal_active() -> None:
    desk = Desk.of(config(operators=["Ben"]))
    assert desk.no(NewGoal(goal="beta", title="Ship"), ANN).code == "operator-required"
    done = desk.do(NewGoal(goal="beta", title="Ship"), BEN)
    assert isinstance(done.changes[0], Create) and isinstance(done.changes[0].entity, Goal)


def test_a_criterion_keeps_its_check_when_another_is_added() -> None:
    checked = Criterion(id="a1", text="It runs", check=("true",))
    desk = Desk.of(goal(acceptance=(checked,)))
    desk.do(EditGoal(goal="beta", add_acceptance=("It is quick",)))
    assert desk.goal().acceptance[0] == checked
