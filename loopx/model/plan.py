"""A Plan: the steps of one run of a Todo, as a person or a planner wrote them. What became of them stands elsewhere."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import Merge, human, machine
from loopx.model.forms import GoalId, Line, Rev, RunId, StepId, Text, TodoId
from loopx.model.kind import Kind
from loopx.model.step import RecoveryStrategy, Resumption, SkipPolicy, StepEffect


class ActorKind(StrEnum):
    """Who carries a step out."""

    COMMAND = "command"
    AGENT = "agent"
    """A host command configured in the workspace, with the prompt on its standard input."""
    HUMAN = "human"
    PYTHON = "python"
    """A callable registered with the engine."""


class JudgeKind(StrEnum):
    """How an output is judged."""

    EXIT_CODE = "exit_code"
    CONTAINS = "contains"
    REGEX = "regex"
    JSON_SCHEMA = "json_schema"
    COMMAND = "command"
    PYTHON = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a step does."""

    actor: ActorKind = human("command, agent, human or python", default=ActorKind.COMMAND)
    argv: tuple[Text, ...] = human("program and arguments; no shell; {tool} and {model} are put in", default=())
    prompt: str | None = human("agent: what it is told on its standard input", default=None)
    callable: Line | None = human("python: the registered name", default=None)
    question: Line | None = human("human: what the person is asked to do", default=None)
    folder: Line | None = human("working folder, below the project", default=None)
    environment: tuple[Line, ...] = human("NAME=VALUE pairs added to the environment", default=())
    timeout_seconds: int = human("time limit in seconds", default=600)
    recover: Resumption = human("what to do when its outcome is unknown: repeat, probe or ask", default=Resumption.ASK)
    probe: tuple[Text, ...] | None = human(
        "a command that reads the outcome back: 0 it happened, 1 it did not", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """One judgement on a step's output. Several must all pass."""

    kind: JudgeKind = human("exit_code, contains, regex, json_schema, command or python")
    value: str | None = human("the text, pattern, schema (JSON) or registered name it compares with", default=None)
    exit_code: int = human("exit_code: the status that passes", default=0)
    argv: tuple[Text, ...] = human("command: program and arguments; the output is on its standard input", default=())
    timeout_seconds: int = human("command: time limit in seconds", default=600)
    clean_checkout: bool = human("verify: run it on the artifact snapshot, laid out afresh", default=False)
    carry: tuple[Line, ...] = human("clean_checkout: ignored paths it needs there too", default=(), merge=Merge.SET)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One step as it is meant. Its status is nowhere in this file: nobody sets a verdict with an editor."""

    id: StepId = human("its name within the run")
    title: Line = human("what it is for")
    action: Action = human("what it does")
    depends_on: tuple[StepId, ...] = human("steps that must be complete first", default=(), merge=Merge.SET)
    write_scopes: tuple[Line, ...] = human("path patterns it may write, within the Todo's", default=())
    effects: tuple[StepEffect, ...] = human("read, write, send, publish, manage", default=(StepEffect.WRITE,))
    requires: tuple[Line, ...] = human("decision scopes an approved Gate must cover", default=())
    optional: bool = human("whether the run may end without it", default=False)
    critical: bool = human("whether abstaining is ruled out while it is open", default=False)
    irreversible: bool = human("whether it is never done again without a person", default=False)
    tool: Line | None = human("a tool named in workspace.yaml", default=None)
    model: Line | None = human("a model named in workspace.yaml", default=None)
    evaluate: tuple[Judge, ...] = human("judgements on its output; none: exit status 0", default=())
    verify: tuple[Judge, ...] = human("independent judgements", default=())
    skip: SkipPolicy | None = human("what skipping it does to progress; by optional when absent", default=None)
    cost: float = human("what one execution is expected to cost", default=0.0)
    version: int = machine("rises when a replan rewrites it", default=1)
    lineage: StepId | None = machine("the step it descends from; itself when absent", default=None)
    replaces: StepId | None = machine("the step it replaces", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Limits of a run. Absent means none; 0 means none at all may be used."""

    steps: int | None = human("executions of steps", default=None)
    seconds: float | None = human("time from its start", default=None)
    cost: float | None = human("summed cost of executions", default=None)
    tokens: int | None = human("summed tokens of executions", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a run goes about it."""

    enable_specification: bool = human("whether the plan is specified first", default=False)
    enable_observation: bool = human("whether an observer looks after each step", default=False)
    enable_evaluation: bool = human("whether outputs are evaluated", default=True)
    enable_verification: bool = human("whether steps are verified independently", default=True)
    enable_recovery: bool = human("whether failures are recovered from", default=True)
    max_retry_attempts: int = human("executions again of one lineage; 3 means four in all", default=3)
    max_attempts_per_failure: int = human("recoveries tried for one failure", default=8)
    max_replans: int = human("replans of one lineage", default=2)
    max_recoveries: int = human("recoveries of the whole run", default=100)
    backoff_base: float = human("seconds of the first back-off", default=1.0)
    backoff_cap: float = human("seconds no back-off exceeds", default=300.0)
    ladder: tuple[RecoveryStrategy, ...] = human("strategies in order, instead of the default ladder", default=())
    allow_partial: bool = human("whether scope may be reduced", default=False)
    allow_abstain: bool = human("whether the run may stop without completing", default=False)
    human_deadline_hours: int | None = human(
        "when an unanswered question aborts the run; never when absent", default=None
    )
    parallel: int = human("steps at once, where their write scopes do not overlap", default=1)
    budgets: Budgets = human("limits", factory=Budgets)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducedScope:
    """What was given up, and why."""

    original_objective: Line = machine("the objective as it was")
    dropped: tuple[StepId, ...] = machine("steps given up", default=())
    reason: Line = machine("why")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDocument:
    """``plans/<todo>/<run>/plan.yaml``: what is to be done. Yours to edit between attempts."""

    KIND: ClassVar[Kind] = Kind.PLAN

    run: RunId = machine("the run it belongs to; equals its folder's name")
    todo: TodoId = machine("the Todo it carries out; equals its folder's name")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    version: int = machine("rises by one with each replan", default=1)
    objective: Line = human("what the steps are to reach")
    steps: tuple[PlanStep, ...] = human("the steps, in order", merge=Merge.KEYED, guard=True)
    settings: RunSettings = human("how the run goes about it", factory=RunSettings, guard=True)
    scope: ReducedScope | None = machine("what a reduction of scope gave up", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})

    @property
    def id(self) -> str:
        return self.run

    def step(self, identity: str) -> PlanStep | None:
        """The step of that id."""
        return next((each for each in self.steps if each.id == identity), None)
