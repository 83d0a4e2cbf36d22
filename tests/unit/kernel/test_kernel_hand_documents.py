"""Goals, Gates, Visions, the workspace and records edited by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import DecideGate
from loopx.kernel.hand import HandEdit, decide_hand
from loopx.kernel.outcome import Create, Update
from loopx.model.actor import Channel, Origin
from loopx.model.gate import GateStatus
from loopx.model.goal import Criterion, GoalOutcome, GoalStatus, Quota
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog, CriterionLog, DecisionLog
from loopx.model.todo import TodoStatus
from loopx.model.vision import Vision, VisionStatus
from loopx.model.workspace import AgentEntry, Policies
from tests.support.kernel import (
    ANN,
    BEN,
    BOT,
    E1,
    G1,
    G2,
    REX,
    T1,
    Desk,
    config,
    criterion,
    edited,
    evidence,
    gate,
    goal,
    todo,
)

VISION = Vision(agent="bot", summary="Go on", goal="beta")


# goals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [GoalStatus.DRAFT, GoalStatus.ACTIVE, GoalStatus.PAUSED])
def test_a_new_goal_file_begins_as_typed(status: GoalStatus) -> None:
    desk = Desk.of()
    done = desk.typed(None, goal(status=status))
    assert done.changes == (Create(goal(status=status, created_at=desk.now)),)
    assert done.headline == 'goal: new beta "Ship the beta"'


@pytest.mark.parametrize(
    ("after", "code"),
    [
        (goal(status=GoalStatus.CLOSED), "transition-illegal"),
        (goal(status=GoalStatus.STOPPED), "transition-illegal"),
        (goal(outcome=GoalOutcome.ACHIEVED), "field-machine-owned"),
        (goal("Not A Slug"), "goal-id-invalid"),
        (goal("there"), "goal-exists"),
        (goal(acceptance=(criterion(), criterion())), "criterion-duplicate"),
    ],
)
def test_a_new_goal_file_is_judged_like_a_new_goal(after: Any, code: str) -> None:
    assert Desk.of(goal("there")).mistyped(None, after).code == code


def test_an_agents_commit_may_propose_a_draft() -> None:
    desk = Desk.of()
    assert desk.mistyped(None, goal(), BOT, origin=Origin.FOREIGN).code == "actor-not-permitted"
    desk.typed(None, goal(status=GoalStatus.DRAFT), BOT, origin=Origin.FOREIGN)


def test_Q02_finished_is_no_flag_one_can_type() -> None:
    desk = Desk.of(goal(), todo())
    refused = desk.mistyped(goal(), goal(status=GoalStatus.CLOSED), lines={"status": (4, 9)})
    assert refused.code == "field-by-command" and refused.place is not None and refused.place.line == 4
    assert desk.mistyped(goal(), goal(outcome=GoalOutcome.ACHIEVED)).code == "field-machine-owned"
    assert desk.goal().status is GoalStatus.ACTIVE


def test_a_person_pauses_a_goal_by_typing_it() -> None:
    desk = Desk.of(goal())
    done = desk.typed(goal(), goal(status=GoalStatus.PAUSED, reason="holidays"))
    assert done.receipt.command == "goal pause"
    assert desk.typed(desk.goal(), goal()).receipt.command == "goal resume"


@pytest.mark.parametrize(
    "after",
    [
        goal(status=GoalStatus.PAUSED),
        goal(quota=Quota(compute=0)),
        goal(acceptance=(criterion(),)),
        goal(title="Ship more"),
    ],
)
def test_an_agents_commit_does_not_steer_an_active_goal(after: Any) -> None:
    assert Desk.of(goal()).mistyped(goal(), after, BOT, origin=Origin.FOREIGN).code == "actor-not-permitted"


def test_with_operators_only_they_type_what_steers() -> None:
    desk = Desk.of(config(operators=["Ben"]), goal())
    assert desk.mistyped(goal(), goal(status=GoalStatus.PAUSED), ANN).code == "operator-required"
    desk.typed(goal(), goal(title="Ship more"), ANN)
    desk.typed(desk.goal(), goal(title="Ship more", status=GoalStatus.PAUSED), BEN)


def test_a_criterion_taken_out_of_the_file_is_missed_by_name() -> None:
    before = goal(acceptance=(Criterion(id="a1", text="x"),))
    done = Desk.of(before, todo(acceptance=("a1",))).typed(before, goal())
    assert [each.code for each in done.notices] == ["criterion-dangling"]


# gates ----------------------------------------------------------------------------------------


def test_a_new_gate_file_is_asked_by_whoever_wrote_it() -> None:
    desk = Desk.of(goal())
    done = desk.typed(None, gate(asked_by=None, created_at=None))
    assert done.changes == (Create(gate(asked_by="human:Ann", created_at=desk.now)),)
    assert done.headline == f'gate: open {G1} "May it go live?"'


@pytest.mark.parametrize(
    ("after", "code"),
    [
        (gate(asked_by=None, status=GateStatus.APPROVED), "gate-not-by-hand"),
        (gate(asked_by="agent:bot"), "field-machine-owned"),
        (gate(asked_by=None, scope="deploy"), "scope-invalid"),
        (gate(asked_by=None, evidence=(E1,)), "evidence-unknown"),
        (gate(asked_by=None, goal="gone"), "goal-unknown"),
        (gate(G2, asked_by=None), "id-duplicate"),
        (gate("g-eeee5555", asked_by=None), "id-reused"),
    ],
)
def test_a_new_gate_file_is_judged_like_an_opened_gate(after: Any, code: str) -> None:
    desk = Desk.of(goal(), gate(G2))
    desk.known_ids.add("g-eeee5555")
    assert desk.mistyped(None, after).code == code


@pytest.mark.parametrize("status", [each for each in GateStatus if each is not GateStatus.OPEN])
def test_an_answer_typed_into_a_gate_is_refused_to_everybody(status: GateStatus) -> None:
    desk = Desk.of(goal(), gate())
    refused = desk.mistyped(gate(), gate(status=status), lines={"status": (5, 1)})
    assert refused.code == "gate-not-by-hand" and refused.place is not None and refused.place.line == 5
    assert "loopx gate approve" in refused.problem.hint


def test_the_question_may_be_put_better_by_hand() -> None:
    desk = Desk.of(goal(), evidence(), gate())
    after = gate(question="May it go live today?", evidence=(E1,), options=("now",), body="Because.")
    done = desk.typed(gate(), after)
    assert done.notices == () and desk.gate() == after
    assert desk.mistyped(after, edited(after, evidence=("e-zzzz9999",))).code == "evidence-unknown"
    assert desk.mistyped(after, edited(after, scope="x")).code == "scope-invalid"
    assert desk.mistyped(after, edited(after, asked_by="human:Ann")).code == "field-machine-owned"


def test_an_agent_edits_only_a_gate_it_asked_and_never_its_reach() -> None:
    desk = Desk.of(goal(), gate())
    way = {"origin": Origin.FOREIGN}
    assert desk.mistyped(gate(), gate(question="x"), REX, **way).code == "actor-not-permitted"
    assert desk.mistyped(gate(), gate(scope="production:global:*"), BOT, **way).code == "actor-not-permitted"
    desk.typed(gate(), gate(question="May it go live today?"), BOT, **way)
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.PAGE))
    assert desk.mistyped(desk.gate(), edited(desk.gate(), question="x"), BOT, **way).code == "actor-not-permitted"


# visions --------------------------------------------------------------------------------------


def test_a_vision_is_written_by_hand_within_its_budgets() -> None:
    desk = Desk.of(goal())
    done = desk.typed(None, VISION)
    assert done.changes[0] == Create(edited(VISION, created_at=desk.now))
    before = desk.state.vision("beta", "bot")
    assert before is not None
    refused = desk.mistyped(before, edited(before, summary="a" * 421), lines={"summary": (3, 1)})
    assert refused.code == "vision-over-budget" and refused.place is not None and refused.place.line == 3
    assert desk.typed(before, edited(before, status=VisionStatus.RETIRED)).receipt.command == "vision retire"


@pytest.mark.parametrize(
    ("after", "actor", "code"),
    [
        (edited(VISION, agent="rex", goal="gone"), ANN, "goal-unknown"),
        (edited(VISION, summary="a" * 421, agent="rex"), ANN, "vision-over-budget"),
        (edited(VISION, agent="rex"), BOT, "actor-not-permitted"),
        (edited(VISION, agent="rex", status=VisionStatus.NO_FOLLOWUP), ANN, "reason-missing"),
        (VISION, ANN, "id-duplicate"),
    ],
)
def test_a_new_vision_file_is_judged_like_a_set_vision(after: Any, actor: Any, code: str) -> None:
    assert Desk.of(goal(), VISION).mistyped(None, after, actor).code == code


@pytest.mark.parametrize(
    ("after", "actor", "code"),
    [
        (edited(VISION, summary="x"), REX, "actor-not-permitted"),
        (edited(VISION, status=VisionStatus.NO_FOLLOWUP), ANN, "reason-missing"),
        (edited(VISION, agent="rex"), ANN, "field-machine-owned"),
        (edited(VISION, goal="gamma"), ANN, "document-closed"),
    ],
)
def test_a_changed_vision_is_judged_like_the_command(after: Any, actor: Any, code: str) -> None:
    assert Desk.of(goal(), goal("gamma"), VISION).mistyped(VISION, after, actor).code == code


def test_a_vision_that_was_superseded_is_not_closed_by_hand() -> None:
    before = edited(VISION, status=VisionStatus.SUPERSEDED)
    refused = Desk.of(goal(), before).mistyped(before, edited(before, status=VisionStatus.CLOSED))
    assert refused.code == "transition-illegal"


# the workspace and records --------------------------------------------------------------------


def test_a_person_edits_the_workspace_by_hand() -> None:
    before = config()
    desk = Desk.of(before)
    after = edited(before, title="Our lab", operators=("Ann",), agents=(AgentEntry(id="bot"),))
    done = desk.typed(before, after)
    assert isinstance(done.changes[0], Update) and desk.state.config() == after
    assert desk.mistyped(after, edited(after, title="x"), BEN).code == "operator-required"
    assert desk.mistyped(after, edited(after, id="w-2")).code == "field-machine-owned"
    assert desk.mistyped(after, edited(after, title="x"), BOT, origin=Origin.FOREIGN).code == "actor-not-permitted"


@pytest.mark.parametrize(
    "policies",
    [
        Policies(hook_timeout_seconds=0),
        Policies(lock_timeout_seconds=-1),
        Policies(mass_deletion_share=0),
        Policies(mass_deletion_share=1.5),
    ],
)
def test_policies_out_of_range_are_refused(policies: Policies) -> None:
    before = config()
    refused = Desk.of(before).mistyped(before, edited(before, policies=policies))
    assert refused.code == "field-value" and refused.facts["field"] == "policies"


def test_an_agent_listed_twice_is_refused() -> None:
    before = config()
    after = edited(before, agents=(AgentEntry(id="bot"), AgentEntry(id="bot")))
    assert Desk.of(before).mistyped(before, after).code == "field-value"


def test_a_first_workspace_document_may_be_written_by_hand() -> None:
    Desk.of().typed(None, config())


@pytest.mark.parametrize(
    "record",
    [
        CompletionLog(todo=T1, goal="beta"),
        DecisionLog(gate=G1, goal="beta"),
        CriterionLog(criterion="a1", goal="beta"),
        evidence(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_records_are_never_written_by_hand(record: Any) -> None:
    desk = Desk.of(goal(), record)
    for before, after in ((None, record), (record, edited(record, goal="beta")), (record, None)):
        assert desk.mistyped(before, after).code == "record-machine-owned"


def test_an_edit_of_nothing_is_our_bug() -> None:
    desk = Desk.of(goal())
    nothing = HandEdit(kind=Kind.TODO, goal="beta", id=T1, before=None, after=None, path="x")
    with pytest.raises(ValueError, match="before or after"):
        decide_hand(desk.state, nothing, desk.context())


# deletions ------------------------------------------------------------------------------------


def test_what_nobody_refers_to_may_be_deleted_by_a_person() -> None:
    desk = Desk.of(goal(), goal("gamma"), todo(), gate(), VISION)
    for each in (todo(), gate(), VISION, goal("gamma")):
        desk.typed(each, None)
    assert desk.entities == [goal()]


def test_a_deletion_is_said_in_the_headline() -> None:
    done = Desk.of(goal(), todo()).typed(todo(), None)
    assert (done.headline, done.receipt.command) == (f'todo: delete {T1} "Write the guide"', "todo delete")


@pytest.mark.parametrize(
    ("entities", "gone", "by"),
    [
        ([todo(), todo("t-bbbb2222", "Draft", depends_on=(T1,))], todo(), "t-bbbb2222"),
        (
            [todo(), todo("t-bbbb2222", "Draft", status=TodoStatus.DEFERRED, resume_when=f"todo_done:{T1}")],
            todo(),
            "t-bbbb2222",
        ),
        ([todo(), evidence()], todo(), E1),
        (
            [gate(), todo(status=TodoStatus.DEFERRED, resume_when=f"gate_approved:{G1}")],
            gate(),
            T1,
        ),
        ([todo()], goal(), T1),
        ([gate()], goal(), G1),
        ([VISION], goal(), "bot"),
        ([config()], config(), "workspace"),
    ],
)
def test_what_others_refer_to_stays(entities: list[Any], gone: Any, by: str) -> None:
    refused = Desk.of(goal(), *entities).mistyped(gone, None)
    assert refused.code == "document-referenced" and by in refused.message


def test_what_has_a_history_stays() -> None:
    desk = Desk.of(goal(), todo(status=TodoStatus.CANCELLED), gate())
    assert desk.mistyped(desk.todo(), None).code == "document-closed"
    desk.do(DecideGate(gate=G1, verb="reject", reason="no", channel=Channel.PAGE))
    assert desk.mistyped(desk.gate(), None).code == "document-closed"


@pytest.mark.parametrize("gone", [todo(), gate(), goal("gamma"), edited(VISION, agent="rex")])
def test_an_agents_commit_deletes_nothing_that_is_not_its_own(gone: Any) -> None:
    desk = Desk.of(goal(), goal("gamma"), todo(), gate(), edited(VISION, agent="rex"))
    assert desk.mistyped(gone, None, BOT, origin=Origin.FOREIGN).code == "actor-not-permitted"


def test_Q07_deleting_is_no_way_round_a_claim() -> None:
    held = todo(claimed_by="rex")
    assert Desk.of(goal(), held).mistyped(held, None).code == "todo-claimed"
