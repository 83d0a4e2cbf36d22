"""One small workspace in which everything happens once, and the same with hostile texts in every place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

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
from loopx.projections.work_facts import (
    DecisionFacts,
    EffectFacts,
    GapFacts,
    HandoffFacts,
    LeaseFacts,
    MonitorFacts,
    ObligationFacts,
    ProposalFacts,
    RunningFacts,
    StepFacts,
    TurnFacts,
    WindowFacts,
    WorkFacts,
)
from tests.unit.projections.surveys import NOW, RUN, entry, goal, item, survey, todo

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
OWED = ObligationFacts(
    id="o-k0000001",
    kind="outcome_floor",
    trigger="surface_only_repeated",
    owner="coder-1",
    message="Three turns in a row moved no criterion.",
    discharged_by="a turn that moves one, or a change of plan",
    goal="reader",
)
DECISION = DecisionFacts(
    agent="coder-1",
    mode="replan",
    reason="surface-only-repeated",
    message="Three turns in a row moved no criterion.",
    action="Change the plan, or show that it works.",
    commands=("loopx turn open --goal reader --obligation o-k0000001", "loopx refresh-state --goal reader …"),
    spending="after a delivery that was validated",
    question="Should the store come before the sync?",
    ended_by="a person answers (operators)",
    about=OWED.id,
    obligations=(OWED.id,),
    trace=(
        StepFacts(rule="5 reconcile", is_match=False, facts=("unknown: 1", "due: 0")),
        StepFacts(rule="6 obligation", is_match=True, facts=("own: 1",)),
    ),
)
REFUSED = DecisionFacts(agent="ghost", mode="refused", reason="agent-unregistered", message="ghost is not known here.")
LEASE = LeaseFacts(
    todo=SYNC.id,
    owner="coder-1",
    epoch=3,
    version=7,
    acquired_at=NOW - timedelta(hours=2),
    renewed_at=NOW - timedelta(minutes=10),
    expires_at=NOW + timedelta(minutes=35),
    write_scopes=("src/sync/**",),
)
OPEN_TURN = TurnFacts(
    id="turn-k0000002",
    agent="coder-1",
    status="open",
    opened_at=NOW - timedelta(minutes=20),
    todo=SYNC.id,
    path="goals/reader/turns/2026-03-02/turn-k0000002.yaml",
)
LAST_TURN = TurnFacts(
    id="turn-k0000001",
    agent="coder-1",
    status="settled",
    opened_at=NOW - timedelta(hours=4),
    todo=DONE.id,
    ended_at=NOW - timedelta(hours=3),
    scale="single_surface",
    outcome="outcome_gap",
    claimed="outcome_progress",
    delta=("todo:done:t-k0000007",),
    checkpoint="vision_checkpoint_missing",
    slots=2,
    next_action="Decide on sync",
    path="goals/reader/turns/2026-03-02/turn-k0000001.yaml",
)
MONITOR = MonitorFacts(
    todo="t-k0000011",
    title="Watch the size of the store",
    target="https://example.invalid/size",
    cadence="6h",
    next_due_at=NOW + timedelta(hours=1),
    expires_at=NOW + timedelta(days=30),
    polls=9,
    unchanged=4,
    last_polled_at=NOW - timedelta(hours=5),
    last_seen="12 MB",
    path="goals/reader/todos/t-k0000011-x.md",
)
EFFECT = EffectFacts(
    id="effect-k0000001",
    summary="Upload the beta to the store",
    status="unknown",
    agent="coder-1",
    todo=PUBLISH.id,
    readback="ask the store for its versions",
    readback_due_at=NOW + timedelta(minutes=5),
    opened_at=NOW - timedelta(minutes=5),
    unconfirmed=("the page shows 1.0-beta",),
    path="goals/reader/effects/effect-k0000001.yaml",
)
HANDOFF = HandoffFacts(
    id="handoff-k0000001",
    sender="agent:coder-1",
    receiver="",
    todos=(GUIDE.id,),
    next_action="Finish the chapter on trains",
    created_at=NOW - timedelta(hours=1),
    path="goals/reader/handoffs/handoff-k0000001.yaml",
)
PROPOSAL = ProposalFacts(
    id="p-k0000001",
    title="Read articles aloud",
    proposed_by="agent:coder-1",
    created_at=NOW - timedelta(days=1),
    path="goals/reader/proposals/p-k0000001-read.md",
)
WORK = WorkFacts(
    decisions=(DECISION, REFUSED),
    obligations=(OWED,),
    leases=(LEASE,),
    turns=(OPEN_TURN, LAST_TURN),
    runs=(RUN,),
    window=WindowFacts(spent=2, limit=100, hours=24),
    gaps=(GapFacts(agent="tester", code="required_vision_missing", message="tester has to keep a Vision."),),
    monitors=(MONITOR,),
    effects=(EFFECT,),
    handoffs=(HANDOFF,),
    proposals=(PROPOSAL,),
)
"""Everything that can be open, once."""
READER = goal(
    "reader",
    "Read articles without a network",
    (SYNC, GUIDE, STORE, PUBLISH, FONTS, PRINT, DONE, DROPPED),
    objective="People read on **planes**.\n\nSee [the survey](survey.md) and <https://example.invalid/>.\n",
    criteria=CRITERIA,
    gates=(GATE, SETTLED),
    visions=(VISION,),
    work=WORK,
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
    obligations=(OWED,),
    unreadable=1,
)
"""Two Goals in which everything happens once."""


def hostile_work(title: str) -> WorkFacts:
    """:data:`WORK` with every text a person can type, or an agent can send, replaced by ``title``."""
    trace = tuple(replace(each, facts=tuple(title for _ in each.facts)) for each in DECISION.trace)
    texts: dict[str, Any] = dict.fromkeys(("message", "action", "spending", "question", "ended_by"), title)
    return replace(
        WORK,
        decisions=(replace(DECISION, **texts, commands=(title, title), trace=trace), replace(REFUSED, message=title)),
        obligations=(replace(OWED, message=title, discharged_by=title),),
        leases=(replace(LEASE, write_scopes=(title,)),),
        turns=(OPEN_TURN, replace(LAST_TURN, next_action=title, delta=(title,))),
        runs=(replace(RUN, objective=title, started_by=title, running=(RunningFacts(id=title),)),),
        gaps=tuple(replace(each, message=title, discharged_by=title) for each in WORK.gaps),
        monitors=(replace(MONITOR, title=title, target=title, cadence=title, last_seen=title),),
        effects=(replace(EFFECT, summary=title, readback=title, unconfirmed=(title,)),),
        handoffs=(replace(HANDOFF, sender=f"human:{title}", next_action=title),),
        proposals=(replace(PROPOSAL, title=title, proposed_by=f"human:{title}"),),
    )


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
        work=hostile_work(title),
    )
    return replace(
        SMALL,
        title=title,
        goals=(own, BETA),
        needs_you=tuple(replace(each, title=title, why=(title,), options=(title,)) for each in SMALL.needs_you),
        running=tuple(replace(each, title=title, who=f"human:{title}") for each in SMALL.running),
        waiting=tuple(replace(each, title=title, why=(title, title)) for each in SMALL.waiting),
        problems=(replace(PROBLEM, message=title, hint=title, path=f"goals/beta/todos/{title}.md"),),
        obligations=(replace(OWED, message=title, discharged_by=title),),
    )
