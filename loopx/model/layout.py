"""Where each kind of document lives under ``.loopx/``: path to kind and back.

Paths are relative to ``.loopx/``, with ``/`` between their parts.
"""

from __future__ import annotations

import re
from datetime import datetime

from loopx.model.defining import dataclass
from loopx.model.ids import GOAL_PATTERN, slug
from loopx.model.kind import Kind

WORKSPACE_FILE = "workspace.yaml"
_GOAL = GOAL_PATTERN.strip("^$")
_MONTH = r"\d{4}-\d{2}"
_RUN = r"goals/(?P<goal>[^/]+)/plans/(?P<todo>[^/]+)/(?P<name>[^/]+)"
_FOLDERS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (Kind.GOAL, r"goals/(?P<goal>[^/]+)/goal\.md"),
        (Kind.TODO, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?todos/(?P<name>[^/]+)\.md"),
        (Kind.GATE, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?gates/(?P<name>[^/]+)\.md"),
        (Kind.VISION, r"goals/(?P<goal>[^/]+)/visions/(?P<name>[^/]+)\.md"),
        (Kind.COMPLETION, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?completions/(?P<name>[^/]+)\.yaml"),
        (Kind.DECISION, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?decisions/(?P<name>[^/]+)\.yaml"),
        (Kind.CRITERION, r"goals/(?P<goal>[^/]+)/criteria/(?P<name>[^/]+)\.yaml"),
        (Kind.EVIDENCE, r"goals/(?P<goal>[^/]+)/evidence/\d{4}-\d{2}-\d{2}/(?P<name>[^/]+)\.yaml"),
        (Kind.LEASE, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?leases/(?P<name>[^/]+)\.yaml"),
        (Kind.TURN, r"goals/(?P<goal>[^/]+)/turns/\d{4}-\d{2}-\d{2}/(?P<name>[^/]+)\.yaml"),
        (Kind.MONITOR, rf"goals/(?P<goal>[^/]+)/(?:archive/{_MONTH}/)?monitors/(?P<name>[^/]+)\.yaml"),
        (Kind.EFFECT, r"goals/(?P<goal>[^/]+)/effects/(?P<name>[^/]+)\.yaml"),
        (Kind.HANDOFF, r"goals/(?P<goal>[^/]+)/handoffs/(?P<name>[^/]+)\.yaml"),
        (Kind.PROPOSAL, r"goals/(?P<goal>[^/]+)/proposals/(?P<name>[^/]+)\.md"),
        (Kind.BASELINE, r"goals/(?P<goal>[^/]+)/baselines/(?P<name>[^/]+)\.yaml"),
        (Kind.CLOSURE, r"goals/(?P<goal>[^/]+)/closure\.yaml"),
        (Kind.PLAN, rf"{_RUN}/plan\.yaml"),
        (Kind.RUN, rf"{_RUN}/run\.yaml"),
        (Kind.STEP, rf"{_RUN}/steps/(?P<part>[^/]+)\.yaml"),
        (Kind.TRACE, rf"{_RUN}/trace/(?P<part>\d{{4,6}})\.jsonl"),
    )
)


_RECORD_FOLDERS = {
    Kind.COMPLETION: "completions",
    Kind.DECISION: "decisions",
    Kind.CRITERION: "criteria",
    Kind.EVIDENCE: "evidence",
    Kind.LEASE: "leases",
    Kind.TURN: "turns",
    Kind.MONITOR: "monitors",
    Kind.EFFECT: "effects",
    Kind.HANDOFF: "handoffs",
    Kind.BASELINE: "baselines",
}
_BY_DAY = frozenset({Kind.EVIDENCE, Kind.TURN})


@dataclass(frozen=True, slots=True)
class Location:
    """What a path says about the document in it.

    ``name`` is the file's stem (a Vision's agent, a record's subject); of plans and runs the run's folder, of steps and
    trace segments run and stem with a slash between. ``todo`` is the Todo whose run it is, of these alone.
    """

    kind: Kind
    goal: str
    name: str
    is_archived: bool = False
    todo: str = ""


def locate(path: str) -> Location | None:
    """What kind of document belongs at ``path``; ``None`` when none does."""
    if path == WORKSPACE_FILE:
        return Location(Kind.WORKSPACE, "", "workspace")
    for kind, pattern in _FOLDERS:
        match = pattern.fullmatch(path)
        if match:
            parts = match.groupdict()
            name = parts.get("name") or parts["goal"]
            if "part" in parts:
                name = f"{name}/{parts['part']}"
            return Location(kind, parts["goal"], name, "/archive/" in path, parts.get("todo", ""))
    return None


def goal_folder(goal: str) -> str:
    return f"goals/{goal}"


def goal_path(goal: str) -> str:
    return f"goals/{goal}/goal.md"


def todo_path(goal: str, todo: str, title: str) -> str:
    return f"goals/{goal}/todos/{_named(todo, title)}.md"


def gate_path(goal: str, gate: str, question: str) -> str:
    return f"goals/{goal}/gates/{_named(gate, question)}.md"


def proposal_path(goal: str, proposal: str, title: str) -> str:
    return f"goals/{goal}/proposals/{_named(proposal, title)}.md"


def run_folder(goal: str, todo: str, run: str) -> str:
    return f"goals/{goal}/plans/{todo}/{run}"


def run_path(kind: Kind, goal: str, todo: str, name: str) -> str:
    """The path of a plan, a run, a step's record or a trace segment; ``name`` is its identity."""
    run, _, part = name.partition("/")
    folder = run_folder(goal, todo, run)
    match kind:
        case Kind.STEP:
            return f"{folder}/steps/{part}.yaml"
        case Kind.TRACE:
            return f"{folder}/trace/{part}.jsonl"
        case _:
            return f"{folder}/{kind}.yaml"


def vision_path(goal: str, agent: str) -> str:
    return f"goals/{goal}/visions/{agent}.md"


def record_path(kind: Kind, goal: str, name: str, at: datetime | None = None) -> str:
    """The path of a machine-owned record; evidence and turns go into a folder for their day (``at``)."""
    if kind is Kind.CLOSURE:
        return f"goals/{goal}/closure.yaml"
    folder = _RECORD_FOLDERS[kind]
    if kind in _BY_DAY:
        if at is None:
            raise ValueError(f"{folder} is filed by day")
        return f"goals/{goal}/{folder}/{at:%Y-%m-%d}/{name}.yaml"
    return f"goals/{goal}/{folder}/{name}.yaml"


def archived(path: str, at: datetime) -> str:
    """Where the document at ``path`` (``goals/G/todos/x.md``) goes when it is archived in the month of ``at``."""
    goals, goal, rest = path.split("/", 2)
    return f"{goals}/{goal}/archive/{at:%Y-%m}/{rest}"


def _named(identity: str, title: str) -> str:
    words = slug(title)
    return f"{identity}-{words}" if words else identity


def schema_reference(path: str, kind: Kind) -> str:
    """The editor modeline's schema path for a document at ``path``: relative, into the machine-local copies."""
    return "../" * path.count("/") + f"local/schemas/{kind}.schema.json"


def is_goal_slug(text: str) -> bool:
    return re.fullmatch(_GOAL, text) is not None
