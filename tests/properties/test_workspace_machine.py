"""The whole workspace against a plain dictionary: commands, hands, crashes, clock jumps, a second process, going back.

Whatever is asked in whatever order, the rules in :mod:`tests.properties.workspace_scene` must hold after every step.
Once over a history in memory, many steps; once over Git, few.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from loopx.kernel import commands as c
from loopx.kernel.commands.turns import TodoSettlement
from loopx.model.actor import Actor, Channel
from loopx.model.goal import GoalStatus
from loopx.model.todo import Priority
from loopx.model.turn import DeliveryOutcome, Scale
from loopx.workspace.crashpoints import POINTS
from loopx.workspace.doctor.findings import Surface
from tests.properties.workspace_model import holder
from tests.properties.workspace_scene import Scene
from tests.support.lab import ShiftedClock
from tests.support.project import Project
from tests.support.shelf import Open, in_git, in_memory

ACTORS = [Actor.parse(each) for each in ("human:Ann", "agent:bot", "agent:rex")]
TITLES = ("Write", "Print", "Ship it", "字")
KEYS = ("k-1", "k-2", "k-3")
VERBS = {"claim": c.ClaimTodo, "unclaim": c.UnclaimTodo}

actors = st.sampled_from(ACTORS)
titles = st.sampled_from(TITLES)
picks = st.integers(0, 7)
keys = st.sampled_from(KEYS)
goals = st.sampled_from(("alpha", "beta"))
processes = st.integers(0, 1)
crashes = st.sampled_from((*(None,) * 40, *POINTS[:-1]))
nth = st.integers(1, 2)


class Machine(RuleBasedStateMachine):
    """One workspace in a new folder, with two Goals and two agents."""

    make: ClassVar[Callable[[Project, ShiftedClock], Open]]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        clock = ShiftedClock()
        project = Project(Path(self.folder.name) / "lab")
        project.root.mkdir()
        self.scene = Scene(project, clock, type(self).make(project, clock))

    @initialize()
    def begin(self) -> None:
        scene = self.scene
        scene.start()
        scene.submit(c.EditWorkspace(fields={"policies": {"durability": "fast"}}))
        for number in (0, 1):
            scene.restart(number)
        for agent in ("bot", "rex"):
            scene.submit(c.AddAgent(agent=agent))
        for goal in ("alpha", "beta"):
            scene.submit(c.NewGoal(goal=goal, title=f"Goal {goal}", acceptance=("It works",)))
        scene.submit(c.AddTodo(goal="beta", title="Write"))

    def teardown(self) -> None:
        try:
            if self.scene.processes and not self.scene.is_broken:
                self.scene.finish()
        finally:
            self.scene.close()
            self.folder.cleanup()

    def pick(self, noun: str, number: int) -> str:
        known = self.scene.model.ids(noun)
        return known[number % len(known)] if known else f"{noun[0]}-zzzz9999"

    # commands --------------------------------------------------------------------------------

    @rule(actor=actors, goal=goals, title=titles, priority=st.sampled_from(Priority), which=processes, crash=crashes)
    def add(self, actor: Actor, goal: str, title: str, priority: Priority, which: int, crash: Any) -> None:
        self.scene.submit(c.AddTodo(goal=goal, title=title, priority=priority), actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, title=titles, which=processes, crash=crashes)
    def edit(self, actor: Actor, number: int, title: str, which: int, crash: Any) -> None:
        command = c.EditTodo(todo=self.pick("todo", number), fields={"title": title})
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(
        actor=actors, number=picks, which=processes, crash=crashes, verb=st.sampled_from((c.ClaimTodo, c.UnclaimTodo))
    )
    def claim(self, actor: Actor, number: int, which: int, crash: Any, verb: Any) -> None:
        self.scene.submit(verb(todo=self.pick("todo", number)), actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, which=processes, crash=crashes, nth=nth, heirs=st.lists(titles, max_size=2))
    def done(self, actor: Actor, number: int, which: int, crash: Any, nth: int, heirs: list[str]) -> None:
        """With new successors, which makes several files of one operation."""
        fresh = tuple(self.scene.next(each) for each in heirs)
        command = c.CompleteTodo(todo=self.pick("todo", number), successors=fresh)
        answer = self.scene.submit(command, actor, which=which, crash=crash, nth=nth)
        assert answer is None or answer.receipt.operation in self.scene.asked

    @rule(
        actor=actors, number=picks, which=processes, crash=crashes, verb=st.sampled_from(("block", "defer", "resume"))
    )
    def hold(self, actor: Actor, number: int, which: int, crash: Any, verb: str) -> None:
        todo = self.pick("todo", number)
        command: c.Command = c.ResumeTodo(todo=todo)
        if verb == "block":
            command = c.BlockTodo(todo=todo, reason="Waits for Ben")
        elif verb == "defer":
            command = c.DeferTodo(todo=todo, until="at:2099-01-01T00:00:00Z")
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, which=processes, crash=crashes, nth=nth)
    def cancel(self, actor: Actor, number: int, which: int, crash: Any, nth: int) -> None:
        command = c.CancelTodo(todo=self.pick("todo", number), reason="Not any more")
        self.scene.submit(command, actor, which=which, crash=crash, nth=nth)

    @rule(actor=actors, number=picks, which=processes, crash=crashes, nth=nth)
    def supersede(self, actor: Actor, number: int, which: int, crash: Any, nth: int) -> None:
        command = c.SupersedeTodo(todo=self.pick("todo", number), by=(self.scene.next("Heir"),))
        self.scene.submit(command, actor, which=which, crash=crash, nth=nth)

    @rule(actor=actors, number=picks, which=processes)
    def reopen(self, actor: Actor, number: int, which: int) -> None:
        self.scene.submit(c.ReopenTodo(todo=self.pick("todo", number), reason="Not right"), actor, which=which)

    @rule(actor=actors, goal=goals, which=processes, crash=crashes)
    def ask(self, actor: Actor, goal: str, which: int, crash: Any) -> None:
        command = c.OpenGate(goal=goal, scope="other:goal:x", question=self.scene.next("May it"))
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(
        actor=actors, number=picks, verb=st.sampled_from(("approve", "reject", "defer")), which=processes, crash=crashes
    )
    def answer(self, actor: Actor, number: int, verb: str, which: int, crash: Any) -> None:
        command = c.DecideGate(gate=self.pick("gate", number), verb=verb, reason="Seen", channel=Channel.PAGE)
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, which=processes)
    def withdraw(self, actor: Actor, number: int, which: int) -> None:
        self.scene.submit(c.WithdrawGate(gate=self.pick("gate", number)), actor, which=which)

    @rule(goal=goals, verb=st.sampled_from(("pause", "resume", "resume")), which=processes, crash=crashes)
    def steer(self, goal: str, verb: str, which: int, crash: Any) -> None:
        to = GoalStatus.PAUSED if verb == "pause" else GoalStatus.ACTIVE
        self.scene.submit(c.SetGoalStatus(goal=goal, verb=verb, to=to, reason="Why not"), which=which, crash=crash)

    @rule(goal=goals, agent=st.sampled_from(("bot", "rex")), actor=actors, which=processes, retire=st.booleans())
    def envision(self, goal: str, agent: str, actor: Actor, which: int, retire: bool) -> None:
        command: c.Command = c.SetVision(goal=goal, agent=agent, summary=self.scene.next("Onwards"))
        if retire:
            command = c.RetireVision(goal=goal, agent=agent, reason="Done")
        self.scene.submit(command, actor, which=which)

    # leases and turns ------------------------------------------------------------------------

    @rule(
        actor=actors, number=picks, key=st.sampled_from(KEYS), take_over=st.booleans(), which=processes, crash=crashes
    )
    def acquire(self, actor: Actor, number: int, key: str, take_over: bool, which: int, crash: Any) -> None:
        command = c.AcquireLease(todo=self.pick("todo", number), key=key, take_over=take_over)
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, verb=st.integers(0, 2), is_holder=st.booleans(), which=processes, crash=crashes)
    def go_on(self, actor: Actor, number: int, verb: int, is_holder: bool, which: int, crash: Any) -> None:
        """Whoever holds the lease, with its key; or somebody who tries."""
        todo, version, key = self.pick("todo", number), 1, "k-1"
        lease = self.scene.ws.read(take_in=False).state.lease(todo)
        if lease is not None and is_holder:
            version, key = lease.version, lease.key
            actor = next(each for each in ACTORS if holder(each) == lease.owner)
        command: c.Command = c.RenewLease(todo=todo, key=key, version=version)
        if verb == 1:
            command = c.TransferLease(todo=todo, key=key, version=version, to="rex", new_key=self.scene.next("k"))
        elif verb == 2:
            command = c.ReleaseLease(todo=todo, key=key)
        self.scene.submit(command, actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, which=processes, crash=crashes)
    def open_turn(self, actor: Actor, number: int, which: int, crash: Any) -> None:
        todo = self.pick("todo", number)
        goal = self.scene.model.facts.get(f"todo {todo}", {"goal": "beta"})["goal"]
        self.scene.submit(c.OpenTurn(goal=goal, todo=todo), actor, which=which, crash=crash)

    @rule(actor=actors, number=picks, which=processes, crash=crashes, nth=nth, done=st.booleans())
    def refresh(self, actor: Actor, number: int, which: int, crash: Any, nth: int, done: bool) -> None:
        todo = self.pick("todo", number)
        goal = self.scene.model.facts.get(f"todo {todo}", {"goal": "beta"})["goal"]
        command = c.SettleTurn(
            goal=goal,
            todo=todo,
            scale=Scale.SINGLE_SURFACE,
            outcome=DeliveryOutcome.SURFACE_ONLY,
            settlement=TodoSettlement(done=done),
        )
        self.scene.submit(command, actor, which=which, crash=crash, nth=nth)

    # hands -----------------------------------------------------------------------------------

    @rule(number=picks, title=titles)
    def type_a_title(self, number: int, title: str) -> None:
        self.scene.type(f"todo {self.pick('todo', number)}", "title", title)

    @rule(number=picks, priority=st.sampled_from(("p0", "p4", "p9")))
    def type_a_priority(self, number: int, priority: str) -> None:
        self.scene.type(f"todo {self.pick('todo', number)}", "priority", priority)

    @rule(number=picks, status=st.sampled_from(("open", "done", "blocked", "cancelled", "nonsense")))
    def type_a_status(self, number: int, status: str) -> None:
        self.scene.type(f"todo {self.pick('todo', number)}", "status", status)

    @rule(number=picks)
    def type_into_a_gate(self, number: int) -> None:
        self.scene.type(f"gate {self.pick('gate', number)}", "status", "approved")

    @rule(goal=goals, title=titles)
    def make_a_file(self, goal: str, title: str) -> None:
        self.scene.new_file(goal, title)

    @rule(number=picks)
    def save_half_a_file(self, number: int) -> None:
        self.scene.garble(f"todo {self.pick('todo', number)}")

    @rule(number=picks)
    def delete_a_file(self, number: int) -> None:
        self.scene.delete(f"todo {self.pick('todo', number)}")
        self.scene.settle()

    @rule(number=picks)
    def discard(self, number: int) -> None:
        waiting = [each.path for each in self.scene.ws.edits()]
        self.scene.take_in()
        if waiting:
            self.scene.discard(waiting[number % len(waiting)])
        self.scene.settle()

    @rule()
    def look(self) -> None:
        self.scene.settle()

    # around ----------------------------------------------------------------------------------

    @rule(hours=st.sampled_from((-48, -1, 1, 30)))
    def jump(self, hours: int) -> None:
        self.scene.clock.shift += timedelta(hours=hours)
        self.scene.settle()

    @rule(which=processes)
    def restart(self, which: int) -> None:
        self.scene.restart(which)

    @rule()
    def lose_the_cache(self) -> None:
        for number in (0, 1):
            self.scene.processes[number].close()
        for each in self.scene.root.glob("local/cache.sqlite*"):
            each.unlink()
        self.scene.start()
        self.scene.settle()

    @precondition(lambda self: self.scene.asked)
    @rule(number=st.integers(0, 200), which=processes)
    def ask_again(self, number: int, which: int) -> None:
        operations = list(self.scene.asked)
        self.scene.again(operations[number % len(operations)], which)

    @precondition(lambda self: len(self.scene.model.at) > 7)
    @rule(number=st.integers(0, 5))
    def roll_back(self, number: int) -> None:
        self.scene.settle()
        known = list(self.scene.model.at)
        self.scene.roll_back(known[-1 - number % (len(known) - 6)])

    @rule(number=picks)
    def undo(self, number: int) -> None:
        made = [op for op, asked in self.scene.asked.items() if asked.answer and not asked.answer.replayed][6:]
        if made:
            self.scene.settle()
            self.scene.undo(made[-1 - number % len(made)])


class InMemory(Machine):
    make = staticmethod(in_memory)


class InGit(Machine):
    """Over Git, where people commit by themselves as well."""

    make = staticmethod(in_git)

    @rule(number=picks, title=titles)
    def commit_with_git(self, number: int, title: str) -> None:
        self.scene.type(f"todo {self.pick('todo', number)}", "title", title)
        self.scene.commit_with_git()
        self.scene.settle()

    def teardown(self) -> None:
        if self.scene.processes and not self.scene.is_broken:
            self.scene.settle()
            assert self.scene.ws.store.fsck() == []
            surfaces = {each.surface for each in self.scene.ws.doctor().findings if each.is_fault}
            assert not surfaces & {Surface.CACHE, Surface.INDEX, Surface.JOURNAL}
        super().teardown()


TestInMemory = InMemory.TestCase
TestInMemory.settings = settings(
    max_examples=40, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
TestInGit = InGit.TestCase
TestInGit.settings = settings(
    max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
