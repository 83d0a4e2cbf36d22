"""The faults: where each is put in, what is replaced by what, and what it amounts to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One replacement in the source. ``old`` stands in ``file`` exactly once."""

    area: str
    what: str
    file: str
    old: str
    new: str


STEPS, PLAN = "loopx/kernel/plans/steps.py", "loopx/loop/plan.py"
JUDGING, ACTING, ENGINE = "loopx/loop/judging.py", "loopx/loop/acting.py", "loopx/loop/engine.py"
RECOVERING, FAILING = "loopx/loop/recovering.py", "loopx/loop/failing.py"
LIMITS, POLICY = "loopx/loop/recovery/limits.py", "loopx/loop/recovery/policy.py"
RETRYING, REPLANNING = "loopx/loop/recovery/handlers/retrying.py", "loopx/loop/recovery/handlers/replanning.py"
RESTORING, CHANGING = "loopx/loop/recovery/handlers/restoring.py", "loopx/loop/recovery/handlers/changing.py"
REDUCING, REMAINDER = "loopx/loop/recovery/handlers/reducing.py", "loopx/loop/recovery/remainder.py"
BOUNDARY, SCHEDULING = "loopx/loop/boundary.py", "loopx/loop/scheduling.py"
ENDING, ANSWERING = "loopx/loop/ending.py", "loopx/loop/answering.py"

FAULTS = (
    # transitions
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
    # progress
    Fault(
        "progress",
        "what was executed counts as complete",
        PLAN,
        "        elif after in _TERMINAL:\n            self._end(step, after)",
        "        elif after is StepStatus.EXECUTED:\n            self._complete += 1\n"
        "        elif after in _TERMINAL:\n            self._end(step, after)",
    ),
    Fault(
        "progress",
        "a skipped step counts whatever its policy",
        PLAN,
        "self._complete += policy is SkipPolicy.COUNT",
        "self._complete += 1",
    ),
    Fault("progress", "an empty plan is complete", PLAN, "return counting > 0 and", "return"),
    Fault(
        "progress",
        "steps left out stay in the denominator",
        PLAN,
        "counting = len(self._order) - self._excluded\n        return self._complete / counting",
        "counting = len(self._order)\n        return self._complete / counting",
    ),
    # evaluator and verifier
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
    # outcomes
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
    # recovery
    Fault(
        "recovery",
        "recovery never runs",
        RECOVERING,
        "    await _carry_out(state, failure, action, context, registry)\n    store.save(state, SavePoint.RECOVERED)",
        "    failure.mark_recovered()\n    store.save(state, SavePoint.RECOVERED)",
    ),
    Fault(
        "recovery",
        "a failed recovery is taken over all the same",
        RECOVERING,
        "        state.trace.join_refusals(draft.trace)\n",
        "        state.adopt(draft)\n",
    ),
    Fault(
        "recovery",
        "a retry keeps the old output",
        "loopx/loop/step.py",
        "self.output = self.snapshot = None",
        "self.snapshot = None",
    ),
    Fault(
        "recovery",
        "a retry keeps the old verdicts",
        "loopx/loop/step.py",
        "        self.evaluation_passed = self.verification_passed = None\n",
        "",
    ),
    Fault(
        "recovery",
        "the newest failure comes first",
        BOUNDARY,
        "for each in state.open_failures():",
        "for each in reversed(state.open_failures()):",
    ),
    Fault(
        "recovery",
        "asking a person counts as recovered",
        "loopx/loop/failure.py",
        "    RecoveryStrategy.REQUEST_HUMAN,\n",
        "",
    ),
    Fault(
        "recovery",
        "a switched-off recovery runs",
        ENGINE,
        "decide(self.state, failure, self.context, self.policy) if self.settings.enable_recovery else None",
        "decide(self.state, failure, self.context, self.policy)",
    ),
    Fault(
        "recovery",
        "a hijacked goal is recovered from",
        POLICY,
        "frozenset({FailureType.GOAL_HIJACKING, FailureType.RECOVERY_EXHAUSTED})",
        "frozenset({FailureType.RECOVERY_EXHAUSTED})",
    ),
    Fault(
        "recovery",
        "a judge that is down is recovered from by doing the work again",
        POLICY,
        "    if failure.is_judge_outage:\n        return True\n",
        "",
    ),
    Fault(
        "recovery",
        "the back-off does not grow",
        LIMITS,
        "settings.backoff_base * 2**exponent",
        "settings.backoff_base * 2",
    ),
    Fault(
        "recovery",
        "a retry that was put off begins at once",
        RETRYING,
        "context.clock.now() + timedelta(seconds=delay)",
        "context.clock.now()",
    ),
    Fault(
        "recovery",
        "files go back while a step still runs",
        ENGINE,
        "elif self._underway and (strategy is None or strategy in _WANT_QUIET):",
        "elif self._underway and strategy is None:",
    ),
    Fault(
        "recovery",
        "an answer after its time is taken",
        ANSWERING,
        "if option != ABORT and is_overdue(state, context):",
        "if False:",
    ),
    Fault(
        "recovery",
        "an answer that was not offered aborts",
        ANSWERING,
        "    if option not in offered:",
        "    if False:",
    ),
    Fault(
        "recovery",
        "a failure another recovery did away with is recovered from again",
        ENGINE,
        "        if failing.is_moot(self.state, failure):\n",
        "        if False:\n",
    ),
    # limits
    Fault(
        "limits",
        "one retry too many",
        LIMITS,
        "max(settings.max_retry_attempts - step.retry_count, 0)",
        "max(settings.max_retry_attempts - step.retry_count + 1, 0)",
    ),
    Fault("limits", "retries are not counted", RETRYING, "    step.retry_count += 1\n", ""),
    Fault(
        "limits",
        "a replaced step starts with a fresh counter",
        REMAINDER,
        "return Step(defined, old.retry_count, tool",
        "return Step(defined, 0, tool",
    ),
    Fault(
        "limits",
        "replans have no limit",
        LIMITS,
        "return max(settings.max_replans - state.replans_of.get(lineage, 0), 0)",
        "return 1",
    ),
    Fault(
        "limits",
        "recoveries of a run have no limit",
        RECOVERING,
        "if state.counters.recoveries >= settings.max_recoveries:",
        "if False:",
    ),
    Fault(
        "limits",
        "recoveries of a failure have no limit",
        RECOVERING,
        "    elif not failure.can_recover(context.settings.max_attempts_per_failure):\n",
        "    elif False:\n",
    ),
    Fault(
        "limits",
        "a tool that was tried is tried again",
        CHANGING,
        'used = {*step.tried, f"{self.what}:{getattr(step, self.what)}"}',
        'used = {f"{self.what}:{getattr(step, self.what)}"}',
    ),
    # postconditions
    Fault(
        "postconditions",
        "postconditions are not looked at",
        "loopx/loop/recovery/registry.py",
        "        broken = handler.violations(step, state)\n",
        "        broken = ()\n",
    ),
    Fault(
        "postconditions",
        "a retry need not be counted",
        RETRYING,
        "return is_reset and step.retry_count == old.retry_count + 1",
        "return is_reset",
    ),
    Fault(
        "postconditions",
        "completed steps may change under a replan",
        REPLANNING,
        "if each not in after.plan or not _is_same(before.plan.peek(each), after.plan.peek(each))",
        "if each not in after.plan",
    ),
    Fault(
        "postconditions",
        "files that are not as they were count as restored",
        RESTORING,
        "        if found != wanted:\n",
        "        if False:\n",
    ),
    Fault(
        "postconditions",
        "a reduced scope need not be documented",
        REDUCING,
        'if before is None or scope is None:\n            return ("the reduced scope is not documented",)',
        "if before is None or scope is None:\n            return ()",
    ),
    # dependencies
    Fault(
        "dependencies",
        "dependencies are ignored",
        PLAN,
        "return StepStatus.PENDING if self._unmet.get(step.id) else StepStatus.READY",
        "return StepStatus.READY",
    ),
    Fault(
        "dependencies",
        "a dependency that failed counts as met",
        PLAN,
        "    return step._status in _DEAD\n",
        "    return False\n",
    ),
    Fault(
        "dependencies",
        "dependents go on waiting for the replaced step",
        PLAN,
        "                self._wait_for(self.step(each), old, new.id)\n",
        "                pass\n",
    ),
    Fault(
        "dependencies",
        "steps that write the same files run at once",
        SCHEDULING,
        "    return overlap(one.meant.write_scopes, other.meant.write_scopes)\n",
        "    return False\n",
    ),
    Fault(
        "dependencies",
        "circles are not seen",
        "loopx/loop/beginning.py",
        "    if problem is not None:\n        raise ValueError(problem)\n",
        "    return\n",
    ),
    # budgets
    Fault(
        "budgets",
        "a budget is passed by one",
        BOUNDARY,
        "used.steps_executed >= limits.steps",
        "used.steps_executed > limits.steps",
    ),
    Fault(
        "budgets",
        "a budget of nothing is none",
        BOUNDARY,
        "limits.cost is not None and used.cost >= limits.cost",
        "limits.cost and used.cost >= limits.cost",
    ),
    Fault(
        "budgets",
        "work finished at the limit is not finished",
        BOUNDARY,
        "    if state.plan.is_complete() and not running:\n        return Course.COMPLETE\n"
        "    if is_spent(state, settings, clock):\n        return Course.LINGER if running else Course.EXHAUSTED\n",
        "    if is_spent(state, settings, clock):\n        return Course.LINGER if running else Course.EXHAUSTED\n"
        "    if state.plan.is_complete() and not running:\n        return Course.COMPLETE\n",
    ),
    Fault(
        "budgets",
        "what a step costs is not foreseen",
        FAILING,
        "return limit is None or state.counters.cost + reserved + step.meant.cost <= limit",
        "return True",
    ),
    Fault(
        "budgets",
        "time at rest counts as time at work",
        ENGINE,
        "state.resumed_at, self._task = clock.now(), asyncio.current_task()",
        "self._task = asyncio.current_task()",
    ),
)
