"""A plan carried out by processes of ``loopx run`` that are killed, a person who answers, and what must hold after."""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopx.kernel.claims import holder_name
from loopx.kernel.commands import AddAgent, DecideGate, EditGoal, NewPlan
from loopx.kernel.lease_standing import live_lease
from loopx.loop.keeping.retelling import verify
from loopx.loop.work.tenure import is_held
from loopx.model.actor import Channel
from loopx.model.gate import GateStatus
from loopx.model.plan import PlanStep, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, Resumption, StepStatus
from loopx.model.turn import TurnStatus
from tests.support.forking import Ended, Forks
from tests.support.lab import ANN, BOT, Lab
from tests.support.ledger import Ledger
from tests.support.project import Project

SETTINGS = RunSettings(max_retry_attempts=40, max_recoveries=1000, backoff_base=0.01, backoff_cap=0.05)
_PATIENT = {"outcome_floor_turns": 0, "replan_after_turns": 0}
"""However often a run is left, nobody is told to plan anew before it may go on."""
_MOST = 30
"""Processes and answers after which a run that has not ended is taken for one that never does."""


@dataclass
class KeptRun:
    """One run, in a folder of its own; each process that carries it on is a fork of ``forks``."""

    forks: Forks
    folder: Path
    todo: str
    run: str
    again: Counter[str] = field(default_factory=Counter)
    """How often a person had each step done again."""
    was_killed: bool = False
    """Whether the process that carried it on last was killed."""
    done: dict[str, str] = field(default_factory=dict)
    """Records of completed steps, by the digest Git gave them when they were seen first."""

    @classmethod
    def laid_out(cls, folder: Path, *steps: PlanStep) -> tuple[str, str]:
        """Make a workspace with a plan nobody has begun below ``folder``; the ids of the Todo and the run."""
        lab = Lab.make_in(Project.make(folder / "project"))
        lab.goal()
        lab.submit(EditGoal(goal="beta", fields={"policies": _PATIENT}))
        lab.submit(AddAgent(agent="bot"))
        todo = lab.todo("Ship it", write_scopes=("out/",))
        run = str(lab.submit(NewPlan(todo=todo, steps=steps, settings=SETTINGS)).receipt.result["id"])
        lab.close()
        return todo, run

    @classmethod
    def copied(cls, forks: Forks, made: Path, folder: Path, todo: str, run: str) -> KeptRun:
        """A copy of what :meth:`laid_out` made."""
        shutil.copytree(made, folder, symlinks=True, dirs_exist_ok=True)
        return cls(forks, folder, todo, run)

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def _path(self) -> str:
        return f"goals/beta/plans/{self.todo}/{self.run}/"

    def request(self, *more: str, verb: str = "run") -> tuple[str, ...]:
        return (verb, self.todo, "--actor", str(BOT), "--json", *more)

    # processes -----------------------------------------------------------------------------------

    def start(self, **how: Any) -> int:
        """Start a process of ``loopx run`` and come back at once."""
        return self.forks.start(*self.request(), folder=self.project, **how)

    def recover(self, *target: str) -> Ended:
        """One process of ``loopx recover``, to its end."""
        return self.forks.run("recover", *target, "--actor", str(BOT), "--json", folder=self.project)

    def carry_on(self, *more: str, verb: str = "run", **how: Any) -> Ended:
        """One process of ``loopx run`` (or ``recover``), to its end."""
        ended = self.forks.run(*self.request(*more, verb=verb), folder=self.project, **how)
        self.was_killed = ended.was_killed
        if ended.code and not ended.was_killed:  # the one before it ended when everything was said already
            assert ended.answer["error"]["code"] == "run-waiting", ended.out
        self.assert_nothing_lost()
        return ended

    def finish(self) -> int:
        """Carry it on, and answer where a person is asked, until it has ended; how many questions there were."""
        questions = 0
        for _ in range(_MOST):
            is_done, gate = self.standing()
            if is_done:
                return questions
            if gate is not None and not self.was_killed:
                self.answer()
                questions += 1
            ended = self.carry_on()
        raise AssertionError(f"it never ended: {ended}")

    def standing(self) -> tuple[bool, str | None]:
        """Whether its Todo is done, and the Gate somebody is asked by."""
        with Looking(self) as lab:
            state = lab.look().state
            record = state.run(self.run)
            gate = state.gate(record.gate) if record is not None and record.gate is not None else None
            asked = gate.id if gate is not None and gate.status is GateStatus.OPEN else None
            return state.todo(self.todo).status == "done", asked

    def answer(self) -> None:
        """A person, in a process that never carried the run on, has the step done again."""
        with Looking(self) as lab:
            state = lab.look().state
            record = state.run(self.run)
            gate = state.gate(record.gate)
            [asked] = [
                each.step
                for each in state.steps_of(self.run)
                for failure in each.failures
                if failure.status == "escalated"
            ]
            assert "retry" in gate.options
            answer = DecideGate(
                gate=gate.id, verb="approve", reason="again", option="retry", channel=Channel.TERMINAL, confirmed=True
            )
            lab.submit(answer, ANN)
            self.again[asked] += 1

    # what must hold ------------------------------------------------------------------------------

    def assert_nothing_lost(self) -> None:
        """Whatever was completed is completed still, in the very record it had: as plain Git tells it."""
        git = Project(self.project).loopx_git
        rows = git("ls-tree", "-r", "main", self._path).splitlines()
        now = {name: fields.split()[2] for fields, _, name in (row.partition("\t") for row in rows)}
        for name, digest in self.done.items():
            assert now.get(name) == digest, f"{name} was completed, and is something else now"
        for name, digest in now.items():
            if "/steps/" in name and name not in self.done and _is_completed(git("cat-file", "blob", digest)):
                self.done[name] = digest

    def assert_whole(self) -> None:
        """The run is completed, and what is on record is what happened: no more, and no less."""
        with Looking(self) as lab:
            state = lab.look().state
            record = state.run(self.run)
            assert record.status is ExecutionState.COMPLETED
            assert verify(state, self.run) == []
            self._assert_never_back(state)
            self._assert_true(state)
            self._assert_clean(lab, state)
            lab.assert_sound()
        self.assert_nothing_left()

    def _assert_never_back(self, state: Any) -> None:
        entries = [each for segment in state.trace_of(self.run) for each in segment.entries]
        back = [each for each in entries if each.entity.startswith("step ") and each.before == "verified_completed"]
        assert back == [], "completed work was taken up again"

    def _assert_true(self, state: Any) -> None:
        """Every outcome on record is one the ledger bears out; what is not known is said to be unknown."""
        ledger = Ledger.read(self.folder)
        ledger.assert_never_beside_itself()
        did = ledger.said("did")
        plan = {each.id: each for each in state.plan(self.run).steps}
        records = {each.step: each for each in state.steps_of(self.run)}
        assert records.keys() == plan.keys()
        attempts = {attempt.id: attempt for each in records.values() for attempt in each.attempts}
        assert did <= attempts.keys(), "something was carried out that is not on record"
        for name, attempt in attempts.items():
            if attempt.outcome is AttemptOutcome.NOT_STARTED:
                assert name not in did, f"{name} took effect, and is said not to have begun"
        for step, record in records.items():
            assert record.status is StepStatus.VERIFIED_COMPLETED
            last = record.attempts[-1]
            assert last.outcome is AttemptOutcome.SUCCEEDED and last.id in did
            times, resumption = ledger.times(step), plan[step].action.recover
            assert times >= 1, f"{step} is completed and was never done"
            if resumption is Resumption.PROBE:
                assert times == 1, f"{step} was done {times} times, and a probe could have told"
            elif resumption is Resumption.ASK:
                assert times <= 1 + self.again[step], f"{step} was done {times} times, unasked"

    def _assert_clean(self, lab: Lab, state: Any) -> None:
        todo = state.todo(self.todo)
        assert todo.status == "done"
        assert live_lease(state, self.todo, lab.clock.now()) is None
        turns = list(state.turns("beta"))
        assert all(each.agent == holder_name(BOT) and each.status is not TurnStatus.OPEN for each in turns)
        assert [each.todo for each in turns if each.status is TurnStatus.SETTLED][-1:] == [self.todo]
        assert not is_held(lab.ws, self.todo)
        assert list(lab.ws.places.attempts.glob("*")) == [], "what is on record is no longer kept on file"

    def assert_nothing_left(self) -> None:
        """Nothing that was started in this project still runs."""
        assert running_in(self.folder) == {}


class Looking:
    """A process that only looks: what it opened is closed again."""

    def __init__(self, run: KeptRun) -> None:
        self._lab = Lab(Project(run.project))

    def __enter__(self) -> Lab:
        self._lab.restart()
        return self._lab

    def __exit__(self, *_: object) -> None:
        self._lab.close()


def running_in(folder: Path) -> dict[int, str]:
    """Processes whose working folder, or an argument, lies in ``folder``: command lines by number."""
    found = {}
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            where = os.readlink(entry / "cwd")
        except OSError:
            continue
        if where.startswith(str(folder)) or str(folder) in line:
            found[int(entry.name)] = line
    return found


def kill_all_in(folder: Path) -> None:
    """``kill -9`` of everything that runs in ``folder``."""
    for pid in running_in(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _is_completed(record: str) -> bool:
    return any(
        line.strip() in ("status: verified_completed", 'status: "verified_completed"') for line in record.splitlines()
    )
