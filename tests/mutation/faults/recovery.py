"""Faults in recovery: what is chosen, how it is carried out, its limits, and what is looked at afterwards."""

from __future__ import annotations

from tests.mutation.fault import Fault

ENGINE = "loopx/loop/engine.py"
RECOVERING = "loopx/loop/recovering.py"
LIMITS = "loopx/loop/recovery/limits.py"
POLICY = "loopx/loop/recovery/policy.py"
RETRYING = "loopx/loop/recovery/handlers/retrying.py"
REPLANNING = "loopx/loop/recovery/handlers/replanning.py"
RESTORING = "loopx/loop/recovery/handlers/restoring.py"
CHANGING = "loopx/loop/recovery/handlers/changing.py"
REDUCING = "loopx/loop/recovery/handlers/reducing.py"
REMAINDER = "loopx/loop/recovery/remainder.py"
BOUNDARY = "loopx/loop/boundary.py"
ANSWERING = "loopx/loop/answering.py"

FAULTS = (
    Fault(
        "recovery",
        "recovery never runs",
        RECOVERING,
        "    await _carry_out(state, failure, action, context, registry)\n    if not",
        "    failure.mark_recovered()\n    if not",
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
        "people",
        "a person who has not answered counts as a failure",
        ENGINE,
        "if acted.awaits:\n            self._awaiting.add(step.id, acted.awaits)",
        "if False:\n            self._awaiting.add(step.id, acted.awaits)",
    ),
    Fault(
        "recovery",
        "an answer after its time is taken",
        ANSWERING,
        "if option != ABORT and not is_in_time and is_overdue(state, context):",
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
)
