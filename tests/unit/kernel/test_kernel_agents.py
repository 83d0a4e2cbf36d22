"""Agents: who is known, who takes part in a Goal, and what an agent leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.agents import is_registered, participant, unregistered
from loopx.model.goal import AgentMode, Participant, VisionNeed
from loopx.model.kind import Kind
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.todo import TodoStatus
from loopx.model.workspace import AgentEntry, WorkspaceConfig
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, T1, T2, T3, Desk, config, edited, facts, goal, todo


def lease(name: str = T1, owner: str = "bot", **fields: Any) -> Lease:
    times = {"acquired_at": START, "renewed_at": START, "expires_at": START, "ttl_seconds": 2700}
    proof = {"key": "k-1", "epoch": 1, "version": 1, "acquired_by": "op-1", "terms": "x", "goal": "beta"}
    return Lease(**{"todo": name, "owner": owner, **times, **proof, **fields})


def known(desk: Desk) -> list[AgentEntry]:
    found = desk.state.config()
    assert isinstance(found, WorkspaceConfig)
    return list(found.agents)


def test_an_agent_is_registered_in_the_workspace_and_takes_part_in_any_goal_that_names_nobody() -> None:
    desk = Desk.of(config(), goal())
    assert not is_registered(desk.state, "bot")
    assert facts(desk.do(c.AddAgent(agent="bot", capabilities=("python", "python")))) == {"id": "bot", "already": False}
    assert known(desk) == [AgentEntry(id="bot", capabilities=("python",))]
    assert is_registered(desk.state, "bot") and is_registered(desk.state, "bot", "beta")
    assert participant(desk.goal(), "bot") == Participant(id="bot")


def test_a_goal_that_names_its_agents_takes_no_others() -> None:
    desk = Desk.of(config(AgentEntry(id="bot"), AgentEntry(id="rex")), goal(agents=(Participant(id="rex"),)))
    assert is_registered(desk.state, "bot") and not is_registered(desk.state, "bot", "beta")
    refused = unregistered(desk.state, "bot", "beta")
    assert refused is not None and refused.code == "agent-unregistered" and "--goal beta" in refused.hint
    assert participant(desk.goal(), "bot") is None


@pytest.mark.parametrize("name", ["Bot Two", "bot/two", "-bot", "b" * 65, "b\not", "agent:bot", "", "human-ann"])
def test_malformed_names_are_refused(name: str) -> None:
    desk = Desk.of(config())
    assert desk.no(c.AddAgent(agent=name)).code == "agent-invalid"


def test_a_name_is_folded_before_it_is_compared() -> None:
    desk = Desk.of(config(AgentEntry(id="bot")))
    assert facts(desk.do(c.AddAgent(agent=" BOT ")))["already"] is True


def test_adding_a_known_agent_again_changes_nothing_and_otherwise_is_an_edit() -> None:
    desk = Desk.of(config(AgentEntry(id="bot", capabilities=("python", "go"))))
    assert desk.do(c.AddAgent(agent="bot", capabilities=("go",))).changes == ()
    assert desk.no(c.AddAgent(agent="bot", capabilities=("rust",))).code == "agent-exists"


def test_with_a_goal_an_agent_is_made_known_and_takes_part_in_one_commit() -> None:
    desk = Desk.of(config(), goal(agents=(Participant(id="rex"),)))
    desk.do(c.AddAgent(agent="bot", goal="beta", role_scope="Tests", vision="required", mode="monitor_only"))
    assert [each.id for each in known(desk)] == ["bot"]
    assert desk.goal().agents[1] == Participant(
        id="bot", role_scope="Tests", vision=VisionNeed.REQUIRED, mode=AgentMode.MONITOR_ONLY
    )
    assert facts(desk.do(c.AddAgent(agent="bot", goal="beta", vision="required")))["already"] is True
    assert desk.no(c.AddAgent(agent="bot", goal="beta", vision="optional")).code == "agent-exists"


def test_an_agent_the_goal_names_already_is_made_known_when_it_is_added() -> None:
    desk = Desk.of(config(), goal(agents=(Participant(id="bot"),)))
    desk.do(c.AddAgent(agent="bot", goal="beta"))
    assert is_registered(desk.state, "bot", "beta")


def test_what_an_agent_is_for_needs_a_goal() -> None:
    desk = Desk.of(config())
    found = desk.no(c.AddAgent(agent="bot", role_scope="Tests"))
    assert (found.code, found.facts["field"]) == ("field-value", "role_scope")


def test_values_outside_the_closed_sets_are_refused() -> None:
    desk = Desk.of(config(), goal())
    assert desk.no(c.AddAgent(agent="bot", goal="beta", vision="maybe")).code == "field-value"
    assert desk.no(c.AddAgent(agent="bot", goal="nowhere")).code == "goal-unknown"


def test_editing_changes_the_workspaces_entry_or_the_goals() -> None:
    desk = Desk.of(config(AgentEntry(id="bot", capabilities=("go",))), goal(agents=(Participant(id="bot"),)))
    desk.do(c.EditAgent(agent="bot", add={"capabilities": ("python",)}, remove={"capabilities": ("go",)}))
    assert known(desk)[0].capabilities == ("python",)
    desk.do(c.EditAgent(agent="bot", goal="beta", fields={"vision": "required", "role_scope": "Docs"}))
    assert desk.goal().agents[0] == Participant(id="bot", vision=VisionNeed.REQUIRED, role_scope="Docs")
    desk.do(c.EditAgent(agent="bot", goal="beta", fields={"role_scope": None}))
    assert desk.goal().agents[0].role_scope is None
    assert desk.do(c.EditAgent(agent="bot", goal="beta")).changes == ()


def test_an_edit_of_an_unknown_agent_or_field_is_refused() -> None:
    desk = Desk.of(config(AgentEntry(id="bot")), goal())
    assert desk.no(c.EditAgent(agent="tom")).code == "agent-unregistered"
    assert desk.no(c.EditAgent(agent="bot", goal="beta", fields={"mode": "active"})).code == "agent-unregistered"
    assert desk.no(c.EditAgent(agent="bot", fields={"id": "rex"})).code == "field-name-unknown"
    assert desk.no(c.EditAgent(agent="bot", fields={"vision": "required"})).code == "field-name-unknown"
    desk.do(c.AddAgent(agent="bot", goal="beta"))
    assert desk.no(c.EditAgent(agent="bot", goal="beta", add={"mode": ("active",)})).code == "field-value"


@pytest.mark.parametrize(
    "command",
    [c.AddAgent(agent="tom"), c.EditAgent(agent="bot"), c.RemoveAgent(agent="bot")],
    ids=lambda each: each.name,
)
def test_agents_are_a_persons_and_where_there_are_operators_theirs(command: Any) -> None:
    desk = Desk.of(config(AgentEntry(id="bot"), operators=("Ann",)))
    assert desk.no(command, BOT).code == "actor-not-permitted"
    assert desk.no(command, BEN).code == "operator-required"
    desk.do(command, ANN)


def busy() -> Desk:
    """The agents bot and rex with claims and leases in two Goals."""
    return Desk.of(
        config(AgentEntry(id="bot"), AgentEntry(id="rex")),
        goal(agents=(Participant(id="bot"), Participant(id="rex"))),
        goal("gamma", title="Other"),
        todo(T1, claimed_by="bot", claimed_at=START),
        todo(T2, title="Two", claimed_by="rex"),
        todo(T3, title="Three", goal="gamma", claimed_by="bot"),
        todo("t-dddd4444", title="Four", status=TodoStatus.DONE, claimed_by="bot"),
        lease(T1),
        lease(T2, "rex", key="k-2"),
        lease(T3, "bot", key="k-3", goal="gamma"),
    )


def test_leaving_a_goal_drops_claims_and_releases_leases_there_and_only_there() -> None:
    desk = busy()
    accepted = desk.do(c.RemoveAgent(agent="bot", goal="beta", reason="It goes home"))
    assert facts(accepted)["unclaimed"] == [T1]
    assert [each.id for each in desk.goal().agents] == ["rex"]
    assert (desk.todo(T1).claimed_by, desk.todo(T1).claimed_at) == (None, None)
    assert desk.todo(T2).claimed_by == "rex" and desk.todo(T3).claimed_by == "bot"
    first, second, third = (each for each in desk.records(Kind.LEASE))
    assert (first.status, first.version, first.epoch) == (LeaseStatus.RELEASED, 2, 1)
    assert [(each.key, each.epoch) for each in first.retired] == [("k-1", 1)]
    assert second.status is third.status is LeaseStatus.ACTIVE
    assert is_registered(desk.state, "bot") and not is_registered(desk.state, "bot", "beta")


def test_leaving_the_workspace_ends_everything_everywhere_but_what_was_done() -> None:
    desk = busy()
    desk.do(c.RemoveAgent(agent="bot"))
    assert [each.id for each in known(desk)] == ["rex"]
    assert [each.id for each in desk.goal().agents] == ["rex"]
    assert desk.todo(T1).claimed_by is desk.todo(T3).claimed_by is None
    assert desk.todo("t-dddd4444").claimed_by == "bot"
    assert [each.status for each in desk.records(Kind.LEASE)] == ["released", "active", "released"]
    assert desk.no(c.RemoveAgent(agent="bot")).code == "agent-unregistered"


def test_a_lease_released_before_stays_as_it_is() -> None:
    desk = busy()
    done = lease("t-eeee5555", status=LeaseStatus.RELEASED, released_at=START)
    desk.entities.append(done)
    desk.do(c.RemoveAgent(agent="bot"))
    assert done in desk.entities


def test_the_last_named_agent_of_a_goal_is_not_taken_out_so_that_the_goal_does_not_open_to_all() -> None:
    desk = Desk.of(config(AgentEntry(id="bot"), AgentEntry(id="rex")), goal(agents=(Participant(id="bot"),)))
    assert desk.no(c.RemoveAgent(agent="bot", goal="beta")).code == "agent-last"
    accepted = desk.do(c.RemoveAgent(agent="bot"))
    assert [each.code for each in accepted.notices] == ["agent-still-named"]
    assert [each.id for each in desk.goal().agents] == ["bot"]
    assert not is_registered(desk.state, "rex", "beta")


def test_a_goal_without_named_agents_has_none_to_take_out() -> None:
    desk = Desk.of(config(AgentEntry(id="bot")), goal())
    found = desk.no(c.RemoveAgent(agent="bot", goal="beta"))
    assert found.code == "agent-unregistered" and "every agent" in found.message


def test_naming_the_first_agent_of_a_goal_says_who_is_out_and_drops_their_claims() -> None:
    desk = Desk.of(
        config(AgentEntry(id="bot"), AgentEntry(id="rex")), goal(), todo(T1, claimed_by="rex"), lease(T1, "rex")
    )
    accepted = desk.do(c.AddAgent(agent="bot", goal="beta"))
    assert [(each.code, each.facts["agents"]) for each in accepted.notices] == [("agents-named", ["rex"])]
    assert desk.todo(T1).claimed_by is None
    assert desk.records(Kind.LEASE)[0].status is LeaseStatus.RELEASED


def test_an_agent_taken_out_in_an_editor_leaves_nothing_held_either() -> None:
    desk = busy()
    before = desk.state.config()
    assert before is not None
    desk.typed(before, edited(before, agents=(AgentEntry(id="rex"),)), accepted_by=ANN)
    assert desk.todo(T1).claimed_by is desk.todo(T3).claimed_by is None
    assert desk.records(Kind.LEASE)[0].status is LeaseStatus.RELEASED


def test_an_agent_taken_out_of_a_goal_by_an_edit_leaves_nothing_held_there() -> None:
    for way in ("hand", "command"):
        desk = busy()
        before = desk.goal()
        if way == "hand":
            desk.typed(before, edited(before, agents=(Participant(id="rex"),)), accepted_by=ANN)
        else:
            desk.do(c.EditGoal(goal="beta", fields={"agents": [{"id": "rex"}]}))
        assert desk.todo(T1).claimed_by is None and desk.todo(T3).claimed_by == "bot"


def test_a_goal_lists_an_agent_once() -> None:
    desk = busy()
    before = desk.goal()
    found = desk.mistyped(before, edited(before, agents=(Participant(id="bot"), Participant(id="bot"))))
    assert (found.code, found.facts["field"]) == ("field-value", "agents")


def test_dropping_out_does_not_touch_people() -> None:
    desk = Desk.of(config(AgentEntry(id="bot")), goal(), todo(T1, claimed_by="human-ann"))
    desk.do(c.AddAgent(agent="bot", goal="beta"))
    assert desk.todo(T1).claimed_by == "human-ann"
