"""Visions: one an agent, within budgets that refuse and never cut."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import RetireVision, SetVision
from loopx.kernel.outcome import Create
from loopx.model.goal import GoalStatus
from loopx.model.vision import VISION_BUDGETS, Advancement, Vision, VisionStatus
from tests.support.kernel import ANN, BOT, REX, Desk, facts, goal

SET = SetVision(goal="beta", agent="bot", summary="Write, then test")


def vision(desk: Desk) -> Vision:
    found = desk.state.vision("beta", "bot")
    assert found is not None
    return found


def test_an_agent_writes_its_own_vision_and_a_person_any() -> None:
    desk = Desk.of(goal())
    done = desk.do(SET, BOT)
    assert desk.state.vision("beta", "bot") == Vision(
        agent="bot", summary="Write, then test", goal="beta", created_at=desk.now
    )
    assert isinstance(done.changes[0], Create)
    assert done.headline == 'vision: set beta/bot "Write, then test"'
    assert desk.no(SetVision(goal="beta", agent="bot", summary="x"), REX).code == "actor-not-permitted"
    desk.do(SetVision(goal="beta", agent=" BOT ", summary="x"), ANN)


def test_fields_left_out_stay_as_they_are() -> None:
    desk = Desk.of(goal())
    desk.do(SET)
    desk.do(SetVision(goal="beta", agent="bot", role_scope="docs", advancement="repeat_until_closed"))
    found = desk.state.vision("beta", "bot")
    assert found is not None
    assert (found.summary, found.role_scope, found.advancement) == (
        "Write, then test",
        "docs",
        Advancement.REPEAT_UNTIL_CLOSED,
    )
    assert desk.do(SetVision(goal="beta", agent="bot", role_scope="docs")).changes == ()


@pytest.mark.parametrize(("name", "limit"), list(VISION_BUDGETS.items()))
@pytest.mark.parametrize("letter", ["a", "字"])
def test_a_field_over_its_budget_is_refused_with_count_and_limit(name: str, limit: int, letter: str) -> None:
    desk = Desk.of(goal())
    fitting = {"summary": "s", name: letter * limit}
    desk.do(SetVision(goal="beta", agent="bot", **fitting))  # type: ignore[arg-type]
    refused = desk.no(SetVision(goal="beta", agent="bot", **{**fitting, name: letter * (limit + 1)}))  # type: ignore[arg-type]
    assert refused.code == "vision-over-budget"
    assert refused.facts == {"field": name, "count": limit + 1, "limit": limit}


def test_all_fields_together_have_a_budget_of_their_own() -> None:
    desk = Desk.of(goal())
    fields = {name: "a" * limit for name, limit in VISION_BUDGETS.items()}
    refused = desk.no(SetVision(goal="beta", agent="bot", **fields))  # type: ignore[arg-type]
    assert refused.facts == {"field": "total", "count": sum(VISION_BUDGETS.values()), "limit": 1200}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (SetVision(goal="beta", agent="bot", role_scope="docs"), "field-missing"),
        (SetVision(goal="beta", agent="bot", summary="  "), "field-missing"),
        (SetVision(goal="beta", agent="Bot!", summary="x"), "agent-invalid"),
        (SetVision(goal="beta", agent="bot", summary="x", advancement="never"), "field-value"),
        (SetVision(goal="gone", agent="bot", summary="x"), "goal-unknown"),
        (RetireVision(goal="beta", agent="bot"), "vision-unknown"),
    ],
)
def test_a_vision_that_cannot_be_is_refused(command: SetVision, code: str) -> None:
    assert Desk.of(goal()).no(command).code == code


def test_a_stopped_goal_gets_no_vision() -> None:
    assert Desk.of(goal(status=GoalStatus.STOPPED)).no(SET).code == "goal-closed"


def test_a_retired_vision_keeps_its_text_and_comes_back_when_set() -> None:
    desk = Desk.of(goal())
    desk.do(SET)
    assert desk.no(RetireVision(goal="beta", agent="bot"), REX).code == "actor-not-permitted"
    assert desk.no(RetireVision(goal="beta", agent="bot", reason="a\nb"), BOT).code == "field-value"
    desk.do(RetireVision(goal="beta", agent="bot", reason="another route"), BOT)
    found = desk.state.vision("beta", "bot")
    assert found is not None
    assert (found.status, found.summary, found.reason) == (VisionStatus.RETIRED, "Write, then test", "another route")
    again = desk.do(RetireVision(goal="beta", agent="bot"), BOT)
    assert again.changes == () and facts(again)["already"] is True
    desk.do(SetVision(goal="beta", agent="bot", last_patch="back"), BOT)
    found = desk.state.vision("beta", "bot")
    assert found is not None and found.status is VisionStatus.ACTIVE and found.reason is None


@pytest.mark.parametrize("end", ["retired", "superseded", "closed", "no_followup"])
def test_a_vision_ends_in_each_way_and_is_written_again(end: str) -> None:
    desk = Desk.of(goal())
    desk.do(SET)
    done = desk.do(RetireVision(goal="beta", agent="bot", to=end, reason="said so"), BOT)
    assert vision(desk).status == end and done.headline.startswith("vision: retire beta/bot")
    assert desk.do(RetireVision(goal="beta", agent="bot", to=end), BOT).changes == ()
    desk.do(SET, BOT)
    assert vision(desk).status is VisionStatus.ACTIVE


def test_what_nothing_follows_says_why() -> None:
    desk = Desk.of(goal())
    desk.do(SET)
    assert desk.no(RetireVision(goal="beta", agent="bot", to="no_followup")).code == "reason-missing"
    desk.do(RetireVision(goal="beta", agent="bot", to="closed"))
    desk.do(RetireVision(goal="beta", agent="bot", to="no_followup", reason="the rest is Rex's"))
    refused = desk.no(RetireVision(goal="beta", agent="bot", to="closed"))
    assert refused.code == "transition-illegal" and "loopx vision set" in refused.hint
    assert desk.no(RetireVision(goal="beta", agent="bot", to="active")).code == "field-value"
