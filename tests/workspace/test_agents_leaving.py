"""Agents as they stand in files: taken in and out by commands and by hand, with everything an agent that left held."""

from __future__ import annotations

from loopx.kernel.agents import is_registered
from loopx.kernel.commands import AcquireLease, AddAgent, ClaimTodo, EditGoal, RemoveAgent
from loopx.kernel.lease_standing import live_lease
from loopx.model.lease import LeaseStatus
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import waiting

CONFIG = "workspace.yaml"


def staffed(lab: Lab) -> str:
    """A workspace with the agents bot and rex, and a Todo that bot executes."""
    lab.goal()
    for name in ("bot", "rex"):
        lab.submit(AddAgent(agent=name))
    todo = lab.todo("Write the guide")
    lab.submit(ClaimTodo(todo=todo), BOT)
    lab.submit(AcquireLease(todo=todo, key="k-bot"), BOT)
    return todo


def holds_nothing(lab: Lab, todo: str) -> bool:
    state = lab.look().state
    lease = state.lease(todo)
    assert lease is not None and len(lease.retired) == 1, "the record stays, its key retired"
    return state.todo(todo).claimed_by is None and lease.status is LeaseStatus.RELEASED


def test_an_agent_is_added_to_the_file_and_nothing_else_in_it_moves(lab: Lab) -> None:
    lab.change(CONFIG, "title: Lab", "# who works here\ntitle: Lab   # for now")
    lab.look()
    lab.submit(AddAgent(agent="bot", capabilities=("python",)))
    lab.submit(AddAgent(agent="rex"))
    text = lab.read(CONFIG).decode()
    assert "# who works here\ntitle: Lab   # for now\n" in text
    lab.submit(RemoveAgent(agent="bot"))
    text = lab.read(CONFIG).decode()
    assert "bot" not in text and "rex" in text
    assert "# who works here\ntitle: Lab   # for now\n" in text
    lab.assert_sound()


def test_claim_and_lease_end_in_the_commit_that_takes_the_agent_out(lab: Lab) -> None:
    todo = staffed(lab)
    count = len(lab.operations())
    lab.submit(RemoveAgent(agent="bot"), op="op-remove")
    assert holds_nothing(lab, todo)
    assert len(lab.operations()) == count + 1, "one commit, not three"
    assert live_lease(lab.look().state, todo, lab.clock.now()) is None
    lab.restart()
    assert holds_nothing(lab, todo) and not is_registered(lab.look().state, "bot")
    lab.assert_sound()


def test_leaving_one_goal_leaves_the_other_alone(lab: Lab) -> None:
    todo = staffed(lab)
    lab.goal("gamma")
    kept = lab.todo("Draw", goal="gamma")
    lab.submit(ClaimTodo(todo=kept), BOT)
    for name in ("bot", "rex"):
        lab.submit(AddAgent(agent=name, goal="beta"))
    lab.submit(RemoveAgent(agent="bot", goal="beta"))
    assert holds_nothing(lab, todo)
    assert lab.todos()[kept].claimed_by == "bot"
    text = lab.read("goals/beta/goal.md").decode()
    assert "rex" in text and "bot" not in text
    lab.assert_sound()


def test_an_agent_taken_out_in_an_editor_waits_for_a_person_while_it_works(lab: Lab) -> None:
    todo = staffed(lab)
    text = lab.read(CONFIG).decode()
    lab.save(CONFIG, text.replace('  - id: "bot"\n', ""))
    assert waiting(lab) == {CONFIG: ["guard-edit-waits"]}
    assert lab.todos()[todo].claimed_by == "bot"
    lab.ws.accept_edit(CONFIG, actor=ANN)
    assert holds_nothing(lab, todo)
    assert not is_registered(lab.look().state, "bot")
    lab.assert_sound()


def test_a_list_of_agents_typed_by_hand_is_read_like_any_other(lab: Lab) -> None:
    lab.goal()
    lab.change(CONFIG, "title: Lab", "title: Lab\nagents:\n  - id: bot\n    capabilities: [python, go]\n  - {id: rex}")
    assert is_registered(lab.look().state, "rex", "beta")
    lab.submit(RemoveAgent(agent="rex"))
    assert not is_registered(lab.look().state, "rex")
    assert "capabilities: [python, go]" in lab.read(CONFIG).decode()
    lab.assert_sound()


def test_two_of_one_name_or_a_persons_name_are_refused_at_their_line(lab: Lab) -> None:
    for typed, code in (("  - id: bot\n  - id: bot", "field-value"), ("  - id: human-ann", "agent-invalid")):
        before = lab.read(CONFIG)
        lab.change(CONFIG, "title: Lab", f"title: Lab\nagents:\n{typed}")
        assert waiting(lab) == {CONFIG: [code]}
        [edit] = lab.ws.edits()
        assert edit.problems[0].place is not None and edit.problems[0].place.line is not None
        lab.save(CONFIG, before)
        assert waiting(lab) == {}


def test_a_goal_edited_by_command_lets_go_of_whoever_it_no_longer_names(lab: Lab) -> None:
    todo = staffed(lab)
    lab.submit(EditGoal(goal="beta", fields={"agents": [{"id": "rex"}]}))
    assert holds_nothing(lab, todo)
    lab.assert_sound()
