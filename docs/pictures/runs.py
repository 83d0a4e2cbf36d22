"""The runs the pictures show: one under way, one that asks, one that failed."""

from __future__ import annotations

from loopx.kernel.commands import AddTodo, Command, DecideGate, NewPlan
from loopx.loop.step import StepView
from loopx.loop.work.running import Order, Runner
from loopx.loop.work.surroundings import Parts
from loopx.model.actor import Actor, Channel, Origin
from loopx.model.plan import Action, ActorKind, PlanStep, RunSettings
from loopx.model.todo import Priority
from loopx.workspace import Workspace

ADA, CODER, TESTER = (Actor.parse(each) for each in ("human:Ada Lovelace", "agent:coder-1", "agent:tester"))
_SETTINGS = RunSettings(max_retry_attempts=1, backoff_base=0.0, enable_verification=False)


class _Gone(BaseException):
    """The end of the process that carried a run on: what it was at stays as it was."""


class Runs:
    """Plans laid out and carried as far as the pictures want them."""

    def __init__(self, ws: Workspace) -> None:
        self.ws = ws

    def make(self) -> tuple[str, str]:
        """All of them; the Todo whose run is under way and the Gate of the run that asks."""
        flaky = "test -e ../once || { touch ../once; echo '41 passed, 1 failed: test_merge_after_sleep'; exit 1; }"
        under_way = self._planned(
            "sync",
            "Agree on a position in under a minute",
            _shell("schema", "Write the exchange format down", "echo 3 fields, 2 of them optional"),
            _shell("merge", "Merge two positions without losing one", f"{flaky}; echo 42 passed", "schema"),
            _waiting("soak", "Let two devices disagree for an hour", "merge"),
            _shell("notes", "Say so in the notes", "true", "soak"),
            _shell("tidy", "Throw the old queue away", "true", "merge", optional=True),
        )
        try:
            self._carry(under_way, CODER)
        except _Gone:
            pass
        asking = self._planned(
            "release",
            "Sign the installers",
            _shell("build", "Build the three installers", "echo built reader.dmg, reader.msi, reader.deb"),
            _shell("sign", "Sign them", "echo 'codesign: no identity found' >&2; exit 1", "build"),
            _shell("upload", "Put them where people find them", "true", "sign"),
        )
        self._carry(asking, TESTER)
        failed = self._planned(
            "reader",
            "Convert the library of 2019",
            _shell("convert", "Convert every book", "echo 'shelf.db: the file is not a database' >&2; exit 1"),
        )
        self._carry(failed, TESTER)
        self._do(DecideGate(gate=self._asked(failed), verb="reject", reason="It is gone", **_SAID))
        self._carry(failed, TESTER)
        return under_way, self._asked(asking)

    def _planned(self, goal: str, title: str, *steps: PlanStep) -> str:
        todo = self._do(AddTodo(goal=goal, title=title, priority=Priority.P1))
        self._do(NewPlan(todo=todo, objective=title, steps=steps, settings=_SETTINGS))
        return todo

    def _carry(self, todo: str, actor: Actor) -> None:
        found = self.ws.read().state.todo(todo)
        assert found is not None
        Runner(self.ws, actor, Order(parts=Parts(callables={"soak": _go}))).carry_out(found)

    def _asked(self, todo: str) -> str:
        [run] = self.ws.read().state.runs_of(todo)
        assert run.gate is not None
        return run.gate

    def _do(self, command: Command) -> str:
        receipt = self.ws.submit(command, actor=ADA, origin=Origin.COMMAND).receipt
        return str(receipt.result.get("id", ""))


_SAID = {"channel": Channel.TERMINAL, "confirmed": True}


def _go(_step: StepView) -> str:
    raise _Gone


def _shell(identity: str, title: str, script: str, *after: str, optional: bool = False) -> PlanStep:
    action = Action(actor=ActorKind.COMMAND, argv=("sh", "-c", script))
    return PlanStep(id=identity, title=title, action=action, depends_on=after, optional=optional)


def _waiting(identity: str, title: str, *after: str) -> PlanStep:
    action = Action(actor=ActorKind.PYTHON, callable=identity)
    return PlanStep(id=identity, title=title, action=action, depends_on=after)
