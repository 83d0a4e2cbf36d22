"""One small workspace in which everything happens once, and the same with hostile texts in every place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from loopx.model.actor import Origin
from loopx.model.gate import GateStatus
from loopx.model.records import CriterionStatus
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.projections.facts import (
    CriterionFacts,
    EvidenceFacts,
    GateFacts,
    Item,
    ItemKind,
    ProblemFacts,
    Survey,
    VisionFacts,
)
from tests.unit.projections.surveys import NOW, entry, goal, item, survey, todo

HOSTILE = (
    "<img src=x onerror=\"document.body.dataset.pwned='1'\">",
    "</script><script>document.title='pwned'</script>",
    "a | b | c",
    "**bold** _it_ `code` [link](javascript:alert(1)) <b>",
    "# heading",
    "- list",
    "1. first",
    "```",
    '"quoted" & &lt; &#124; %%{init: {"theme": "dark"}}%%',
    "نص عربي \u202e gnp.exe",
    "编写离线阅读器的使用指南，包括安装与升级",
    "👩‍👩‍👧‍👦🚀 launch",
    "x" * 500,
    "line\u2028separator\x85and\x0bmore\r\nlines",
    "half \ud83d\ude00 pair \ud800",
    "{{ 7 * 7 }} {% raw %}",
    "https://example.invalid/?q=<script> www.example.invalid me@example.invalid",
    "--> ]]> <!-- -->",
    "\\",
)
"""Titles that break careless pages."""


SYNC = todo(
    1,
    "Decide how two devices agree on the last page read",
    priority=Priority.P0,
    claimed_by="coder-1",
    tags=("sync",),
    body="Compare *last writer wins* with a vector clock.\n\n- [notes](../notes.md)\n",
)
GUIDE = todo(2, "Write the guide for reading on a plane", priority=Priority.P1, tags=("docs", "offline"))
STORE = todo(
    3,
    "Keep the last fifty articles on the device",
    priority=Priority.P1,
    depends_on=(SYNC.id,),
    reasons=("waits for t-k0000001 “Decide how two devices agree on the last page read”",),
)
PUBLISH = todo(
    4,
    "Publish the beta to the mailing list",
    priority=Priority.P1,
    depends_on=(STORE.id, GUIDE.id),
    requires=("public_claim:goal:beta",),
    reasons=("waits for t-k0000003", "needs an approved Gate for public_claim:goal:beta"),
)
FONTS = todo(
    5,
    "Ship fonts for Chinese and Arabic",
    status=TodoStatus.BLOCKED,
    priority=Priority.P2,
    reasons=("the licence of the Arabic font is not settled",),
)
PRINT = todo(
    6, "Print an article", status=TodoStatus.DEFERRED, priority=Priority.P4, reasons=("until 2026-04-01 09:00 UTC",)
)
DONE = todo(
    7,
    "Measure how long articles are",
    status=TodoStatus.DONE,
    completed_at=NOW - timedelta(hours=3),
    completed_by="agent:coder-1",
    validated=True,
)
DROPPED = todo(
    8,
    "Support RSS 0.91",
    status=TodoStatus.CANCELLED,
    completed_at=NOW - timedelta(days=2),
    completed_by="human:Ada Lovelace",
)
WATCH = todo(
    9,
    "Watch the crash rate of the beta",
    goal="beta",
    todo_class=TodoClass.MONITOR,
    priority=Priority.P2,
    depends_on=(PUBLISH.id,),
    reasons=("waits for t-k0000004",),
)
MAIL = todo(10, "Answer the first testers", goal="beta", todo_class=TodoClass.USER_ACTION, priority=Priority.P1)

GATE = GateFacts(
    id="g-k0000001",
    goal="reader",
    scope="public_claim:goal:beta",
    question="May we announce the beta in public?",
    path="goals/reader/gates/g-k0000001-may-we.md",
    options=("announce", "invite only"),
    asked_by="agent:coder-1",
    deadline=NOW + timedelta(days=3),
    covers=(PUBLISH.id,),
)
SETTLED = GateFacts(
    id="g-k0000002",
    goal="reader",
    scope="write_scope:goal:store",
    question="May the store be rewritten?",
    path="goals/reader/gates/g-k0000002-may-the.md",
    status=GateStatus.APPROVED,
    decided_by="human:Ada Lovelace",
    decided_at=NOW - timedelta(days=1),
    reason="the old one loses articles",
    option="rewrite",
    covers=(STORE.id,),
)
PROOF = EvidenceFacts(
    id="e-k0000001",
    kind="validation",
    result="passed",
    summary="412 articles read",
    source="loopx:validation",
    observed_at=NOW - timedelta(hours=3),
    path="goals/reader/evidence/2026-03-02/e-k0000001.yaml",
)
CRITERIA = (
    CriterionFacts(
        id="a1",
        text="An article opened once opens again without a network",
        evidence=(PROOF,),
        status=CriterionStatus.MET,
        by="human:Ada Lovelace",
        at=NOW - timedelta(hours=2),
    ),
    CriterionFacts(id="a2", text="Two devices agree on the last page read within a minute"),
)
VISION = VisionFacts(
    agent="coder-1",
    summary="Store first, then sync, then the guide.",
    acceptance="The plane test passes.",
    path="goals/reader/visions/coder-1.md",
)
READER = goal(
    "reader",
    "Read articles without a network",
    (SYNC, GUIDE, STORE, PUBLISH, FONTS, PRINT, DONE, DROPPED),
    objective="People read on **planes**.\n\nSee [the survey](survey.md) and <https://example.invalid/>.\n",
    criteria=CRITERIA,
    gates=(GATE, SETTLED),
    visions=(VISION,),
)
BETA = goal("beta", "Run a beta with thirty people", (WATCH, MAIL), unreadable=1)

TIMELINE = (
    entry(1, 'gate: open g-k0000001 "May we announce the beta in public?"', who="agent:coder-1"),
    entry(2, 'goal: meet reader "Read articles without a network"'),
    entry(3, 'todo: done t-k0000007 "Measure how long articles are"', who="agent:coder-1"),
    entry(20, 'todo: edit t-k0000002 "Write the guide for reading on a plane"', origin=Origin.HAND),
    entry(60, 'todo: cancel t-k0000008 "Support RSS 0.91"'),
    entry(61, "Merge branch 'main' of elsewhere", origin=Origin.FOREIGN, who="Ada Lovelace", operation=""),
)
PROBLEM = ProblemFacts(
    code="document-syntax",
    path="goals/beta/todos/t-broken.md",
    line=3,
    column=8,
    state="unreadable",
    message="A value that holds a colon must be quoted.",
    hint="Put the title in double quotes.",
)
SMALL = survey(
    READER,
    BETA,
    needs_you=(
        Item(
            kind=ItemKind.GATE,
            id=GATE.id,
            title=GATE.question,
            goal="reader",
            path=GATE.path,
            who=GATE.asked_by,
            options=GATE.options,
            due=GATE.deadline,
            next_step="loopx gate approve g-k0000001 --reason …",
        ),
        item(MAIL, next_step="loopx todo done t-k0000010"),
    ),
    running=(item(SYNC, since=NOW - timedelta(hours=5)),),
    frontier=(item(GUIDE), item(MAIL)),
    waiting=(item(STORE), item(PUBLISH), item(WATCH)),
    blocked=(item(FONTS),),
    recent=TIMELINE[:3],
    problems=(PROBLEM,),
    unreadable=1,
)
"""Two Goals in which everything happens once."""


def hostile(title: str) -> Survey:
    """:data:`SMALL` with every text a person can type replaced by ``title``."""
    todos = tuple(
        replace(each, title=title, reasons=tuple(title for _ in each.reasons), tags=(title,), body=title)
        for each in READER.todos
    )
    own = replace(
        READER,
        title=title,
        objective=title,
        todos=todos,
        reason=title,
        criteria=tuple(replace(each, text=title, note=title) for each in CRITERIA),
        gates=tuple(replace(each, question=title, options=(title,), reason=title) for each in READER.gates),
        visions=(replace(VISION, summary=title),),
    )
    return replace(
        SMALL,
        title=title,
        goals=(own, BETA),
        needs_you=tuple(replace(each, title=title, why=(title,), options=(title,)) for each in SMALL.needs_you),
        running=tuple(replace(each, title=title, who=f"human:{title}") for each in SMALL.running),
        waiting=tuple(replace(each, title=title, why=(title, title)) for each in SMALL.waiting),
        problems=(replace(PROBLEM, message=title, hint=title, path=f"goals/beta/todos/{title}.md"),),
    )
