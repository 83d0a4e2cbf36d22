"""Shipped components, snapshots and the engine together, in a real project."""

from __future__ import annotations

import asyncio
from pathlib import Path

from loopx.loop.components.shipped import check_steps, shipped
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.snapshots import ProjectArtifacts, scopes_of
from loopx.loop.plan import Plan
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.plan import Judge, JudgeKind, PlanStep, RunSettings
from loopx.model.step import ExecutionState, RecoveryStrategy, VerificationStatus
from loopx.store.git.setup import create
from tests.store.building import git
from tests.support.clock import FakeClock
from tests.support.components import RUN, context_in, planned


def sh(script: str, **more: bool) -> Judge:
    return Judge(kind=JudgeKind.COMMAND, argv=("sh", "-c", script), **more)


def step(identity: str, script: str, *verify: Judge, after: tuple[str, ...] = ()) -> PlanStep:
    return planned("sh", "-c", script, id=identity, depends_on=after, write_scopes=("src/**",), verify=verify)


def test_real_commands_are_judged_verified_in_a_clean_checkout_and_rolled_back(tmp_path: Path) -> None:
    project, clock = tmp_path / "lab", FakeClock()
    (project / "src").mkdir(parents=True)
    git(project, "init", "-q")
    (project / ".gitignore").write_text("*.o\n.loopx/\n")
    clean = sh("test ! -e src/left.o && grep good src/out", clean_checkout=True)
    steps = (
        step("build", "echo good > src/out; echo x > src/left.o", clean),
        step("spoil", "cat src/out; echo bad > src/out", sh("grep -q good src/out"), after=("build",)),
    )
    settings = RunSettings(ladder=(RecoveryStrategy.ROLLBACK, RecoveryStrategy.TERMINATE), max_attempts_per_failure=2)
    store = create(project / ".loopx", clock=clock)
    artifacts = ProjectArtifacts(store.snapshots, project, scopes_of(steps), RUN, clock)
    context = context_in(
        project,
        settings=settings,
        clock=clock,
        components=shipped(),
        artifacts=artifacts,
        attempts=project / ".loopx/local/attempts",
    )
    check_steps(steps, context)
    plan = Plan("Build it", (Step(each) for each in steps))
    state = LoopState(RUN, plan, clock.now(), clock.now())
    result = asyncio.run(LoopEngine(state, context).run())
    store.close()
    build, spoil = plan.step("build"), plan.step("spoil")
    tried = [each.strategy for failure in state.failures.values() for each in failure.actions]
    assert state.execution_state is ExecutionState.FAILED and tried[0] is RecoveryStrategy.ROLLBACK
    assert build.verification_passed and len(build.attempts) == 1
    assert result.verification_status is not VerificationStatus.VERIFIED
    assert [each.exit_status for each in spoil.attempts] == [0, 0]
    assert spoil.output == "good\n"  # what it found the second time: the file was put back
