"""Faults in what happens to one step: its transitions, its judges, what is known of its executions."""

from __future__ import annotations

from tests.mutation.fault import Fault

STEPS = "loopx/kernel/plans/steps.py"
JUDGING = "loopx/loop/judging.py"
ACTING = "loopx/loop/acting.py"
ENGINE = "loopx/loop/engine.py"
LIMITS = "loopx/loop/recovery/limits.py"
ENDING = "loopx/loop/ending.py"

FAULTS = (
    Fault(
        "transitions",
        "an actor may pass its own work",
        STEPS,
        "(_S.EXECUTED, (_S.EVALUATED, _S.EVALUATION_FAILED), (_R.EVALUATOR,))",
        "(_S.EXECUTED, (_S.EVALUATED, _S.EVALUATION_FAILED), (_R.EVALUATOR, _R.ACTOR))",
    ),
    Fault(
        "transitions",
        "an evaluator may verify",
        STEPS,
        "(_S.EVALUATED, (_S.VERIFIED_COMPLETED, _S.VERIFICATION_FAILED), (_R.VERIFIER,))",
        "(_S.EVALUATED, (_S.VERIFIED_COMPLETED, _S.VERIFICATION_FAILED), (_R.VERIFIER, _R.EVALUATOR))",
    ),
    Fault(
        "transitions",
        "the scheduler completes a step whose verification is on",
        "loopx/loop/lifecycle.py",
        "return not self.settings.enable_verification",
        "return True",
    ),
    Fault(
        "transitions",
        "a failed step is taken up again",
        STEPS,
        "(_S.RETRY_PENDING, (_S.READY, _S.PENDING), (_R.RECOVERY,)),",
        "(_S.RETRY_PENDING, (_S.READY, _S.PENDING), (_R.RECOVERY,)), (_S.FAILED, (_S.READY,), (_R.RECOVERY,)),",
    ),
    Fault(
        "transitions",
        "a refused move is not traced",
        "loopx/loop/lifecycle.py",
        "        state.trace.add(self.clock.now(), step.entity, before, to, role, cause, code)\n",
        "",
    ),
    Fault(
        "transitions",
        "a run that has ended may go on",
        "loopx/kernel/plans/runs.py",
        "**{each: frozenset[ExecutionState]() for each in ExecutionState if each.is_terminal}",
        "**{each: frozenset({_E.ITERATION_COMPLETE}) for each in ExecutionState if each.is_terminal}",
    ),
    Fault(
        "judges",
        "a rejection by the evaluator counts as a pass",
        JUDGING,
        "to = StepStatus.EVALUATED if verdict.passed else StepStatus.EVALUATION_FAILED",
        "to = StepStatus.EVALUATED",
    ),
    Fault(
        "judges",
        "a rejection by the verifier counts as a pass",
        JUDGING,
        "to = StepStatus.VERIFIED_COMPLETED if verdict.passed else StepStatus.VERIFICATION_FAILED",
        "to = StepStatus.VERIFIED_COMPLETED",
    ),
    Fault(
        "judges",
        "the verifier is asked about rejected work",
        JUDGING,
        "    return verdict.passed\n\n\nasync def _verify",
        "    return True\n\n\nasync def _verify",
    ),
    Fault(
        "judges",
        "a judge that breaks has passed the step",
        JUDGING,
        'raise JudgeBroken(f"{type(error).__name__}: {error}") from error',
        "return Verdict(True)",
    ),
    Fault(
        "judges",
        "a judge that breaks is not asked again",
        JUDGING,
        "OUTAGE_ATTEMPTS = 3",
        "OUTAGE_ATTEMPTS = 0",
    ),
    Fault(
        "judges",
        "whatever a judge returns is a verdict",
        JUDGING,
        "if not isinstance(found, Verdict) or not isinstance(found.passed, bool):",
        "if not isinstance(found, Verdict):",
    ),
    Fault(
        "judges",
        "verification that is switched off claims a verdict",
        JUDGING,
        '        step.metadata["verification"] = "disabled"\n',
        '        step.metadata["verification"] = "disabled"\n        step.verification_passed = True\n',
    ),
    Fault(
        "judges",
        "a result claims verification that was switched off",
        ENDING,
        "    if not settings.enable_verification:\n        return VerificationStatus.DISABLED\n",
        "",
    ),
    Fault(
        "judges",
        "without an evaluator an actor that said no has passed",
        ACTING,
        "return settings.enable_evaluation or (acted.outcome is AttemptOutcome.SUCCEEDED and acted.failure is None)",
        "return True",
    ),
    Fault(
        "outcomes",
        "what raised is known to have failed",
        ACTING,
        "return Acted(AttemptOutcome.UNKNOWN, failure=FailureType.EXECUTION_ERROR, message=message)",
        "return Acted(AttemptOutcome.FAILED, failure=FailureType.EXECUTION_ERROR, message=message)",
    ),
    Fault(
        "outcomes",
        "a probe that breaks has found nothing",
        ACTING,
        'return replace(acted, message=_joined(acted.message, f"the probe broke: {type(error).__name__}: {error}"))',
        "return replace(acted, outcome=AttemptOutcome.NOT_STARTED)",
    ),
    Fault(
        "outcomes",
        "what nobody knows of is done again",
        LIMITS,
        "return step.attempts[-1].outcome in (AttemptOutcome.UNKNOWN, AttemptOutcome.RUNNING)",
        "return False",
    ),
    Fault(
        "outcomes",
        "what cannot be undone is done again",
        LIMITS,
        "if step.meant.irreversible and step.attempts:",
        "if False:",
    ),
    Fault(
        "outcomes",
        "a step that was edited while it ran is judged by what it became",
        ENGINE,
        "if resuming.is_redefined(step):",
        "if False:",
    ),
)
