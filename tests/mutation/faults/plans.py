"""Faults in what happens to a plan as a whole: its progress, who waits for whom, and its budgets."""

from __future__ import annotations

from tests.mutation.fault import Fault

PLAN = "loopx/loop/plan.py"
ENGINE = "loopx/loop/engine.py"
FAILING = "loopx/loop/failing.py"
BOUNDARY = "loopx/loop/boundary.py"
SCHEDULING = "loopx/loop/scheduling.py"

FAULTS = (
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
