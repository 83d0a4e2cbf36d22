"""Evaluators and verifiers, with real programs: what passes, what is rejected, and what says nothing."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.evaluators import Evaluators
from loopx.loop.components.protocols import Acted, Verdict
from loopx.loop.components.verifiers import Verifiers
from loopx.loop.context import LoopContext
from loopx.model.plan import Judge, JudgeKind
from loopx.model.step import AttemptOutcome, FailureType
from tests.support.components import context_in, planned, until, view_of

K = JudgeKind
CONTAINS_OK = Judge(kind=K.CONTAINS, value="OK")


def evaluate(context: LoopContext, *judges: Judge, output: Any = "", status: int | None = 0, **more: Any) -> Verdict:
    failure, callables = more.pop("failure", None), more.pop("callables", {})
    outcome = AttemptOutcome.FAILED if status else AttemptOutcome.SUCCEEDED
    acted = Acted(outcome, output, status, failure=failure, message=more.pop("message", ""))
    view = view_of(planned("true", evaluate=judges, **more), output, status)
    return asyncio.run(Evaluators(callables).evaluate(view, acted, context))


def verify(context: LoopContext, *judges: Judge, output: Any = "", **more: Any) -> Verdict:
    view = view_of(planned("true", verify=judges), output, 0, snapshot=more.pop("snapshot", None))
    return asyncio.run(Verifiers(more).verify(view, context))


def sh(script: str, **more: Any) -> Judge:
    return Judge(kind=K.COMMAND, argv=("sh", "-c", script), **more)


@pytest.fixture
def context(tmp_path: Path) -> LoopContext:
    return context_in(tmp_path)


SCHEMA = json.dumps({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]})


@pytest.mark.parametrize(
    ("judge", "output", "status", "passes"),
    [
        (None, "", 0, True),
        (None, "", 1, False),
        (None, {"any": 1}, None, True),
        (Judge(kind=K.EXIT_CODE, exit_code=3), "", 3, True),
        (Judge(kind=K.EXIT_CODE, exit_code=3), "", 0, False),
        (CONTAINS_OK, "all OK here", 0, True),
        (CONTAINS_OK, "all ok here", 0, False),
        (CONTAINS_OK, ["OK"], 0, True),
        (CONTAINS_OK, None, 0, False),
        (Judge(kind=K.REGEX, value=r"^\d+ passed$"), "x\n12 passed\n", 0, True),
        (Judge(kind=K.REGEX, value=r"^\d+ passed$"), "x 12 passed", 0, False),
        (Judge(kind=K.JSON_SCHEMA, value=SCHEMA), '{"n": 2}', 0, True),
        (Judge(kind=K.JSON_SCHEMA, value=SCHEMA), {"n": 2}, 0, True),
        (Judge(kind=K.JSON_SCHEMA, value=SCHEMA), '{"n": 0}', 0, False),
        (Judge(kind=K.JSON_SCHEMA, value=SCHEMA), "{}", 0, False),
        (Judge(kind=K.JSON_SCHEMA, value=SCHEMA), "no json", 0, False),
        (sh("grep -q OK"), "all OK here", 0, True),
        (sh("grep -q OK"), "nothing", 0, False),
        (sh("exit 0"), "x" * 300_000, 0, True),
    ],
)
def test_each_kind_of_judge_passes_and_rejects(
    context: LoopContext, judge: Judge | None, output: Any, status: int | None, passes: bool
) -> None:
    verdict = evaluate(context, *((judge,) if judge else ()), output=output, status=status)
    assert verdict.passed is passes and bool(verdict.message) is not passes


def test_all_judges_must_pass_and_the_evidence_says_which_did_not(context: LoopContext) -> None:
    judges = (Judge(kind=K.EXIT_CODE), CONTAINS_OK, sh("echo too short; exit 1"))
    verdict = evaluate(context, *judges, output="no")
    assert not verdict.passed and verdict.evidence["failed"] == ["contains", "command"]
    assert [each["judge"] for each in verdict.evidence["judges"]] == ["exit_code", "contains", "command"]
    assert "OK" in verdict.message and "too short" in verdict.message
    assert evaluate(context, *judges[:2], output="OK").passed


@pytest.mark.parametrize(
    ("judge", "code"),
    [
        (sh("kill -9 $$"), "judge-broken"),
        (Judge(kind=K.COMMAND, argv=("./no",)), "judge-broken"),
        (Judge(kind=K.COMMAND, argv=("sleep", "60"), timeout_seconds=0), "judge-broken"),
        (Judge(kind=K.COMMAND), "judge-invalid"),
        (Judge(kind=K.COMMAND, argv=("{tool}",)), "judge-invalid"),
        (Judge(kind=K.CONTAINS), "judge-invalid"),
        (Judge(kind=K.REGEX, value="("), "judge-invalid"),
        (Judge(kind=K.JSON_SCHEMA, value="{"), "judge-invalid"),
        (Judge(kind=K.JSON_SCHEMA, value='{"type": "nonsense"}'), "judge-invalid"),
        (Judge(kind=K.JSON_SCHEMA, value='{"$ref": "https://example.org/schema"}'), "judge-invalid"),
        (Judge(kind=K.PYTHON, value="gone"), "callable-unknown"),
    ],
)
def test_a_judge_that_breaks_has_not_judged(context: LoopContext, judge: Judge, code: str) -> None:
    with pytest.raises(LoopxError) as no:
        evaluate(context, judge, output="{}")
    assert no.value.code == code


def test_a_rejection_stands_whatever_breaks_beside_it(context: LoopContext) -> None:
    verdict = evaluate(context, sh("kill -9 $$"), CONTAINS_OK, output="no")
    assert not verdict.passed and "broken" in verdict.evidence["judges"][0]


def test_a_python_judge_says_yes_no_or_more(context: LoopContext) -> None:
    judge = Judge(kind=K.PYTHON, value="look")

    def asked(answer: Any) -> Verdict:
        return evaluate(context, judge, output="x", callables={"look": lambda step: answer})

    assert asked(True).passed and not asked(False).passed
    assert asked(Verdict(False, "drifted", failure=FailureType.SEMANTIC_DRIFT)).failure is FailureType.SEMANTIC_DRIFT
    for answer in (None, 1, "yes"):
        with pytest.raises(TypeError):
            asked(answer)


def test_a_python_judge_sees_the_output_and_may_raise(context: LoopContext) -> None:
    judge = Judge(kind=K.PYTHON, value="look")
    assert evaluate(context, judge, output="x", callables={"look": lambda step: step.output == "x"}).passed
    with pytest.raises(ZeroDivisionError):
        evaluate(context, judge, callables={"look": lambda step: 1 / 0 > 0})


@pytest.mark.parametrize("failure", [FailureType.SEMANTIC_DRIFT, FailureType.INVALID_OUTPUT])
def test_what_an_actor_says_against_its_own_work_is_never_overruled(context: LoopContext, failure: FailureType) -> None:
    verdict = evaluate(context, CONTAINS_OK, output="OK", failure=failure, message="went off")
    assert (verdict.passed, verdict.failure, verdict.message) == (False, failure, "went off")


def test_secrets_a_judge_prints_are_masked(context: LoopContext) -> None:
    verdict = evaluate(context, sh(f"echo ghp_{'a1' * 18}; exit 1"))
    assert verdict.evidence["output"] == "***\n" and "ghp_" not in verdict.message


# verifiers ---------------------------------------------------------------------------------------


def test_a_step_that_names_no_judgement_is_not_verified(context: LoopContext) -> None:
    with pytest.raises(LoopxError) as no:
        verify(context)
    assert no.value.code == "verify-missing"


def test_a_verifier_judges_afresh_and_rejects(context: LoopContext, tmp_path: Path) -> None:
    (tmp_path / "made").write_text("x")
    assert verify(context, sh("test -f made")).passed
    assert not verify(context, sh("test -f made"), sh("test -f more")).passed
    assert verify(context, CONTAINS_OK, output="OK").passed


def test_a_verifier_runs_in_a_fresh_process_without_secrets_and_without_what_the_actor_was_told(tmp_path: Path) -> None:
    environ = {**os.environ, "DEPLOY_TOKEN": "abc", "LOOPX_ATTEMPT": "x", "GIT_DIR": "/y", "KEPT": "1"}
    seen = tmp_path / "seen"
    context = context_in(tmp_path, environ=environ)
    assert verify(context, sh(f"env > {seen}")).passed
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert {"KEPT", "PATH", "LOOPX_STEP"} <= names
    assert not names & {"DEPLOY_TOKEN", "LOOPX_ATTEMPT", "GIT_DIR"}


class Checkouts:
    """Lays a folder out as it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, []  # type: ignore[var-annotated]

    @contextmanager
    def checkout(self, snapshot: str, carried: Sequence[str] = ()) -> Iterator[str]:
        self.asked.append((snapshot, tuple(carried)))
        yield str(self.folder)


def test_a_clean_checkout_is_where_only_the_judges_that_want_it_run(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "clean").mkdir()
    artifacts = Checkouts(tmp_path / "clean")
    context = context_in(tmp_path / "lab", artifacts=artifacts)
    clean = sh('test "$(basename "$PWD")" = clean', clean_checkout=True, carry=("lib",))
    assert verify(context, clean, sh('test "$(basename "$PWD")" = lab'), snapshot="abc").passed
    assert artifacts.asked == [("abc", ("lib",))]
    assert not verify(context, clean, sh("false"), snapshot="abc").passed


@pytest.mark.parametrize("snapshot", ["abc", None])
def test_without_a_snapshot_there_is_no_clean_checkout(context: LoopContext, snapshot: str | None) -> None:
    with pytest.raises(LoopxError) as no:
        verify(context, sh("true", clean_checkout=True), snapshot=snapshot)
    assert no.value.code == "checkout-missing"


def test_what_a_judge_leaves_behind_is_ended_with_it(context: LoopContext, tmp_path: Path) -> None:
    from loopx.loop.keeping.attempting import process_started

    assert verify(context, sh(f"sleep 60 & echo $! > {tmp_path}/pid")).passed
    until(lambda: process_started(int((tmp_path / "pid").read_text())) == "")


def test_jsonschema_is_loaded_only_once_it_is_needed() -> None:
    import subprocess

    code = (
        "import sys, loopx.loop.components.shipped; sys.exit('jsonschema' in sys.modules or 'pydantic' in sys.modules)"
    )
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    assert subprocess.run([sys.executable, "-c", code], env=environ, check=False).returncode == 0
