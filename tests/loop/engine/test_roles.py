"""Who may move a step from where to where: every status, every status, every role, against the table in writing."""

from __future__ import annotations

from itertools import product

import pytest

from loopx.errors import LoopxError
from loopx.kernel.plans import steps
from loopx.model.plan import RunSettings
from loopx.model.step import Role, StepStatus
from tests.support.loop import Scene, at, step

TABLE = """
PENDING             | READY BLOCKED                                    | PLANNER SYSTEM
PENDING             | SKIPPED                                          | PLANNER RECOVERY
PENDING             | CANCELLED                                        | SYSTEM
BLOCKED             | READY PENDING                                    | PLANNER SYSTEM
BLOCKED             | SKIPPED                                          | PLANNER RECOVERY
BLOCKED             | FAILED CANCELLED                                 | SYSTEM
READY               | IN_PROGRESS                                      | ACTOR
READY               | PENDING BLOCKED                                  | PLANNER SYSTEM RECOVERY
READY               | SKIPPED                                          | PLANNER RECOVERY
READY               | CANCELLED                                        | SYSTEM
IN_PROGRESS         | EXECUTED                                         | ACTOR
IN_PROGRESS         | RECOVERY_PENDING FAILED CANCELLED                | SYSTEM
EXECUTED            | EVALUATED EVALUATION_FAILED                      | EVALUATOR
EXECUTED            | RECOVERY_PENDING PENDING                         | RECOVERY
EXECUTED            | FAILED CANCELLED                                 | SYSTEM
EVALUATED           | VERIFIED_COMPLETED VERIFICATION_FAILED           | VERIFIER
EVALUATED           | RECOVERY_PENDING PENDING                         | RECOVERY
EVALUATED           | FAILED CANCELLED                                 | SYSTEM
EVALUATION_FAILED   | RECOVERY_PENDING RETRY_PENDING SKIPPED PENDING   | RECOVERY
EVALUATION_FAILED   | FAILED                                           | RECOVERY SYSTEM
EVALUATION_FAILED   | CANCELLED                                        | SYSTEM
VERIFICATION_FAILED | RECOVERY_PENDING RETRY_PENDING SKIPPED PENDING   | RECOVERY
VERIFICATION_FAILED | FAILED                                           | RECOVERY SYSTEM
VERIFICATION_FAILED | CANCELLED                                        | SYSTEM
RECOVERY_PENDING    | RETRY_PENDING SKIPPED PENDING                    | RECOVERY
RECOVERY_PENDING    | FAILED                                           | RECOVERY SYSTEM
RECOVERY_PENDING    | CANCELLED                                        | SYSTEM
RETRY_PENDING       | READY PENDING                                    | RECOVERY
RETRY_PENDING       | FAILED                                           | RECOVERY SYSTEM
RETRY_PENDING       | CANCELLED                                        | SYSTEM
"""
S, R = StepStatus, Role


def _written() -> dict[tuple[StepStatus, StepStatus], set[Role]]:
    found: dict[tuple[StepStatus, StepStatus], set[Role]] = {}
    for line in TABLE.strip().splitlines():
        before, afters, roles = (each.strip() for each in line.split("|"))
        for after in afters.split():
            found.setdefault((S[before], S[after]), set()).update(R[each] for each in roles.split())
    return found


WRITTEN = _written()
WITHOUT_EVALUATION = {(S.EXECUTED, S.EVALUATED)}
WITHOUT_VERIFICATION = {(S.EVALUATED, S.VERIFIED_COMPLETED)}
CASES = list(product(S, S, R))


def test_there_are_1176_cases() -> None:
    assert len(CASES) == 14 * 14 * 6 == 1176


@pytest.mark.parametrize("before", S)
def test_every_move_is_made_or_refused_as_the_table_says(before: StepStatus) -> None:
    for to, role in product(S, R):
        scene = Scene(step("a"))
        moved = at(scene, "a", before)
        counts = {each: scene.state.plan.count(each) for each in S}
        roles = WRITTEN.get((before, to))
        if roles is not None and role in roles:
            scene.context.lifecycle.move(scene.state, moved, to, role, "a test")
            assert moved.status is to
            assert scene.state.trace.entries[-1][2:8] == ("step a", before, to, role, "a test", None)
            continue
        code = "transition-illegal" if roles is None else "transition-not-permitted"
        with pytest.raises(LoopxError) as raised:
            scene.context.lifecycle.move(scene.state, moved, to, role, "a test")
        assert raised.value.code == code, (before, to, role)
        assert moved.status is before
        assert {each: scene.state.plan.count(each) for each in S} == counts
        assert scene.state.trace.entries[-1][2:8] == ("step a", before, to, role, "a test", code)


@pytest.mark.parametrize(
    ("settings", "pairs"),
    [
        (RunSettings(enable_evaluation=False), WITHOUT_EVALUATION),
        (RunSettings(enable_verification=False), WITHOUT_VERIFICATION),
    ],
    ids=["no evaluation", "no verification"],
)
def test_the_scheduler_promotes_where_a_phase_is_switched_off_and_only_there(
    settings: RunSettings, pairs: set[tuple[StepStatus, StepStatus]]
) -> None:
    for before, to in WITHOUT_EVALUATION | WITHOUT_VERIFICATION:
        scene = Scene(step("a"), settings=settings)
        moved = at(scene, "a", before)
        if (before, to) in pairs:
            scene.context.lifecycle.move(scene.state, moved, to, R.SYSTEM)
            assert moved.status is to
        else:
            with pytest.raises(LoopxError, match="may not make it"):
                scene.context.lifecycle.move(scene.state, moved, to, R.SYSTEM)
            assert moved.status is before


def test_the_table_the_product_decides_by_is_the_one_in_writing() -> None:
    promotions = {pair: {R.SYSTEM} for pair in WITHOUT_EVALUATION | WITHOUT_VERIFICATION}
    wanted = {pair: roles | promotions.get(pair, set()) for pair, roles in WRITTEN.items()}
    assert {pair: set(roles) for pair, roles in steps.TRANSITIONS.items()} == wanted


def test_terminal_statuses_refuse_every_exit() -> None:
    terminal = {each for each in S if each.is_terminal}
    assert terminal == {S.VERIFIED_COMPLETED, S.SKIPPED, S.FAILED, S.CANCELLED}
    assert {before for before, _ in WRITTEN} & terminal == set()


@pytest.mark.parametrize("status", S)
def test_a_step_is_made_by_a_planner_alone_and_never_begun(status: StepStatus) -> None:
    for role in R:
        scene = Scene(step("a"))
        made = scene.step("a")
        if status in (S.PENDING, S.READY, S.BLOCKED) and role is R.PLANNER:
            scene.context.lifecycle.create(scene.state, made, status, role)
            assert (made.status, scene.state.trace.entries[-1][3:6]) == (status, (None, status, role))
            continue
        with pytest.raises(LoopxError) as raised:
            scene.context.lifecycle.create(scene.state, made, status, role)
        is_creation = status in (S.PENDING, S.READY, S.BLOCKED)
        assert raised.value.code == ("transition-not-permitted" if is_creation else "transition-illegal")
        assert scene.state.trace.entries[-1].refused == raised.value.code


def test_no_step_is_made_ready_that_waits_for_another() -> None:
    scene = Scene(step("a"), step("b", "a"))
    with pytest.raises(LoopxError) as raised:
        scene.context.lifecycle.create(scene.state, scene.step("b"), S.READY, R.PLANNER)
    assert raised.value.code == "transition-illegal"
    at(scene, "a", S.VERIFIED_COMPLETED)
    scene.context.lifecycle.create(scene.state, scene.step("b"), S.READY, R.PLANNER)


def test_a_status_is_never_set_like_any_other_field() -> None:
    scene = Scene(step("a"))
    for value in (S.VERIFIED_COMPLETED, "verified_completed"):
        with pytest.raises(LoopxError, match="moved with a role"):
            scene.step("a").status = value  # type: ignore[assignment]
    assert scene.step("a").status is S.PENDING


def test_stored_values_are_the_fourteen_words_of_the_specification() -> None:
    assert {each.value for each in S} == {
        *("pending", "ready", "in_progress", "executed", "evaluation_failed", "evaluated", "verification_failed"),
        *("verified_completed", "recovery_pending", "retry_pending", "blocked", "skipped", "failed", "cancelled"),
    }
