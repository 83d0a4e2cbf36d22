"""The trace: nothing in it can be changed unseen, and every status can be told again from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from loopx.errors import LoopxError
from loopx.loop.trace import Trace, first_break, statuses
from loopx.model.plan import RunSettings
from loopx.model.run import TraceEntry
from loopx.model.step import FailureType, Role, StepStatus
from tests.support.loop import NO, Files, Human, Planner, Scene, step

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def scene() -> Scene:
    """A run in which much happens."""
    drift = replace(NO, failure=FailureType.SEMANTIC_DRIFT)
    scene = Scene(
        step("a"),
        step("b", "a"),
        step("c", "b"),
        evaluator={"b": [False, drift, True], "c": False},
        planner=Planner(),
        files=Files(),
        human=Human(),
        settings=RunSettings(max_retry_attempts=1),
    )
    scene.evaluator.lines["c-v2"] = [True]
    scene.run()
    return scene


def test_every_status_can_be_told_again_from_the_trace_alone(scene: Scene) -> None:
    told = statuses(scene.state.trace.entries)
    steps = {**{each.id: each for each in scene.state.plan.steps}, **scene.state.plan.archived}
    assert {name: told[f"step {name}"] for name in steps} == {name: each.status for name, each in steps.items()}
    assert told["run"] == scene.state.execution_state
    assert told["plan"] == str(scene.state.plan.version)
    for failure in scene.state.failures.values():
        assert told[f"failure {failure.failure_id}"] == failure.status


def test_every_line_begins_where_the_one_before_it_ended(scene: Scene) -> None:
    stands: dict[str, str | None] = {}
    for each in scene.state.trace.entries:
        if each.refused is None and each.entity != "artifact":
            before = stands.get(each.entity, "pending" if each.entity.startswith("step") else None)
            before = "initialized" if each.entity == "run" and each.entity not in stands else before
            assert each.before == before or (each.before is None and each.entity not in stands), each
            stands[each.entity] = each.after


def test_lines_are_numbered_and_chained(scene: Scene) -> None:
    entries = scene.state.trace.entries
    assert [each.number for each in entries] == list(range(1, len(entries) + 1))
    assert first_break(entries) is None
    assert scene.state.trace.head == entries[-1].hash
    assert scene.state.trace.count == len(entries)


FORGED = {
    "number": 99,
    "at": datetime(2027, 1, 1, tzinfo=UTC),
    "entity": "step z",
    "before": "failed",
    "after": "verified_completed",
    "role": "verifier",
    "cause": "because",
    "refused": "transition-illegal",
    "evidence": {"tests": "green"},
    "hash": "0" * 64,
}


@pytest.mark.parametrize("field", FORGED)
def test_no_field_of_a_line_can_be_changed_unseen(scene: Scene, field: str) -> None:
    entries = list(scene.state.trace.entries)
    entries[4] = entries[4]._replace(**{field: FORGED[field]})
    assert first_break(entries) == 5


def test_no_line_can_be_taken_out_or_moved_unseen(scene: Scene) -> None:
    entries = scene.state.trace.entries
    assert first_break([*entries[:4], *entries[5:]]) == 5
    assert first_break([*entries[:4], entries[5], entries[4], *entries[6:]]) == 5
    assert first_break(entries[1:]) == 1


def test_a_refused_move_stands_in_it_and_moves_nothing() -> None:
    scene = Scene(step("a"))
    with pytest.raises(LoopxError):
        scene.context.lifecycle.move(
            scene.state, scene.step("a"), StepStatus.VERIFIED_COMPLETED, Role.ACTOR, "I am done"
        )
    line = scene.state.trace.entries[-1]
    assert (line.refused, line.cause) == ("transition-illegal", "I am done")
    assert statuses(scene.state.trace.entries) == {}


def test_a_chain_is_worked_out_when_it_is_asked_for_and_goes_on() -> None:
    trace = Trace()
    trace.add(AT, "run", None, "a", "system")
    first = trace.head
    trace.add(AT, "run", "a", "b", "system")
    assert trace.head != first
    assert first_break(trace.entries) is None
    later = Trace(trace.count, trace.head)
    later.add(AT, "run", "b", "c", "system")
    assert [each.number for each in later.entries] == [3]
    assert first_break([*trace.entries, *later.entries]) is None


def test_evidence_is_kept_as_it_was_when_the_line_was_added() -> None:
    trace, evidence = Trace(), {"tests": "red"}
    trace.add(AT, "run", None, "a", "system", evidence=evidence)
    evidence["tests"] = "green"
    assert trace.entries[0].evidence == {"tests": "red"}


def test_what_a_component_says_at_great_length_is_cut() -> None:
    scene = Scene(
        step("a"), evaluator={"a": replace(NO, message="x" * 100_000)}, settings=RunSettings(enable_recovery=False)
    )
    scene.run()
    causes = {len(each.cause) for each in scene.state.trace.entries}
    assert max(causes) == 2000
    assert first_break(scene.state.trace.entries) is None


def test_a_working_copy_goes_on_from_the_trace_without_touching_it() -> None:
    trace = Trace()
    trace.add(AT, "run", None, "a", "system")
    draft = trace.draft()
    draft.add(AT, "run", "a", "b", "system")
    draft.add(AT, "step s", "a", "b", "actor", "", "transition-illegal")
    assert (trace.count, draft.count) == (1, 3)
    assert [each.number for each in draft.entries] == [2, 3]
    assert first_break([*trace.entries, *draft.entries]) is None
    thrown_away = Trace()
    thrown_away.join_refusals(draft)
    assert [each.refused for each in thrown_away.entries] == ["transition-illegal"]
    trace.join(draft)
    assert [each.number for each in trace.entries] == [1, 2, 3]
    assert first_break(trace.entries) is None


def test_hashes_are_the_same_everywhere() -> None:
    trace = Trace()
    trace.add(AT, "step a", "pending", "ready", "system", "dependencies", None, {"b": 1, "a": "é"})
    assert trace.entries == [
        TraceEntry(
            1,
            AT,
            "step a",
            "pending",
            "ready",
            "system",
            "dependencies",
            None,
            {"b": 1, "a": "é"},
            trace.entries[0].hash,
        )
    ]
    again = Trace()
    again.add(AT, "step a", "pending", "ready", "system", "dependencies", None, {"a": "é", "b": 1})
    assert again.head == trace.head
