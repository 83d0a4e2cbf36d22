"""Guards edited by hand while an agent works: the edit waits until an operator takes it in or drops it."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AcquireLease, AddAgent, EditTodo, EditWorkspace, ReleaseLease
from loopx.model.actor import Actor
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, waiting

KEY = "k-mine1111"


@pytest.fixture
def todo(lab: Lab) -> str:
    """A Todo that a decision guards, beside one the agent bot executes."""
    lab.goal()
    lab.submit(AddAgent(agent="bot"))
    work, found = lab.todo("Write the guide"), lab.todo("Deploy", requires=("production:goal:deploy",))
    lab.submit(AcquireLease(todo=work, key=KEY), BOT)
    lab.clock.wait(5)
    return found


def loosen(lab: Lab, todo: str) -> str:
    path = lab.path_of(todo)
    lab.change(path, "requires:\n  - production:goal:deploy\n", "")
    return path


def needs(lab: Lab, todo: str) -> tuple[str, ...]:
    found: tuple[str, ...] = lab.todos()[todo].requires
    return found


def test_the_edit_waits_and_the_guard_goes_on_to_hold(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    typed = lab.read(path)
    assert needs(lab, todo) == ("production:goal:deploy",)
    assert waiting(lab) == {path: ["guard-edit-waits"]}
    [edit] = lab.ws.edits()
    assert f"loopx edit accept {path}" in edit.problems[0].hint
    assert lab.read(path) == typed


def test_an_operator_takes_it_in_by_name(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.look()
    lab.ws.accept_edit(path, actor=ANN)
    assert needs(lab, todo) == () and waiting(lab) == {}
    assert lab.ws.log(limit=1)[0].actor == "human:Test Person"
    lab.assert_sound()


def test_no_agent_takes_it_in_whatever_it_says_it_is(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.look()
    with pytest.raises(LoopxError) as error:
        lab.ws.accept_edit(path, actor=BOT)
    assert error.value.code == "actor-not-permitted"
    assert needs(lab, todo) == ("production:goal:deploy",)


def test_only_an_operator_takes_it_in_where_the_workspace_names_them(lab: Lab, todo: str) -> None:
    lab.submit(EditWorkspace(fields={"operators": ["Ann"]}), ANN)
    path = loosen(lab, todo)
    lab.look()
    with pytest.raises(LoopxError) as error:
        lab.ws.accept_edit(path, actor=Actor.parse("human:Ben"))
    assert error.value.code == "operator-required"
    # The person whose files these are is named by Git and is no operator here; whoever accepts is.
    with pytest.raises(LoopxError):
        lab.ws.accept_edit(path, actor=Actor.parse("human:Test Person"))
    assert waiting(lab) == {path: ["operator-required"]}
    lab.clock.wait(46 * 60)
    assert needs(lab, todo) == ("production:goal:deploy",), "it goes on waiting when the agent has left"


def test_it_is_dropped_like_any_other_edit(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.look()
    lab.ws.discard_edit(path, actor=ANN)
    assert lab.read(path) == lab.at_head(path) and waiting(lab) == {}


def test_an_agent_that_ends_its_lease_gets_nothing_through_that_waited(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.look()
    [work] = [each.id for each in lab.todos().values() if each.title == "Write the guide"]
    lab.submit(ReleaseLease(todo=work, key=KEY), BOT)
    assert needs(lab, todo) == ("production:goal:deploy",)
    assert waiting(lab) == {path: ["guard-edit-waits"]}
    lab.ws.accept_edit(path, actor=ANN)
    assert needs(lab, todo) == ()


def test_what_a_person_types_once_no_agent_works_any_more_is_taken_in(lab: Lab, todo: str) -> None:
    lab.clock.wait(46 * 60)
    loosen(lab, todo)
    assert needs(lab, todo) == () and waiting(lab) == {}


def test_everything_else_in_the_same_file_waits_with_it(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.change(path, "title: Deploy", "title: Deploy it")
    assert lab.todos()[todo].title == "Deploy"
    assert waiting(lab) == {path: ["guard-edit-waits"]}


def test_a_command_is_no_hand_edit_and_waits_for_nobody(lab: Lab, todo: str) -> None:
    lab.submit(EditTodo(todo=todo, fields={"requires": []}), ANN)
    assert needs(lab, todo) == ()


def test_a_commit_made_with_plain_git_waits_as_well(lab: Lab, todo: str) -> None:
    path = loosen(lab, todo)
    lab.git("-c", "user.name=Eve", "-c", "user.email=eve@example.invalid", "commit", "-qam", "loosen it")
    assert needs(lab, todo) == ("production:goal:deploy",)
    assert waiting(lab) == {path: ["guard-edit-waits"]}
    assert b"requires" in lab.at_head(path)
    lab.ws.accept_edit(path, actor=ANN)
    assert needs(lab, todo) == ()


# claims typed into a file ---------------------------------------------------------------------


def test_a_claim_typed_by_hand_gets_its_time_written_beside_it(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Write the guide")
    path = lab.path_of(todo)
    lab.change(path, "priority: p2\n", "priority: p2\nclaimed_by: bot  # until Friday\n")
    found = lab.todos()[todo]
    assert found.claimed_by == "bot" and found.claimed_at is not None
    text = lab.read(path).decode()
    assert "claimed_by: bot  # until Friday\n" in text and "claimed_at: " in text
    assert lab.read(path) == lab.at_head(path)
    lab.change(path, "claimed_by: bot  # until Friday\n", "")
    assert lab.todos()[todo].claimed_at is None
    assert "claimed_at" not in lab.read(path).decode()
    assert len(hand_commits(lab)) == 2
    lab.assert_sound()


def test_both_lines_of_a_claim_taken_out_by_hand_are_gone(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Write the guide")
    path = lab.path_of(todo)
    before = lab.read(path)
    lab.change(path, "priority: p2\n", "priority: p2\nclaimed_by: bot\n")
    lab.look()
    lab.save(path, before)
    assert waiting(lab) == {path: ["edit-is-old-version"]}
    lab.save(path, before + b"\nOnly notes.\n")
    found = lab.todos()[todo]
    assert (found.claimed_by, found.claimed_at) == (None, None)
    assert "claimed" not in lab.read(path).decode()


def test_a_new_file_with_a_claim_gets_its_time_with_its_id(lab: Lab) -> None:
    lab.goal()
    lab.save("goals/beta/todos/new.md", "---\ntitle: Print it\nclaimed_by: bot\n---\n")
    [found] = lab.todos().values()
    assert found.claimed_by == "bot" and found.claimed_at is not None
    text = lab.read("goals/beta/todos/new.md").decode()
    assert "claimed_at: " in text and "created_at" not in text
    assert lab.read("goals/beta/todos/new.md") == lab.at_head("goals/beta/todos/new.md")
