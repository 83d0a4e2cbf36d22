"""Faults in what is written down of a run and read back: the kernel's rules, snapshots, and taking a run up."""

from __future__ import annotations

from tests.mutation.fault import Fault

LINES, TELLING = "loopx/kernel/plans/lines.py", "loopx/kernel/plans/telling.py"
RECORDING, CHAIN = "loopx/kernel/plans/recording.py", "loopx/kernel/plans/chain.py"
PLANNING, SNAPSHOTS = "loopx/kernel/plans/planning.py", "loopx/loop/keeping/snapshots.py"
KERNEL = ("tests/unit/kernel/test_kernel_run_records.py", "tests/unit/kernel/test_kernel_plans.py")
FILES = ("tests/loop/test_snapshots.py",)
RUNS = ("tests/loop/test_durable_runs.py", "tests/loop/test_durable_crashes.py")

FAULTS = (
    # records
    Fault(
        "records",
        "a line no table allows is accepted",
        LINES,
        "    code = steps.problem(before, after, role)\n",
        "    code = None\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a run may turn anywhere",
        LINES,
        "    if not runs.may_turn(before, after):\n",
        "    if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a verdict no judge gave is accepted",
        TELLING,
        "        if found is not said and not (found is None and told is not None and told.was_reset):\n",
        "        if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a status the trace does not tell is accepted",
        TELLING,
        "    if record.status is not status:\n",
        "    if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a counter may fall",
        TELLING,
        "    if changed or fallen:\n",
        "    if changed:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "an execution that has ended may be rewritten",
        TELLING,
        "        if not _is_same_attempt(old, new):\n",
        "        if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a failure may be forgotten",
        TELLING,
        "        if found is None or (found is not old.status and not old.status.is_open):\n",
        "        if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "verification that is switched off may be claimed",
        TELLING,
        "    if recording.settings().enable_verification:\n        return None\n",
        "    return None\n",
        KERNEL,
    ),
    Fault(
        "records",
        "retries go on beyond the limit",
        TELLING,
        "    if record.retry_count <= limit or",
        "    if True or",
        KERNEL,
    ),
    Fault(
        "records",
        "a line in the middle may be changed",
        CHAIN,
        "        if each.number != count or each.hash != chained(head, count, *each[1:-1]):\n",
        "        if each.number != count:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "who goes on from an old line overwrites a newer one",
        RECORDING,
        "    if before != run.trace_count or (first is None and command.head != run.trace_hash):\n",
        "    if False:\n",
        KERNEL,
    ),
    Fault(
        "records",
        "a step that is done may read differently after a replan",
        PLANNING,
        "    if record.status is StepStatus.VERIFIED_COMPLETED and after != before:\n",
        "    if False:\n",
        KERNEL,
    ),
    # snapshots
    Fault(
        "snapshots",
        "changes of somebody else are overwritten",
        SNAPSHOTS,
        "        if not over_others:\n",
        "        if False:\n",
        FILES,
    ),
    Fault(
        "snapshots",
        "files outside the scopes are written",
        SNAPSHOTS,
        "            if not covers(self._scopes, path):\n",
        "            if False:\n",
        FILES,
    ),
    Fault(
        "snapshots",
        "the present is lost when files go back",
        SNAPSHOTS,
        '        self._keep(seen, "before-restore", scopes)\n',
        "",
        FILES,
    ),
    Fault(
        "snapshots",
        "snapshots of a run that is on are dropped",
        SNAPSHOTS,
        'lambda name: name.partition("/")[0] in kept',
        "lambda name: False",
        FILES,
    ),
    # taking up
    Fault(
        "taking up",
        "an execution begins before its intent is on record",
        "loopx/loop/engine.py",
        "        self._save(SavePoint.STARTING)\n",
        "",
        RUNS,
    ),
    Fault(
        "taking up",
        "an end that is on file is not looked for",
        "loopx/loop/resuming.py",
        "return store.outcome_of(step, step.attempts[-1]) or UNSEEN",
        "return UNSEEN",
        RUNS,
    ),
    Fault(
        "taking up",
        "a save whose answer was lost is done under another name",
        "loopx/loop/keeping/durable.py",
        "op=_operation(command))\n                break",
        'op=f"{_operation(command)}.{number}")\n                break',
        RUNS,
    ),
)
