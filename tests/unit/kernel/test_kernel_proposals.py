"""Proposals: anybody writes one, a person decides, and until then nothing follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.closure.audit import audit
from loopx.model.goal import GoalStatus
from loopx.model.proposal import Proposal, ProposalStatus
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, REX, T1, Desk, config, edited, facts, goal, todo

P1 = "p-aaaa1111"


def proposal(name: str = P1, **fields: Any) -> Proposal:
    said = {"title": "Try a queue", "body": "It would smooth the peaks.\n", "proposed_by": str(BOT), "goal": "beta"}
    return Proposal(**{"id": name, "created_at": START, **said, **fields})


def desk(*more: Any) -> Desk:
    return Desk.of(config(operators=("Ann",)), goal(), *more)


def found(at: Desk, name: str = P1) -> Proposal:
    there = at.state.proposal(name)
    assert there is not None
    return there


def test_anybody_proposes_and_the_same_title_is_proposed_once() -> None:
    at = desk()
    made = at.do(c.AddProposal(goal="beta", title=" Try a queue ", body="Peaks.\n"), BOT)
    there = found(at, facts(made)["id"])
    assert (there.title, there.body, there.status, there.proposed_by) == (
        "Try a queue",
        "Peaks.\n",
        ProposalStatus.PROPOSED,
        str(BOT),
    )
    again = at.do(c.AddProposal(goal="beta", title="try a  QUEUE"), REX)
    assert facts(again) == {"id": there.id, "added": False} and again.changes == ()


def test_a_person_accepts_it_and_it_becomes_a_todo_with_its_title_and_text() -> None:
    at = desk(proposal())
    made = at.do(c.AcceptProposal(proposal="P-AAAA1111"), ANN)
    work = at.todo(facts(made)["todo"])
    assert (work.title, work.body, work.status, work.goal) == (
        "Try a queue",
        "It would smooth the peaks.\n",
        TodoStatus.OPEN,
        "beta",
    )
    there = found(at)
    assert (there.status, there.todo, there.decided_by) == (ProposalStatus.ACCEPTED, work.id, str(ANN))
    again = at.do(c.AcceptProposal(proposal=P1), ANN)
    assert facts(again)["already"] is True and facts(again)["todo"] == work.id


def test_accepting_points_to_an_open_todo_of_the_same_title() -> None:
    at = desk(proposal(), todo(T1, "Try a queue"))
    made = at.do(c.AcceptProposal(proposal=P1), ANN)
    assert facts(made)["todo"] == T1 and facts(made)["added"] is False
    assert found(at).todo == T1


def test_nobody_but_a_person_accepts_and_where_there_are_operators_one_of_them() -> None:
    at = desk(proposal())
    assert at.no(c.AcceptProposal(proposal=P1), BOT).code == "actor-not-permitted"
    assert at.no(c.AcceptProposal(proposal=P1), BEN).code == "operator-required"


def test_an_agent_takes_back_its_own_and_a_person_rejects_any() -> None:
    at = desk(proposal(), proposal("p-bbbb2222", title="Two"))
    assert at.no(c.RejectProposal(proposal=P1, reason="No"), REX).code == "actor-not-permitted"
    at.do(c.RejectProposal(proposal=P1, reason="It was a bad idea"), BOT)
    assert (found(at).status, found(at).reason) == (ProposalStatus.REJECTED, "It was a bad idea")
    at.do(c.RejectProposal(proposal="p-bbbb2222", reason="Too early"), BEN)
    assert facts(at.do(c.RejectProposal(proposal=P1, reason="Again"), BOT))["already"] is True


def test_a_decided_proposal_is_decided() -> None:
    at = desk(proposal(), proposal("p-bbbb2222", title="Two"))
    at.do(c.RejectProposal(proposal=P1, reason="No"), ANN)
    at.do(c.AcceptProposal(proposal="p-bbbb2222"), ANN)
    assert at.no(c.AcceptProposal(proposal=P1), ANN).code == "transition-illegal"
    assert at.no(c.RejectProposal(proposal="p-bbbb2222", reason="No"), ANN).code == "transition-illegal"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (c.AddProposal(goal="beta", title=" "), "field-missing"),
        (c.AddProposal(goal="beta", title="a\nb"), "field-value"),
        (c.AddProposal(goal="nowhere", title="Try"), "goal-unknown"),
        (c.AddProposal(goal="beta", title="Try", body="password=hunter22"), "text-credential"),
        (c.AcceptProposal(proposal="p-zzzz9999"), "proposal-unknown"),
        (c.RejectProposal(proposal=P1, reason=" "), "reason-missing"),
        (c.RejectProposal(proposal=P1, reason="token: abc123456"), "text-credential"),
    ],
)
def test_what_cannot_be_is_refused(command: Any, code: str) -> None:
    assert desk(proposal()).no(command).code == code


def test_a_goal_that_takes_no_work_takes_no_proposal_and_makes_none_a_todo() -> None:
    at = Desk.of(goal(status=GoalStatus.STOPPED), proposal())
    assert at.no(c.AddProposal(goal="beta", title="Try")).code == "goal-closed"
    assert at.no(c.AcceptProposal(proposal=P1)).code == "goal-closed"


def test_in_a_shared_workspace_no_machine_path_goes_into_it() -> None:
    at = Desk.of(config(shared=True), goal())
    command = c.AddProposal(goal="beta", title="Try", body="See /home/ann/notes.md")
    assert at.no(command).code == "text-private"
    assert at.mistyped(None, proposal(body="See /home/ann/notes.md", proposed_by=None)).code == "text-private"


def test_a_proposal_is_work_for_nobody_and_stands_in_no_audit() -> None:
    at, bare = desk(proposal()), desk()
    assert at.state.frontier() == [] and dict(at.state.tally()) == {}
    assert list(at.state.todos()) == []
    with_it, without = (audit(each.state, each.goal(), each.now) for each in (at, bare))
    assert with_it == without


# by hand -------------------------------------------------------------------------------------


def test_a_hand_made_one_needs_a_title_alone() -> None:
    at = desk()
    at.typed(None, Proposal(id=P1, title="Try a queue", goal="beta"))
    there = found(at)
    assert (there.proposed_by, there.created_at) == (str(ANN), START)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"status": ProposalStatus.ACCEPTED}, "status"),
        ({"status": ProposalStatus.REJECTED}, "status"),
        ({"todo": T1}, "todo"),
        ({"decided_by": "human:Ann"}, "decided_by"),
        ({"proposed_by": "agent:bot"}, "proposed_by"),
    ],
)
def test_what_only_a_command_writes_is_not_typed(fields: dict[str, Any], field: str) -> None:
    at = desk()
    refused = at.mistyped(None, Proposal(id=P1, title="Try", goal="beta", **fields))
    assert (refused.code, refused.facts["field"]) == ("field-machine-owned", field)


def test_title_and_text_are_edited_while_it_waits() -> None:
    at = desk(proposal())
    at.typed(found(at), edited(found(at), title="Try two queues", body="Better.\n"))
    assert found(at).title == "Try two queues"
    assert at.mistyped(found(at), edited(found(at), status=ProposalStatus.ACCEPTED)).code == "field-machine-owned"
    assert at.mistyped(found(at), edited(found(at), body="password=hunter22")).code == "text-credential"
    assert at.mistyped(found(at), edited(found(at), title="Mine"), REX).code == "actor-not-permitted"
    at.do(c.AcceptProposal(proposal=P1), ANN)
    assert at.mistyped(found(at), edited(found(at), title="Three")).code == "proposal-decided"


def test_one_that_waits_may_be_deleted_and_one_that_was_decided_may_not() -> None:
    at = desk(proposal(), proposal("p-bbbb2222", title="Two"))
    assert at.mistyped(found(at), None, BOT).code == "actor-not-permitted"
    at.typed(found(at), None)
    assert at.state.proposal(P1) is None
    at.do(c.AcceptProposal(proposal="p-bbbb2222"), ANN)
    assert at.mistyped(found(at, "p-bbbb2222"), None).code == "document-closed"


def test_an_id_is_used_once() -> None:
    at = desk(proposal())
    assert at.mistyped(None, proposal(proposed_by=None)).code == "id-duplicate"
    at.typed(found(at), None)
    at.known_ids.add(P1)
    assert at.mistyped(None, proposal(proposed_by=None)).code == "id-reused"
    at.typed(None, proposal(), is_return=True)


def test_a_goal_with_proposals_is_not_deleted() -> None:
    at = desk(proposal())
    assert at.mistyped(at.goal(), None).code == "document-referenced"


def test_a_proposal_stays_with_its_goal() -> None:
    at = desk(proposal(), goal("gamma"))
    assert at.mistyped(found(at), edited(found(at), goal="gamma")).code == "document-closed"
