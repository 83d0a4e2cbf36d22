"""Filling the facts that pages and terminal views show, from the state and its verdicts.

*Brief* asks counts and the first few items; its cost does not grow with the number of Todos that nothing entangles.
*Full* looks at every document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from loopx.kernel.claims import holder
from loopx.kernel.standing import GateBook, gate_standing
from loopx.kernel.state import State, is_entangled
from loopx.kernel.uncertainty import EffectBook
from loopx.kernel.verdicts import HOPELESS, Verdict, verdict
from loopx.model.actor import Origin
from loopx.model.effect import EffectStatus
from loopx.model.gate import Gate, GateStatus
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.times import parse_instant
from loopx.model.todo import Todo, TodoClass, TodoStatus
from loopx.projections.facts import GoalFacts, Item, ItemKind, Lane, ProblemFacts, Survey, TimelineEntry
from loopx.workspace import edits
from loopx.workspace.history import log
from loopx.workspace.reports import LogEntry
from loopx.workspace.results import EditState, PendingEdit, View

if TYPE_CHECKING:
    from loopx.kernel.obligations.record import Obligation
    from loopx.store.cache import Cache

BRIEF = 7
"""Items of each section in a brief survey."""
_FULL = 200
"""Items of each overview section in a full one; its Goal pages list everything."""
_RECENT = 20


def survey(cache: Cache, view: View, *, full: bool) -> Survey:
    """The facts of ``view``; ``cache`` stands for the same revision and knows the edits that wait."""
    return Surveyor(cache, view, full).make()


def survey_for_pages(cache: Cache, view: View, owed: Sequence[Obligation] = ()) -> Survey:
    """The facts of ``view`` with everything about the work on each Goal. ``owed`` are obligations of no Goal."""
    from loopx.workspace.survey_work import obligation_facts

    found = Surveyor(cache, view, full=True, with_work=True).make()
    of_goals = (each for goal in found.goals if goal.work is not None for each in goal.work.obligations)
    return replace(found, obligations=(*map(obligation_facts, owed), *of_goals))


def timeline(cache: Cache, limit: int) -> list[TimelineEntry]:
    """The newest commits of the audit trail."""
    return [told(each) for each in log(cache, limit=limit)]


class Surveyor:
    """Makes one survey. Gates and effects are looked up once for all verdicts."""

    def __init__(
        self,
        cache: Cache,
        view: View,
        full: bool,
        *,
        with_work: bool = False,
        only: Collection[str] | None = None,
    ) -> None:
        """``only`` are the Goals that will be asked for, where not all are."""
        self.cache = cache
        self.with_work = with_work
        self.view = view
        self.state: State = view.state.looked_up_once()
        """Every verdict asks for its Goal, and there are few Goals."""
        self.full = full
        self.gates = GateBook(view.state, view.at)
        self.effects = EffectBook(view.state)
        self.only = only
        self.places = cache.places(only) if full else None
        self.goals = {each.id: each for each in self.state.goals()}
        kept_back = self._kept_back()
        self.plain = Counter(self.state.plain_open()) - Counter(todo.goal for todo, _ in kept_back)
        self.entangled = [*((todo, self.judged(todo)) for todo in self.state.entangled()), *kept_back]
        self.edits = [] if view.is_past else edits.pending(cache)
        self.truncated: dict[str, int] = {}
        self._limit = _FULL if full else BRIEF

    def make(self) -> Survey:
        config = self.state.config()
        row = self.cache.commit_at(self.view.revision) if self.view.revision else None
        tally = self.state.tally()
        counts = {goal: self._lanes(goal, tally.get(goal, {}), self.plain[goal]) for goal in self.goals}
        goals = tuple(self._goals(counts))
        return Survey(
            title=config.title if config else "",
            revision=self.view.revision,
            revision_at=parse_instant(row.at) if row is not None else None,
            as_of=self.view.at,
            is_full=self.full,
            goals=goals,
            needs_you=self._some("needs_you", self._needs_you(goals)),
            running=self._some("running", self._running()),
            frontier=self._frontier(sum(each[Lane.RUNNABLE] for each in counts.values())),
            waiting=self._some("waiting", self._waiting()),
            blocked=self._some("blocked", self._blocked()),
            recent=() if self.view.is_past else tuple(told(each) for each in log(self.cache, limit=_RECENT)),
            problems=self._some("problems", self._problems()),
            unreadable=len(self.unreadable()),
            counts=_summed(counts.values()),
            truncated=self.truncated,
        )

    def goal(self, identity: str) -> GoalFacts | None:
        """The facts of one Goal alone, the same as :meth:`make` gives; ``None`` when there is no such Goal."""
        from loopx.workspace.survey_goals import goal_facts, last_touched

        goal = self.goals.get(identity)
        if goal is None:
            return None
        counts = self._lanes(identity, self.state.tally().get(identity, {}), self.plain[identity])
        return goal_facts(self, goal, counts, last_touched(self.cache, [identity]).get(identity))

    def judged(self, todo: Todo) -> Verdict:
        """Whether ``todo`` may run, for nobody in particular."""
        return verdict(self.state, todo, None, self.view.at, self.gates, self.effects)

    def holder(self, todo: Todo) -> str:
        """Who holds ``todo`` by a claim that has not lapsed; of a closed one, whoever had it."""
        if todo.claimed_by is None or todo.status.is_closed:
            return todo.claimed_by or ""
        return holder(self.state, todo, self.view.at) or ""

    def unreadable(self, goal: str | None = None) -> set[str]:
        """Files that cannot be read, in the last accepted version or as they now are: unknown, never none."""
        folder = "" if goal is None else f"goals/{goal}/"
        typed = {each.path for each in self.edits if each.state is EditState.UNREADABLE}
        return {path for path in typed if path.startswith(folder)} | set(self.state.unreadable(goal))

    def _kept_back(self) -> list[tuple[Todo, Verdict]]:
        """Open Todos that nothing in them entangles, and that stand still for an effect nobody knows the outcome of."""
        goals = dict.fromkeys(each.goal for each in self.state.effects(statuses=[EffectStatus.UNKNOWN]))
        plain = (todo for goal in goals for todo in self.state.todos(goal, [TodoStatus.OPEN]) if not is_entangled(todo))
        return [
            (todo, found)
            for todo in plain
            if self.effects.keeping(todo) and not (found := self.judged(todo)).is_runnable
        ]

    # sections --------------------------------------------------------------------------------

    def _some(self, section: str, items: Iterator[Any]) -> tuple[Any, ...]:
        """The first items; how many more there are is noted."""
        found = tuple(islice(items, self._limit))
        more = sum(1 for _ in items)
        if more:
            self.truncated[section] = more
        return found

    def _needs_you(self, goals: Sequence[GoalFacts]) -> Iterator[Item]:
        told: set[str] = set()
        for each in self._known_needs():
            told.add(each.id)
            yield each
        for goal in goals:
            yield from questions(goal, told)

    def _known_needs(self) -> Iterator[Item]:
        for gate in self.state.gates(statuses=[GateStatus.OPEN, GateStatus.APPROVED]):
            if gate_standing(self.state, gate, self.view.at).status is GateStatus.OPEN:
                yield self._gate_item(gate)
        for todo, _ in self.entangled:
            if todo.todo_class is TodoClass.USER_ACTION and self._is_active(todo):
                yield self._item(todo, next_step=f"loopx todo done {todo.id}")
        yield from self._stuck()
        for edit in self.edits:
            if edit.state is not EditState.SETTLING and edit.problems:
                yield _edit_item(edit)

    def _stuck(self) -> Iterator[Item]:
        """Work that waits for what never comes: somebody has to change what it waits for."""
        deferred = self.state.todos(statuses=[TodoStatus.DEFERRED])
        judged = (*self.entangled, *((todo, self.judged(todo)) for todo in deferred))
        for todo, found in judged:
            why = tuple(reason.message for reason in found.reasons if reason.code in HOPELESS)
            if why and self._is_active(todo):
                yield self._item(todo, why=why, next_step=f"loopx todo edit {todo.id}")

    def _running(self) -> Iterator[Item]:
        return (self._item(todo) for todo, _ in self.entangled if self.holder(todo) and self._is_active(todo))

    def _frontier(self, runnable: int) -> tuple[Item, ...]:
        found: list[Item] = []
        asked = self._limit * 2
        while True:
            offered = self.state.frontier(limit=asked)
            ready = (todo for todo in offered if not self.holder(todo) and self.judged(todo).is_runnable)
            found = [self._item(todo, next_step=f"loopx todo claim {todo.id}") for todo in islice(ready, self._limit)]
            if len(found) >= min(self._limit, runnable) or len(offered) < asked:
                break
            asked *= 4
        claimed = sum(1 for todo, judged in self.entangled if self.holder(todo) and judged.is_runnable)
        self._note_more("frontier", runnable - claimed - len(found))
        return tuple(found)

    def _waiting(self) -> Iterator[Item]:
        for todo, judged in self.entangled:
            if not judged.is_runnable and todo.todo_class is not TodoClass.USER_ACTION and self._is_active(todo):
                yield self._item(todo, why=tuple(reason.message for reason in judged.reasons))
        for todo in self.state.todos(statuses=[TodoStatus.DEFERRED]):
            yield self._item(todo, why=tuple(reason.message for reason in self.judged(todo).reasons))

    def _blocked(self) -> Iterator[Item]:
        for todo in self.state.todos(statuses=[TodoStatus.BLOCKED]):
            yield self._item(
                todo, why=(todo.reason or "no reason was given",), next_step=f"loopx todo resume {todo.id}"
            )

    def _problems(self) -> Iterator[ProblemFacts]:
        for edit in self.edits:
            for each in edit.problems:
                place = each.place
                yield ProblemFacts(
                    code=each.code,
                    path=place.path if place else edit.path,
                    line=place.line if place else None,
                    column=place.column if place else None,
                    message=each.message,
                    hint=each.hint,
                    state=edit.state.value,
                )

    def _note_more(self, section: str, more: int) -> None:
        if more > 0:
            self.truncated[section] = more

    def _is_active(self, todo: Todo) -> bool:
        goal = self.goals.get(todo.goal)
        return goal is not None and goal.status is GoalStatus.ACTIVE

    def _item(self, todo: Todo, *, why: tuple[str, ...] = (), next_step: str = "") -> Item:
        return Item(
            kind=ItemKind.TODO,
            id=todo.id,
            title=todo.title,
            goal=todo.goal,
            path=self.path_of(Kind.TODO, todo.id, todo.goal),
            priority=todo.priority,
            who=self.holder(todo),
            why=why,
            since=todo.created_at,
            next_step=next_step,
        )

    def _gate_item(self, gate: Gate) -> Item:
        return Item(
            kind=ItemKind.GATE,
            id=gate.id,
            title=gate.question,
            goal=gate.goal,
            path=self.path_of(Kind.GATE, gate.id, gate.goal),
            who=gate.asked_by or "",
            why=(f"an approval covers {gate.scope}",),
            options=gate.options,
            since=gate.created_at,
            due=gate.deadline,
            is_overdue=gate_standing(self.state, gate, self.view.at).is_overdue,
            next_step=f"loopx gate show {gate.id}",
        )

    def path_of(self, kind: Kind, identity: str, goal: str = "") -> str:
        """Where a document lies now. ``goal`` is its Goal where the id is unique within one only."""
        if self.places is not None and goal and (self.only is None or goal in self.only):
            return self.places.get((kind.value, goal, identity), "")
        row = self.cache.entity(kind.value, identity, goal)
        return row.path if row is not None else ""

    # counts and Goals --------------------------------------------------------------------------

    def _lanes(self, goal: str, tally: Mapping[TodoStatus, int], plain: int) -> dict[str, int]:
        """Todos of one Goal by lane; also how many of the closed ones were superseded or cancelled."""
        runnable = 0
        if self.goals[goal].status is GoalStatus.ACTIVE:
            runnable = plain + sum(1 for todo, each in self.entangled if todo.goal == goal and each.is_runnable)
        closed = [tally.get(each, 0) for each in TodoStatus if each.is_closed]
        return {
            Lane.RUNNABLE: runnable,
            Lane.WAITING: tally.get(TodoStatus.OPEN, 0) - runnable,
            Lane.BLOCKED: tally.get(TodoStatus.BLOCKED, 0),
            Lane.DEFERRED: tally.get(TodoStatus.DEFERRED, 0),
            Lane.DONE: sum(closed),
            "superseded": tally.get(TodoStatus.SUPERSEDED, 0),
            "cancelled": tally.get(TodoStatus.CANCELLED, 0),
        }

    def _goals(self, counts: Mapping[str, Mapping[str, int]]) -> Iterator[GoalFacts]:
        from loopx.workspace.survey_goals import goal_facts, last_touched

        touched = last_touched(self.cache, self.goals) if self.full else {}
        for goal in self.goals.values():
            yield goal_facts(self, goal, counts[goal.id], touched.get(goal.id))


def questions(goal: GoalFacts, told: Collection[str]) -> Iterator[Item]:
    """What the decisions for a Goal ask of a person, each question once, but for what names an item told already."""
    asked: set[str] = set()
    for each in goal.work.decisions if goal.work is not None else ():
        if each.question and each.question not in asked and not any(item in each.question for item in told):
            asked.add(each.question)
            yield Item(
                kind=ItemKind.QUESTION,
                id=each.about or goal.id,
                title=each.question,
                goal=goal.id,
                path=goal.path,
                who=f"agent:{each.agent}" if each.agent else "",
                why=(each.message,) if each.message != each.question else (),
            )


def told(each: LogEntry) -> TimelineEntry:
    """A line of the audit trail as pages tell it."""
    noun, _, subject = each.subject.partition(" ")
    return TimelineEntry(
        revision=each.revision,
        at=each.at,
        who=each.actor,
        headline=each.headline,
        command=each.command,
        subject=subject or noun,
        operation=each.operation or "",
        origin=Origin(each.origin),
    )


def _edit_item(edit: PendingEdit) -> Item:
    problem = edit.problems[0]
    return Item(
        kind=ItemKind.EDIT,
        id=edit.path,
        title=problem.message,
        path=edit.path,
        why=(str(problem.place or edit.path), problem.hint),
        since=edit.since,
        next_step="loopx edit list",
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
