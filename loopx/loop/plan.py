"""The plan of a run in memory: its steps in order, who waits for whom, and how far it is — all kept up move by move, so
that no question costs more with more steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush

from loopx.loop.step import Step
from loopx.model.plan import ReducedScope
from loopx.model.step import SkipPolicy, StepStatus

_DEAD = frozenset({StepStatus.FAILED, StepStatus.CANCELLED})
_NOT_BEGUN = frozenset({StepStatus.PENDING, StepStatus.BLOCKED, StepStatus.READY})
_TERMINAL = frozenset(each for each in StepStatus if each.is_terminal)


class Plan:
    """Steps in order. ``version`` rises by one with each replan; replaced steps are kept in ``archived``.

    A working copy (:meth:`draft`) shares everything with what it was made from until it changes it, so that making one
    costs the same in a plan of ten steps and of ten thousand.
    """

    def __init__(self, objective: str, steps: Iterable[Step], version: int = 1) -> None:
        self.objective = objective
        self.version = version
        self.scope: ReducedScope | None = None
        self.archived: dict[str, Step] = {}
        """Replaced steps, oldest first. Never changed in place: a draft may share it."""
        self.touched: set[str] = set()
        """Steps whose dependencies changed since the scheduler last looked."""
        self._own: dict[str, Step] | None = None
        """In a working copy: the steps it copied or brought in; the others are the original's own objects."""
        self._has_own_shape = self._has_own_waits = True
        self._lay_out(list(steps))

    # looking -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, identity: str) -> bool:
        return identity in self._steps

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the steps in order, archived ones left out."""
        return tuple(self._order)

    @property
    def steps(self) -> Iterator[Step]:
        """The steps in order, to be changed. To look only, :meth:`peek` is cheaper in a working copy."""
        return (self.step(each) for each in self._order)

    def step(self, identity: str) -> Step:
        """The step of that id, to be changed; archived ones included. Raises :class:`KeyError`."""
        found = self._steps.get(identity)
        if found is None:
            return self.archived[identity]
        if self._own is None:
            return found
        own = self._own.get(identity)
        if own is None:
            own = self._own[identity] = found.copied()
        return own

    def peek(self, identity: str) -> Step:
        """The step of that id, to be looked at and left as it is; archived ones included."""
        found = self._own.get(identity) if self._own else None
        return found or self._steps.get(identity) or self.archived[identity]

    def status(self, identity: str) -> StepStatus:
        """Where a step is."""
        return self.peek(identity)._status

    def position(self, identity: str) -> int:
        return self._position[identity]

    def dependents(self, identity: str) -> tuple[str, ...]:
        """Ids of the steps that wait for ``identity``."""
        return tuple(self._dependents.get(identity, ()))

    def current(self, lineage: str) -> Step | None:
        """The step that carries a lineage on now, to be changed; ``None`` when nothing does."""
        found = self._by_lineage.get(lineage)
        return None if found is None else self.step(found)

    def current_id(self, lineage: str) -> str | None:
        """The id of the step that carries a lineage on now."""
        return self._by_lineage.get(lineage)

    def in_status(self, *statuses: StepStatus) -> list[str]:
        """Ids of the steps in one of ``statuses``, in order. Looks at all steps unless there is none such."""
        if not any(self._counts[each] for each in statuses):
            return []
        return [each for each in self._order if self.peek(each)._status in statuses]

    def count(self, status: StepStatus) -> int:
        """How many steps are in ``status``."""
        return self._counts[status]

    def get_progress(self) -> float:
        """Steps that count as complete by steps that count; 0.0 for an empty plan."""
        counting = len(self._order) - self._excluded
        return self._complete / counting if counting else 0.0

    def is_complete(self) -> bool:
        """Whether every step that counts is complete. An empty plan, or one of skipped steps alone, never is."""
        counting = len(self._order) - self._excluded
        return counting > 0 and self._complete == counting

    # following moves -----------------------------------------------------------------------------

    def moved(self, step: Step, before: StepStatus) -> None:
        """Keep count of a move that was made; called by the lifecycle alone."""
        if step.id not in self._steps:
            return  # an archived step is outside the plan
        after = step._status
        self._counts[before] -= 1
        self._counts[after] += 1
        if after is StepStatus.READY:
            self._queue(step.id)
        elif after in _TERMINAL:
            self._end(step, after)
        elif after is StepStatus.PENDING or after is StepStatus.BLOCKED:
            self.touched.add(step.id)

    def standing(self, step: Step) -> StepStatus:
        """What its dependencies make of a step that has not begun: READY, PENDING or BLOCKED."""
        if self._impossible.get(step.id):
            return StepStatus.BLOCKED
        return StepStatus.PENDING if self._unmet.get(step.id) else StepStatus.READY

    def next_ready(self) -> Iterator[str]:
        """Ids of READY steps in order of position; what is taken is no longer offered until it is READY again."""
        while self._ready:
            _, identity = heappop(self._ready)
            self._queued.discard(identity)
            found = self._steps.get(identity)
            if found is not None and found._status is StepStatus.READY:
                yield identity

    def has_ready(self) -> bool:
        """Whether a READY step is on offer: one that was taken and not begun is not, until it is offered again."""
        while self._ready:
            identity = self._ready[0][1]
            found = self._steps.get(identity)
            if found is not None and found._status is StepStatus.READY:
                return True
            heappop(self._ready)
            self._queued.discard(identity)
        return False

    def offer(self, identity: str) -> None:
        """Offer a READY step again that was taken and not begun."""
        self._queue(identity)

    # changing shape ------------------------------------------------------------------------------

    def replace(self, old: str, new: Step) -> None:
        """Put ``new`` where ``old`` stood; dependents wait for the new one. ``old`` is archived as it is."""
        gone = self.step(old)
        for each in self.dependents(old):
            if self.status(each) not in _TERMINAL:
                self._wait_for(self.step(each), old, new.id)
        gone.superseded_by = new.id
        order = [new.id if each == old else each for each in self._order]
        self.archived = {**self.archived, old: gone}
        self._reshape([new if each == new.id else self._any(each) for each in order])

    def rebuild(self, steps: Iterable[Step]) -> None:
        """Take ``steps`` as the new order; steps left out are archived as they are."""
        fresh = list(steps)
        staying = {each.id for each in fresh}
        left = {each: self.step(each) for each in self._order if each not in staying}
        self.archived = {**self.archived, **left}
        self._reshape(fresh)

    def draft(self) -> Plan:
        """A working copy: nothing done to it shows in this plan before :meth:`take`."""
        copy = Plan.__new__(Plan)
        copy.__dict__.update(self.__dict__)
        copy._own, copy._has_own_shape, copy._has_own_waits = {}, False, False
        copy._counts = dict(self._counts)
        copy._ready, copy._queued, copy.touched = [], set(), set()
        return copy

    def take(self, copy: Plan) -> None:
        """Take over everything that was changed in ``copy``, a working copy of this plan."""
        own, queued, touched = copy._own or {}, copy._queued, self.touched | copy.touched
        if copy._has_own_shape:
            self.__dict__.update(copy.__dict__)
        else:
            for name in _FOLLOWED:
                setattr(self, name, getattr(copy, name))
            for each in queued:
                self._queue(each)
        self._steps.update((each, step) for each, step in own.items() if each in self._steps)
        self._own, self._has_own_shape, self._has_own_waits = None, True, True
        self.touched = touched

    # inside --------------------------------------------------------------------------------------

    def _any(self, identity: str) -> Step:
        """A step as it is held now, without copying it for a change."""
        found = self._own.get(identity) if self._own else None
        return found or self._steps[identity]

    def _wait_for(self, waiting: Step, old: str, new: str) -> None:
        names = tuple(new if name == old else name for name in waiting.dependencies)
        waiting.meant = replace(waiting.meant, depends_on=names)

    def _reshape(self, steps: list[Step]) -> None:
        if self._own is not None:
            shared = self._steps
            self._own.update({each.id: each for each in steps if shared.get(each.id) is not each})
        self._has_own_shape = self._has_own_waits = True
        self._lay_out(steps)

    def _lay_out(self, steps: list[Step]) -> None:
        """Work everything out anew that follows from shape and statuses."""
        self._steps: dict[str, Step] = {each.id: each for each in steps}
        self._order = [each.id for each in steps]
        self._position = {each: number for number, each in enumerate(self._order)}
        self._dependents: dict[str, list[str]] = {}
        self._by_lineage: dict[str, str] = {}
        self._counts: dict[StepStatus, int] = dict.fromkeys(StepStatus, 0)
        self._complete = self._excluded = 0
        self._unmet: dict[str, int] = {}
        self._impossible: dict[str, int] = {}
        self._ready: list[tuple[int, str]] = []
        self._queued: set[str] = set()
        self.touched = set()
        for step in steps:
            self._by_lineage[step.lineage] = step.id
            self._counts[step._status] += 1
            self._tally(step, step._status)
            self._look_at_dependencies(step)
            if step._status is StepStatus.READY:
                self._queue(step.id)
            if step._status in _NOT_BEGUN:
                self.touched.add(step.id)

    def _look_at_dependencies(self, step: Step) -> None:
        for name in dict.fromkeys(step.dependencies):
            self._dependents.setdefault(name, []).append(step.id)
            other = self._steps.get(name) or self.archived.get(name)
            if other is None or _is_impossible(other):
                self._impossible[step.id] = self._impossible.get(step.id, 0) + 1
            elif other._status not in _TERMINAL:
                self._unmet[step.id] = self._unmet.get(step.id, 0) + 1

    def _queue(self, identity: str) -> None:
        if identity not in self._queued:
            self._queued.add(identity)
            heappush(self._ready, (self._position[identity], identity))

    def _end(self, step: Step, status: StepStatus) -> None:
        """A step came to its end: progress, and what those who wait for it still wait for."""
        self._tally(step, status)
        dependents = self._dependents.get(step.id)
        if not dependents:
            return
        if not self._has_own_waits:
            self._unmet, self._impossible = dict(self._unmet), dict(self._impossible)
            self._has_own_waits = True
        is_impossible, unmet = _is_impossible(step), self._unmet
        for each in dependents:
            left = unmet[each] = unmet[each] - 1
            if is_impossible:
                self._impossible[each] = self._impossible.get(each, 0) + 1
            if is_impossible or not left:
                self.touched.add(each)

    def _tally(self, step: Step, status: StepStatus) -> None:
        if status is StepStatus.VERIFIED_COMPLETED:
            self._complete += 1
        elif status is StepStatus.SKIPPED:
            policy = step.skip_policy
            self._complete += policy is SkipPolicy.COUNT
            self._excluded += policy is SkipPolicy.EXCLUDE


def _is_impossible(step: Step) -> bool:
    """Whether whoever waits for this step waits in vain."""
    if step._status is StepStatus.SKIPPED:
        return step.skip_policy is not SkipPolicy.COUNT
    return step._status in _DEAD


_FOLLOWED = (
    "objective",
    "version",
    "scope",
    "archived",
    "_counts",
    "_complete",
    "_excluded",
    "_unmet",
    "_impossible",
)
"""What a working copy that kept the shape may have changed."""
