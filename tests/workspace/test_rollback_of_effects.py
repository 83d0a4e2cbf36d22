"""Going back past acts on the outside: they are told of, stay on record, and each gets a Todo that sees to it."""

from __future__ import annotations

from typing import Any

from loopx.kernel.commands import (
    ConfirmPostcondition,
    EditTodo,
    OpenEffect,
    SettleEffect,
)
from loopx.model.effect import EffectStatus
from tests.support.lab import ANN, Lab
from tests.workspace.going_back import head


def act(lab: Lab, summary: str, todo: str | None = None, goal: str = "beta", **more: Any) -> str:
    made = lab.submit(OpenEffect(goal=goal, summary=summary, todo=todo, **more))
    return str(made.receipt.result["id"])


def settled(lab: Lab, effect: str, status: str) -> str:
    lab.submit(SettleEffect(effect=effect, status=status, evidence=("I looked",)))
    return effect


def test_what_was_done_outside_since_is_listed_with_what_to_read_again(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Publish")
    earlier = settled(lab, act(lab, "Reserve the name", todo), "confirmed")
    before = head(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    published = settled(
        lab, act(lab, "Publish 1.0", todo, readback="pip index", postconditions=("The page shows it",)), "confirmed"
    )
    never = settled(lab, act(lab, "Publish 1.1", todo), "absent")
    unknown = act(lab, "Send the letter", goal="beta")
    plan = lab.ws.plan_rollback(before)
    told = {each["effect"]: each for each in plan.effects}
    assert set(told) == {published, unknown}, (earlier, never)
    assert told[published]["recheck"] == "pip index; The page shows it"
    assert "happened" in told[published]["what"] and "nobody knows" in told[unknown]["what"]
    assert [each["choice"] for each in plan.choices][2:] == ["external cleanup", "support request"]
    assert [each["effect"] for each in lab.ws.plan_rollback(before, todo=todo).effects] == [published]


def test_each_gets_a_todo_that_names_what_to_read_again_and_who_accepts(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Publish")
    before = head(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    published = act(lab, "Publish 1.0", todo, postconditions=("The page shows it",))
    settled(lab, published, "confirmed")
    done = lab.ws.roll_back(before, reason="It broke", actor=ANN)
    [made] = done.compensation
    found = lab.todos()[made]
    assert published in found.title
    assert "To re-read: The page shows it" in found.body and "Accepted by: human:Ann" in found.body
    effect = lab.look().state.effect(published)
    assert effect is not None
    assert (effect.compensation, effect.status) == (made, EffectStatus.CONFIRMED), "what happened stays on record"
    assert lab.todos()[todo].priority == "p2"
    lab.assert_sound()
    again = lab.ws.roll_back(before, reason="Once more", actor=ANN, todo=todo)
    assert again.compensation == (), "nothing differs any more"
    lab.submit(SettleEffect(effect=published, status="compensated", evidence=("Yanked",)))
    lab.assert_sound()


def test_a_postcondition_seen_to_hold_need_not_be_read_again(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Publish")
    before = head(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    published = settled(lab, act(lab, "Publish", todo, postconditions=("One", "Two")), "confirmed")
    lab.submit(ConfirmPostcondition(effect=published, number=1))
    [told] = lab.ws.plan_rollback(before).effects
    assert told["recheck"] == "Two"


def test_undoing_one_operation_tells_of_acts_for_its_todo_alone(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Publish")
    other = lab.todo("Print")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-edit")
    mine = act(lab, "Publish 1.0", todo)
    act(lab, "Print it", other)
    act(lab, "Send the letter")
    assert [each["effect"] for each in lab.ws.plan_undo("op-edit").effects] == [mine]


def test_an_act_that_the_revision_holds_is_not_told_of_again(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Publish")
    act(lab, "Publish 1.0", todo)
    before = head(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    assert lab.ws.plan_rollback(before).effects == ()
