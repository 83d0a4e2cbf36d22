"""What the live page shows: facts read from the workspace, with hand edits taken in, once for each state of it.

A view is made of facts that were all read at one revision. The survey is kept until the revision, the edits that wait,
or the time move on.
"""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Problem
from loopx.kernel.plans.finding import find_run
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_gate, find_todo
from loopx.kernel.why import explain
from loopx.model.actor import Actor
from loopx.model.defining import dataclass
from loopx.projections.facts import GoalFacts, Survey, TimelineEntry, TodoFacts
from loopx.projections.live.facts import CommitView, Decided, EditView, GateView, Reason, TodoView
from loopx.projections.live.run_facts import RunLine, RunWhole
from loopx.web.hub import Happening, HappeningKind
from loopx.web.runs import run_lines, run_whole, runs_of
from loopx.workspace.actors import choose_actor
from loopx.workspace.edit_patch import typed_patch
from loopx.workspace.results import EditState, PendingEdit, View
from loopx.workspace.survey import told

if TYPE_CHECKING:
    from loopx.workspace import Workspace

_KEPT_FOR = timedelta(seconds=20)
"""How long verdicts are shown when nothing happens: what only the time changes is then seen."""
_HISTORY = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One state of the workspace as the page shows it."""

    view: View
    survey: Survey
    edits: tuple[PendingEdit, ...]
    runs: tuple[RunLine, ...]
    read_at: datetime


class Showing:
    """Reads what a view needs. Safe to use from several threads."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._guard = threading.Lock()
        self._facts: Facts | None = None

    def hear(self, happening: Happening) -> None:
        """What is due is judged anew next time. Whatever else happens is seen by the revision and the edits, so that
        no state is surveyed twice."""
        if happening.kind is HappeningKind.DUE:
            self._facts = None

    def facts(self) -> Facts:
        """The state now."""
        with self._guard:
            view = self.workspace.read()
            edits = tuple(self.workspace.edits(take_in=False))
            kept = self._facts
            is_same = kept is not None and kept.view.revision == view.revision and kept.edits == edits
            if kept is not None and is_same and view.at - kept.read_at < _KEPT_FOR:
                return kept
            made = Facts(
                view=view,
                survey=self.workspace.whole_survey(view),
                edits=edits,
                runs=run_lines(view.state, view.at),
                read_at=view.at,
            )
            self._facts = made
            return made

    def actor(self) -> Actor:
        """Who answers on this page: whoever the server runs for. Raises ``identity-missing``."""
        return choose_actor(None, self.workspace.environ, self.workspace.people)

    # one thing whole ---------------------------------------------------------------------------

    def goal(self, facts: Facts, identity: str) -> GoalFacts:
        """One Goal; raises ``goal-unknown``."""
        for each in facts.survey.goals:
            if each.id == identity:
                return each
        raise LoopxError("goal-unknown", f"There is no Goal {identity[:60]}.")

    def todo(self, facts: Facts, typed: str, at: str) -> TodoView:
        """One Todo; with ``at``, what that commit changed of it. Raises ``todo-unknown`` and kin."""
        found = find_todo(facts.view.state, typed)
        if isinstance(found, Refused):
            raise LoopxError.of(found.problem)
        goal = self.goal(facts, found.goal)
        every = {each.id: each for each in facts.survey.todos()}
        todo = every[found.id]
        told_why = explain(facts.view.state, found.id, facts.view.at)
        reasons = () if isinstance(told_why, Refused) else told_why.lines
        runs, older = runs_of(facts.view.state, found.id, facts.view.at)
        return TodoView(
            todo=todo,
            goal=goal,
            needs=_named(every, todo.depends_on),
            unblocks=[each for each in every.values() if todo.id in each.depends_on],
            validation=" ".join(found.validation.argv) if found.validation is not None else "",
            why=[Reason(rule=each.rule, verdict=each.verdict, message=each.message) for each in reasons],
            summary="" if isinstance(told_why, Refused) else told_why.summary,
            history=self.history(found.id),
            runs=runs,
            older_runs=older,
            at=at,
            patch=self._patch(at, found.id) if at else "",
        )

    def run(self, facts: Facts, typed: str) -> RunWhole:
        """One run, by its id or by that of its Todo. Raises ``run-unknown`` and kin."""
        found = find_run(facts.view.state, typed)
        if isinstance(found, Refused):
            raise LoopxError.of(found.problem)
        return run_whole(facts.view.state, found, facts.view.at)

    def gate(self, facts: Facts, typed: str) -> GateView:
        """One Gate with every answer. Raises ``gate-unknown`` and kin."""
        found = find_gate(facts.view.state, typed)
        if isinstance(found, Refused):
            raise LoopxError.of(found.problem)
        goal = self.goal(facts, found.goal)
        shown = next(each for each in goal.gates if each.id == found.id)
        log = facts.view.state.decisions(found.id)
        every = {each.id: each for each in goal.todos}
        return GateView(
            gate=shown,
            goal=goal,
            body=found.body,
            decisions=[
                Decided(
                    status=each.status.value,
                    at=each.at,
                    by=str(each.by),
                    reason=each.reason,
                    option=each.option or "",
                    channel=each.channel.value,
                    is_undone=each.rolled_back_at is not None,
                )
                for each in reversed(log.entries if log is not None else ())
            ],
            covered=_named(every, shown.covers),
            history=self.history(found.id),
        )

    def edits(self, facts: Facts) -> list[EditView]:
        """Every edit that was not taken in, but for files saved a moment ago."""
        waiting = (each for each in facts.edits if each.state is not EditState.SETTLING and each.problems)
        return [_edit_view(each) for each in waiting]

    def edit(self, facts: Facts, path: str) -> EditView:
        """One edit with what was typed. Raises ``edit-unknown``."""
        for each in facts.edits:
            if each.path == path:
                return _edit_view(each, typed_patch(self.workspace, path))
        raise LoopxError("edit-unknown", f"{path[:120]} holds no edit that waits")

    def commit(self, revision: str) -> CommitView:
        """One commit. Raises ``revision-unknown``."""
        found = self.workspace.show(revision)
        return CommitView(
            entry=told(found.entry),
            message=found.message,
            patch=found.patch,
            operation=found.entry.operation or "",
            paths=found.entry.paths,
        )

    def history(self, identity: str = "", limit: int = _HISTORY) -> list[TimelineEntry]:
        """The audit trail, newest first, of one document or of everything."""
        return [told(each) for each in self.workspace.log(id=identity or None, limit=limit)]

    def _patch(self, revision: str, identity: str) -> str:
        return self.workspace.show(revision, (identity,)).patch


def _named(every: dict[str, TodoFacts], ids: tuple[str, ...]) -> list[TodoFacts]:
    return [every[each] for each in ids if each in every]


def _edit_view(each: PendingEdit, patch: str = "") -> EditView:
    problems: tuple[Problem, ...] = each.problems
    return EditView(path=each.path, state=each.state.value, problems=problems, patch=patch, since=each.since)
