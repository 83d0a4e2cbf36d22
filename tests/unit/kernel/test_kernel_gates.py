"""Gates: asking, answering, withdrawing, and what an answer is worth later."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import DecideGate, OpenGate, WithdrawGate
from loopx.kernel.digest import gate_inputs
from loopx.kernel.rollback import mark_rolled_back
from loopx.kernel.standing import GateBook, covering_gate, gate_standing
from loopx.model.actor import Channel, Origin
from loopx.model.gate import DecisionScope, Gate, GateStatus, Granularity
from loopx.model.goal import GoalStatus
from loopx.model.times import parse_instant
from tests.support.kernel import ANN, BEN, BOT, E1, E2, G1, G2, REX, Desk, config, edited, evidence, facts, gate, goal

DEPLOY = DecisionScope.parse("production:goal:deploy")
ASK = OpenGate(goal="beta", scope="Production:goal:deploy", question=" May it go live? ")


def answer(verb: str = "approve", **fields: Any) -> DecideGate:
    return DecideGate(**{"gate": G1, "verb": verb, "reason": "looked at it", "channel": Channel.TERMINAL, **fields})


def desk_with(*entities: Any) -> Desk:
    return Desk.of(goal(), *(entities or (gate(),)))


def covers(desk: Desk) -> bool:
    return gate_standing(desk.state, desk.gate(), desk.now).covers


# asking ---------------------------------------------------------------------------------------


def test_a_gate_holds_what_was_asked_and_by_whom() -> None:
    desk = desk_with(evidence())
    done = desk.do(
        OpenGate(
            goal="beta",
            scope="Production:goal:deploy",
            question=" May it go live? ",
            options=("now", "later ", "now"),
            deadline="2026-03-03T12:00:00+02:00",
            valid_until="2026-04-01T00:00:00Z",
            evidence=("e-aaaa",),
            body="Everything is tested.",
        ),
        BOT,
    )
    asked = desk.gate(facts(done)["id"])
    assert (asked.scope, asked.question, asked.options) == (str(DEPLOY), "May it go live?", ("now", "later"))
    assert asked.deadline == parse_instant("2026-03-03T10:00:00Z") and asked.evidence == (E1,)
    assert (asked.asked_by, asked.status, asked.created_at) == ("agent:bot", GateStatus.OPEN, desk.now)
    assert done.headline == f'gate: open {asked.id} "May it go live?"'


def test_the_same_question_still_open_is_the_same_gate() -> None:
    desk = Desk.of(goal())
    first = desk.do(ASK, BOT)
    again = desk.do(ASK, REX)
    assert facts(again) == {**facts(first), "added": False} and again.changes == ()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"scope": "deploy"}, "scope-invalid"),
        ({"question": ""}, "field-missing"),
        ({"options": ("a", "b\nc")}, "field-value"),
        ({"deadline": "2026-03-03"}, "instant-invalid"),
        ({"valid_until": "2026-03-03T12:00:00"}, "instant-invalid"),
        ({"evidence": (E2,)}, "evidence-unknown"),
        ({"goal": "gone"}, "goal-unknown"),
    ],
)
def test_a_question_that_cannot_be_understood_is_refused(fields: dict[str, Any], code: str) -> None:
    asked = {"goal": "beta", "scope": "other:goal:x", "question": "May I?"}
    assert desk_with().no(OpenGate(**{**asked, **fields})).code == code


def test_a_stopped_goal_asks_nothing_new() -> None:
    assert Desk.of(goal(status=GoalStatus.STOPPED)).no(ASK).code == "goal-closed"


# answering ------------------------------------------------------------------------------------


def test_a_persons_answer_is_recorded_with_what_it_was_made_on() -> None:
    desk = desk_with(gate(valid_until=parse_instant("2026-04-01T00:00:00Z"), options=("now", "later")))
    done = desk.do(answer(option="now"))
    log = desk.state.decisions(G1)
    assert log is not None
    (decision,) = log.entries
    assert (decision.status, decision.by, decision.at, decision.reason) == (
        GateStatus.APPROVED,
        "human:Ann",
        desk.now,
        "looked at it",
    )
    assert (decision.option, decision.channel, decision.scope) == ("now", Channel.TERMINAL, str(DEPLOY))
    assert decision.valid_until == desk.gate().valid_until
    assert desk.gate().status is GateStatus.APPROVED and covers(desk)
    assert done.headline == f'gate: approve {G1} "May it go live?"' and done.body == "looked at it"


def test_an_agent_answers_no_gate_and_least_of_all_its_own() -> None:
    assert desk_with().no(answer(), BOT).code == "gate-own-question"
    assert desk_with().no(answer(), REX).code == "actor-not-permitted"


def test_a_person_may_answer_what_they_asked_themselves() -> None:
    desk_with(gate(asked_by="human:Ann")).do(answer(), ANN)


@pytest.mark.parametrize("origin", [Origin.HAND, Origin.FOREIGN])
def test_an_answer_is_never_typed_into_a_file(origin: Origin) -> None:
    assert desk_with().no(answer(), origin=origin).code == "gate-not-by-hand"
    assert desk_with().no(answer(channel=Channel.EDITOR)).code == "gate-not-by-hand"


def test_a_script_must_name_the_gate_again() -> None:
    refused = desk_with().no(answer(channel=Channel.SCRIPT))
    assert refused.code == "gate-unconfirmed" and f"--confirm {G1}" in refused.hint
    desk_with().do(answer(channel=Channel.SCRIPT, confirmed=True))


def test_with_operators_only_they_answer() -> None:
    desk = desk_with(config(operators=["ben"]), gate())
    assert desk.no(answer(), ANN).code == "operator-required"
    desk.do(answer(), BEN)


def test_an_answer_needs_a_reason_and_one_of_the_options() -> None:
    desk = desk_with(gate(options=("now", "later")))
    assert desk.no(answer(reason=" ")).code == "reason-missing"
    assert desk.no(answer()).code == "option-missing"
    refused = desk.no(answer(option="never"))
    assert refused.code == "option-unknown" and "now, later" in refused.hint
    desk.do(answer("reject"))
    assert desk_with().no(answer(option="now")).code == "option-unknown"


def test_a_verb_that_is_no_answer_is_refused() -> None:
    assert desk_with().no(answer("ponder")).code == "field-value"
    assert desk_with().no(answer(gate="g-zzzz9999")).code == "gate-unknown"


def test_the_same_answer_again_changes_nothing() -> None:
    desk = desk_with()
    for verb in ("defer", "approve"):
        desk.do(answer(verb))
        again = desk.do(answer(verb, reason="as I said"))
        assert again.changes == () and facts(again)["already"] is True


def test_an_answer_may_be_changed_and_every_answer_stays_on_record() -> None:
    desk = desk_with()
    for verb in ("defer", "approve", "reject", "approve"):
        desk.do(answer(verb))
    log = desk.state.decisions(G1)
    assert log is not None
    assert [each.status.value for each in log.entries] == ["deferred", "approved", "rejected", "approved"]
    assert covers(desk)


def test_a_withdrawn_question_has_no_answer() -> None:
    desk = desk_with(gate(status=GateStatus.WITHDRAWN))
    assert desk.no(answer()).code == "transition-illegal"


def test_an_approval_that_would_be_over_at_once_is_refused() -> None:
    desk = desk_with(gate(valid_until=parse_instant("2026-03-01T00:00:00Z")))
    assert desk.no(answer()).code == "gate-expired"
    desk.do(answer("reject"))


# withdrawing ----------------------------------------------------------------------------------


def test_an_agent_withdraws_what_it_asked_and_a_person_anything() -> None:
    assert desk_with().no(WithdrawGate(gate=G1), REX).code == "actor-not-permitted"
    assert desk_with().no(WithdrawGate(gate=G1, reason="a\nb"), BOT).code == "field-value"
    for actor in (BOT, ANN):
        desk = desk_with()
        desk.do(WithdrawGate(gate=G1, reason="settled otherwise"), actor)
        assert desk.gate().status is GateStatus.WITHDRAWN
        assert desk.do(WithdrawGate(gate=G1), actor).changes == ()


def test_an_answered_gate_is_not_withdrawn() -> None:
    desk = desk_with()
    desk.do(answer())
    assert desk.no(WithdrawGate(gate=G1), BOT).code == "transition-illegal"


# what an answer is worth ----------------------------------------------------------------------


def test_a_passed_deadline_approves_nothing() -> None:
    desk = desk_with(gate(deadline=parse_instant("2026-03-02T10:00:00Z")))
    desk.wait(days=30)
    standing = gate_standing(desk.state, desk.gate(), desk.now)
    assert (standing.status, standing.covers, standing.is_overdue) == (GateStatus.OPEN, False, True)
    assert "overdue" in standing.why


@pytest.mark.parametrize(("seconds", "expected"), [(0, True), (1, False)])
def test_an_approval_counts_until_the_very_second_named(seconds: int, expected: bool) -> None:
    desk = desk_with(gate(valid_until=parse_instant("2026-03-02T10:00:00Z")))
    desk.do(answer())
    desk.wait(hours=1, seconds=seconds)
    standing = gate_standing(desk.state, desk.gate(), desk.now)
    assert standing.covers is expected
    assert standing.status is (GateStatus.APPROVED if expected else GateStatus.EXPIRED)


def test_a_longer_validity_typed_later_does_not_stretch_an_approval() -> None:
    desk = desk_with(gate(valid_until=parse_instant("2026-03-02T10:00:00Z")))
    desk.do(answer())
    longer = edited(desk.gate(), valid_until=parse_instant("2030-01-01T00:00:00Z"))
    desk.typed(desk.gate(), longer)
    desk.wait(hours=2)
    assert not covers(desk)
    desk.do(answer(reason="still fine"))
    assert covers(desk)


@pytest.mark.parametrize(
    "fields", [{"question": "May it go dead?"}, {"scope": "production:global:*"}, {"options": ("x",)}]
)
def test_a_question_that_was_changed_is_not_the_one_approved(fields: dict[str, Any]) -> None:
    desk = desk_with()
    desk.do(answer())
    done = desk.typed(desk.gate(), edited(desk.gate(), **fields))
    assert [each.code for each in done.notices] == ["gate-approval-lapsed"]
    standing = gate_standing(desk.state, desk.gate(), desk.now)
    assert not standing.covers and "changed after the approval" in standing.why


def test_an_approval_undone_by_a_rollback_covers_nothing() -> None:
    desk = desk_with()
    desk.do(answer())
    log = desk.state.decisions(G1)
    assert log is not None
    desk.entities[desk.entities.index(log)] = mark_rolled_back(log, since=desk.now, at=desk.now, operation="op-r")
    assert not covers(desk)


def test_a_file_that_says_approved_without_a_decision_covers_nothing() -> None:
    assert not covers(desk_with(gate(status=GateStatus.APPROVED)))


WIDTHS = list(Granularity)


@pytest.mark.parametrize("wide", WIDTHS)
@pytest.mark.parametrize("need", WIDTHS)
@pytest.mark.parametrize("home", ["beta", "gamma"])
def test_a_gate_covers_what_is_as_narrow_and_beyond_its_goal_only_when_wide(
    wide: Granularity, need: Granularity, home: str
) -> None:
    desk = Desk.of(goal(), goal("gamma"), gate(scope=f"production:{wide}:deploy", goal=home))
    desk.do(answer())
    wanted = DecisionScope.parse(f"production:{need}:deploy")
    found = covering_gate(desk.state, "beta", wanted, desk.now)
    as_wide = WIDTHS.index(wide) >= WIDTHS.index(need)
    reaches = home == "beta" or wide in (Granularity.PROJECT, Granularity.GLOBAL)
    assert (found is not None) == (as_wide and reaches)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("production:goal:deploy", True),
        ("production:goal:*", True),
        ("production:goal:other", False),
        ("direction:goal:deploy", False),
        ("production:lane:deploy", False),
        ("nonsense", False),
    ],
)
def test_kind_and_key_must_fit(scope: str, expected: bool) -> None:
    desk = desk_with()
    desk.do(answer())
    approved = edited(desk.gate(), scope=scope)
    log = desk.state.decisions(G1)
    assert log is not None
    entries = tuple(edited(each, inputs=gate_inputs(approved)) for each in log.entries)
    stage = Desk.of(goal(), approved, edited(log, entries=entries))
    assert (covering_gate(stage.state, "beta", DEPLOY, stage.now) is not None) is expected


def test_coverage_names_the_gate_that_waits_and_the_one_that_lapsed() -> None:
    other: Gate = gate(G2, question="And again?")
    desk = desk_with(gate(), other)
    desk.do(answer("reject"))
    coverage = GateBook(desk.state, desk.now).coverage("beta", DEPLOY)
    assert coverage.gate is None and coverage.pending == other
    assert coverage.lapsed is not None and coverage.lapsed.id == G1 and "rejected" in coverage.why
