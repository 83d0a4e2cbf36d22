"""The kernel under arbitrary proposals: a refusal changes nothing, and whatever is accepted keeps the invariants.

People and agents propose commands and hand edits in any order; now and then the clock jumps or an operation is asked
for twice. The answers are applied to entities in memory, which must make sense after every one of them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from loopx.errors import CATALOGUE
from loopx.kernel import commands as c
from loopx.kernel.context import Context
from loopx.kernel.cycles import circle, waits_for
from loopx.kernel.decide import decide
from loopx.kernel.digest import validation_inputs
from loopx.kernel.outcome import Accepted, Outcome, Refused
from loopx.kernel.standing import gate_standing
from loopx.kernel.support import standing_completion
from loopx.kernel.verdicts import verdict
from loopx.model.actor import Actor, Origin
from loopx.model.entities import identity, kind_of
from loopx.model.gate import DecisionScope, GateStatus
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.records import Channel, EvidenceResult
from loopx.model.todo import Priority, Todo, TodoClass, TodoStatus, Validation
from tests.support.kernel import REFUSAL_LIMIT, T1, T2, T3, T4, Desk, config, criterion, evidence, gate, goal, todo

ACTORS = [Actor.parse(each) for each in ("human:Ann", "human:Ben", "agent:bot", "agent:rex")]
SCOPES = ("production:goal:deploy", "production:project:*", "other:action:x", "nonsense")
TITLES = ("Write", "Translate", "Print", "ship", "字", " ", "two\nlines")
REASONS = ("because", "too costly", "not now", " ")
CONDITIONS = ("at:2026-03-02T10:00:00Z", "at:noon", "capability:gpu", "pr_merged:#1", "evidence:x")

actors = st.sampled_from(ACTORS)
titles = st.sampled_from(TITLES)
reasons = st.sampled_from(REASONS)
picks = st.integers(min_value=0, max_value=30)
some = st.lists(picks, max_size=2)


class Kernel(RuleBasedStateMachine):
    """One workspace in memory and everybody who may propose something to it."""

    @initialize(operators=st.sampled_from([(), ("Ann",)]))
    def begin(self, operators: tuple[str, ...]) -> None:
        beta = goal(acceptance=(criterion(), criterion("a2", "It is safe")))
        work = [
            todo(T1, "Write", validation=Validation(argv=("true",)), acceptance=("a1",)),
            todo(T2, "Test", depends_on=(T1,)),
            todo(T3, "Ship", requires=(SCOPES[0],)),
            todo(T4, "Announce", excluded_agents=("rex",), claimed_by="bot"),
            todo("t-eeee5555", "Tidy up"),
            todo("t-ffff6666", "Celebrate"),
        ]
        self.desk = Desk.of(config(operators=operators), beta, goal("gamma"), *work, gate())
        self.asked: list[tuple[c.Command, Actor, str, Accepted]] = []

    # what there is to point at ----------------------------------------------------------------

    def ids(self, kind: Kind) -> list[str]:
        return [identity(each) for each in self.desk.entities if kind_of(each) is kind]

    def pick(self, kind: Kind, number: int) -> str:
        known = self.ids(kind)
        return known[number % len(known)] if known else f"{kind.value[0]}-zzzz9999"

    def todos(self, numbers: list[int]) -> tuple[str, ...]:
        return tuple(self.pick(Kind.TODO, number) for number in numbers)

    # proposals --------------------------------------------------------------------------------

    def propose(self, command: c.Command, actor: Actor, origin: Origin = Origin.COMMAND) -> Outcome:
        before, receipts = list(self.desk.entities), list(self.desk.receipts)
        outcome = self.desk.ask(command, actor, origin=origin)
        if isinstance(outcome, Refused):
            self.refused(outcome, before, receipts)
        else:
            self.asked.append((command, actor, outcome.receipt.operation, outcome))
            assert outcome.receipt.actor == actor and outcome.headline and "\n" not in outcome.headline
        return outcome

    def refused(self, outcome: Refused, before: list[Any], receipts: list[Any]) -> None:
        assert (self.desk.entities, self.desk.receipts) == (before, receipts)
        assert outcome.code in CATALOGUE and outcome.problem.hint
        assert len(json.dumps(outcome.problem.as_json(), ensure_ascii=False).encode()) <= REFUSAL_LIMIT

    @rule(
        actor=actors,
        title=titles,
        depends=some,
        guards=st.booleans(),
        scope=st.sampled_from(SCOPES),
        sort=st.sampled_from(list(TodoClass)),
    )
    def add(self, actor: Actor, title: str, depends: list[int], guards: bool, scope: str, sort: TodoClass) -> None:
        command = c.AddTodo(
            goal="beta",
            title=title,
            todo_class=sort,
            depends_on=self.todos(depends),
            requires=(scope,) if guards else (),
            validation=Validation(argv=("true",)) if guards else None,
            acceptance=("a1",) if guards else (),
        )
        self.propose(command, actor)

    @rule(actor=actors, number=picks, add=some, remove=some, loosen=st.booleans())
    def edit(self, actor: Actor, number: int, add: list[int], remove: list[int], loosen: bool) -> None:
        fields: dict[str, Any] = {"validation": None, "requires": []} if loosen else {"priority": "p0"}
        lists = {"depends_on": self.todos(add)}, {"depends_on": self.todos(remove)}
        command = c.EditTodo(todo=self.pick(Kind.TODO, number), fields=fields, add=lists[0], remove=lists[1])
        before = self.desk.state.todo(command.todo)
        outcome = self.propose(command, actor)
        if isinstance(outcome, Accepted) and not actor.is_human and before is not None:
            after = self.desk.todo(command.todo)
            assert set(before.depends_on) <= set(after.depends_on) and set(before.requires) <= set(after.requires)
            assert before.validation in (None, after.validation)

    @rule(actor=actors, number=picks, verb=st.sampled_from(["claim", "unclaim", "resume", "archive"]))
    def hold(self, actor: Actor, number: int, verb: str) -> None:
        kinds: dict[str, Any] = {
            "claim": c.ClaimTodo,
            "unclaim": c.UnclaimTodo,
            "resume": c.ResumeTodo,
            "archive": c.ArchiveTodo,
        }
        self.propose(kinds[verb](todo=self.pick(Kind.TODO, number)), actor)

    @rule(actor=actors, number=picks, reason=reasons)
    def block(self, actor: Actor, number: int, reason: str) -> None:
        self.propose(c.BlockTodo(todo=self.pick(Kind.TODO, number), reason=reason), actor)

    @rule(actor=actors, number=picks, other=picks, form=st.sampled_from((*CONDITIONS, "todo", "gate")))
    def defer(self, actor: Actor, number: int, other: int, form: str) -> None:
        subjects = {
            "todo": f"todo_done:{self.pick(Kind.TODO, other)}",
            "gate": f"gate_approved:{self.pick(Kind.GATE, other)}",
        }
        self.propose(c.DeferTodo(todo=self.pick(Kind.TODO, number), until=subjects.get(form, form)), actor)

    @rule(
        actor=actors,
        number=picks,
        result=st.sampled_from([None, *EvidenceResult]),
        follow=st.lists(st.one_of(titles, picks), max_size=2),
        ends=st.booleans(),
    )
    def complete(self, actor: Actor, number: int, result: Any, follow: list[Any], ends: bool) -> None:
        self.completed(actor, number, result, follow, ends)

    def completed(self, actor: Actor, number: int, result: Any, follow: list[Any], ends: bool) -> None:
        subject = self.pick(Kind.TODO, number)
        before = self.desk.state.todo(subject)
        seen = None
        if result is not None and before is not None and before.validation is not None:
            inputs = validation_inputs(before, self.desk.goal(before.goal))
            name = f"e-seen{len(self.desk.entities):04}"
            seen = evidence(name, subject, result=result, inputs=inputs)
        command = c.CompleteTodo(
            todo=subject,
            successors=tuple(each if isinstance(each, str) else self.pick(Kind.TODO, each) for each in follow),
            no_follow_up="complete" if ends else None,
            evidence=seen,
        )
        state = self.desk.state
        outcome = self.propose(command, actor)
        if isinstance(outcome, Accepted) and before is not None and not outcome.receipt.result["already"]:
            self.was_doable(state, before, actor, seen)

    def was_doable(self, state: Any, before: Todo, actor: Actor, seen: Any) -> None:
        """Nothing was finished that a verdict would have kept back, or whose validation had not passed."""
        reasons = {each.code.value for each in verdict(state, before, actor, self.desk.now).reasons}
        assert reasons <= {"goal-not-active", "capability-missing", "not-work"}
        assert before.validation is None or (seen is not None and seen.result is EvidenceResult.PASSED)

    @rule(actor=actors, number=picks, by=st.lists(st.one_of(titles, picks), max_size=2))
    def supersede(self, actor: Actor, number: int, by: list[Any]) -> None:
        heirs = tuple(each if isinstance(each, str) else self.pick(Kind.TODO, each) for each in by)
        subject = self.pick(Kind.TODO, number)
        before = self.desk.state.todo(subject)
        outcome = self.propose(c.SupersedeTodo(todo=subject, by=heirs), actor)
        if isinstance(outcome, Accepted) and before is not None:
            for heir in self.desk.todo(before.id).superseded_by:
                assert set(before.requires) <= set(self.desk.todo(heir).requires)

    @rule(actor=actors, number=picks, reason=reasons, verb=st.sampled_from([c.CancelTodo, c.ReopenTodo]))
    def close_or_reopen(self, actor: Actor, number: int, reason: str, verb: Any) -> None:
        self.propose(verb(todo=self.pick(Kind.TODO, number), reason=reason), actor)

    @rule(number=picks)
    def reopen(self, number: int) -> None:
        self.propose(c.ReopenTodo(todo=self.pick(Kind.TODO, number), reason="not yet right"), ACTORS[0])

    @rule(number=picks, by=picks)
    def replace_one_by_another(self, number: int, by: int) -> None:
        heirs = (self.pick(Kind.TODO, by),)
        self.propose(c.SupersedeTodo(todo=self.pick(Kind.TODO, number), by=heirs), ACTORS[0])

    @rule(number=picks)
    def type_done(self, number: int) -> None:
        self.type_status(ACTORS[0], number, TodoStatus.DONE, None)

    @rule(actor=actors, scope=st.sampled_from(SCOPES), title=titles, hours=st.sampled_from([None, 1, -1]))
    def ask(self, actor: Actor, scope: str, title: str, hours: int | None) -> None:
        until = None if hours is None else (self.desk.now + timedelta(hours=hours)).isoformat()
        self.propose(c.OpenGate(goal="beta", scope=scope, question=title, valid_until=until), actor)

    @rule(
        actor=actors,
        number=picks,
        verb=st.sampled_from(["approve", "reject", "defer"]),
        reason=reasons,
        channel=st.sampled_from(list(Channel)),
        confirmed=st.booleans(),
        origin=st.sampled_from(list(Origin)),
    )
    def answer(
        self, actor: Actor, number: int, verb: str, reason: str, channel: Channel, confirmed: bool, origin: Origin
    ) -> None:
        subject = self.pick(Kind.GATE, number)
        command = c.DecideGate(gate=subject, verb=verb, reason=reason, channel=channel, confirmed=confirmed)
        outcome = self.propose(command, actor, origin)
        if isinstance(outcome, Accepted):
            assert actor.is_human and origin not in (Origin.HAND, Origin.FOREIGN)

    @rule(number=picks)
    def approve(self, number: int) -> None:
        command = c.DecideGate(gate=self.pick(Kind.GATE, number), verb="approve", reason="fine", channel=Channel.PAGE)
        self.propose(command, ACTORS[0])

    @rule(actor=actors, number=picks)
    def finish(self, actor: Actor, number: int) -> None:
        self.completed(actor, number, EvidenceResult.PASSED, [], False)

    @rule(actor=actors, number=picks)
    def withdraw(self, actor: Actor, number: int) -> None:
        self.propose(c.WithdrawGate(gate=self.pick(Kind.GATE, number)), actor)

    @rule(actor=actors, which=st.sampled_from(["a1", "a2", "a3"]), cited=st.one_of(picks, st.just("I saw it")))
    def judge(self, actor: Actor, which: str, cited: Any) -> None:
        words = cited if isinstance(cited, str) else self.pick(Kind.TODO, cited)
        self.propose(c.MeetCriterion(goal="beta", criterion=which, evidence=(words,)), actor)
        self.propose(c.WaiveCriterion(goal="beta", criterion="a2", reason="too costly"), actor)
        self.propose(c.UnmeetCriterion(goal="beta", criterion=which), actor)

    @rule(actor=actors, verb=st.sampled_from(["pause", "resume", "activate", "resume", "activate", "stop"]))
    def steer(self, actor: Actor, verb: str) -> None:
        to = {"pause": GoalStatus.PAUSED, "stop": GoalStatus.STOPPED}.get(verb, GoalStatus.ACTIVE)
        before = self.desk.goal().status
        self.propose(c.SetGoalStatus(goal="beta", verb=verb, to=to), actor)
        assert actor.is_human or self.desk.goal().status is before

    @rule(actor=actors, number=picks, status=st.sampled_from(list(TodoStatus)), claim=st.sampled_from([None, "bot"]))
    def type_a_status(self, actor: Actor, number: int, status: TodoStatus, claim: str | None) -> None:
        self.type_status(actor, number, status, claim)

    def type_status(self, actor: Actor, number: int, status: TodoStatus, claim: str | None) -> None:
        subject = self.desk.state.todo(self.pick(Kind.TODO, number))
        if subject is None:
            return
        before, receipts = list(self.desk.entities), list(self.desk.receipts)
        after = replace(subject, status=status, claimed_by=claim, reason="typed", resume_when="capability:gpu")
        outcome = self.desk.type(subject, after, actor, origin=Origin.HAND if actor.is_human else Origin.FOREIGN)
        if isinstance(outcome, Refused):
            assert outcome.place is not None
            self.refused(outcome, before, receipts)

    @rule(actor=actors, number=picks)
    def delete_a_file(self, actor: Actor, number: int) -> None:
        subject = self.desk.state.todo(self.pick(Kind.TODO, number))
        if subject is not None:
            outcome = self.desk.type(subject, None, actor)
            assert isinstance(outcome, Refused) or not subject.status.is_closed

    @rule(hours=st.sampled_from([1, 48]))
    def let_time_pass(self, hours: int) -> None:
        self.desk.wait(hours=hours)

    @rule(number=picks)
    def ask_again(self, number: int) -> None:
        """An operation asked for twice answers with its own receipt, whatever holds now, and does nothing."""
        if not self.asked:
            return
        command, actor, operation, first = self.asked[number % len(self.asked)]
        context = Context(actor, Origin.COMMAND, operation, self.desk.now, self.desk.ids)
        again = decide(self.desk.state, command, context)
        assert isinstance(again, Accepted) and again.changes == () and again.receipt == first.receipt

    # what always holds ------------------------------------------------------------------------

    @invariant()
    def identities_are_unique(self) -> None:
        keys = [(kind_of(each), identity(each), getattr(each, "goal", "")) for each in self.desk.entities]
        assert len(keys) == len(set(keys))
        operations = [each.operation for each in self.desk.receipts]
        assert len(operations) == len(set(operations))

    @invariant()
    def nothing_waits_for_itself(self) -> None:
        for each in self.desk.state.todos():
            assert circle(self.desk.state, each.id, waits_for(each)) is None

    @invariant()
    def every_reference_leads_somewhere(self) -> None:
        state = self.desk.state
        for each in state.todos():
            named = (*each.depends_on, *each.supersedes, *each.superseded_by, *each.successors)
            assert all(state.todo(other) is not None for other in named)
            assert all(each.id in self.desk.todo(other).supersedes for other in each.superseded_by)
            assert (each.status is TodoStatus.SUPERSEDED) == bool(each.superseded_by)

    @invariant()
    def what_is_done_has_a_standing_record_and_nothing_else_has(self) -> None:
        state = self.desk.state
        for each in state.todos():
            log = state.completions(each.id)
            standing = [entry for entry in (log.entries if log else ()) if entry.stands]
            assert len(standing) == (1 if each.status is TodoStatus.DONE else 0)
            if each.status is TodoStatus.DONE:
                completion = standing_completion(state, each)
                assert completion is not None
                assert not completion.validated or all(state.evidence(one) for one in completion.evidence)

    @invariant()
    def only_a_persons_standing_answer_covers(self) -> None:
        state = self.desk.state
        for each in state.gates():
            standing = gate_standing(state, each, self.desk.now)
            if standing.covers:
                assert each.status is GateStatus.APPROVED and standing.decision is not None
                assert standing.decision.by.startswith("human:")
            assert str(DecisionScope.parse(each.scope)) == each.scope

    @invariant()
    def open_titles_of_commands_do_not_repeat_needlessly(self) -> None:
        for each in self.desk.state.todos():
            assert each.title == each.title.strip() and "\n" not in each.title
            assert each.priority in set(Priority)


TestKernel = Kernel.TestCase
TestKernel.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
