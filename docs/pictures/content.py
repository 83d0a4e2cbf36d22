"""The workspace the pictures show: twelve Goals, three hundred Todos, and everything that can happen to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path

from loopx.kernel.commands import (
    AcquireLease,
    AddAgent,
    AddEvidence,
    AddTodo,
    BlockTodo,
    CancelTodo,
    ClaimTodo,
    Command,
    CompleteTodo,
    DecideGate,
    DeferTodo,
    EditTodo,
    MeetCriterion,
    NewGoal,
    OpenGate,
    OpenTurn,
    SetVision,
    SupersedeTodo,
)
from loopx.model.actor import Actor, Channel, Origin
from loopx.model.todo import Priority, TodoClass
from loopx.workspace import Workspace
from loopx.workspace.clock import SystemClock

ADA = Actor.parse("human:Ada Lovelace")
CODER, TESTER, WRITER = (Actor.parse(f"agent:{name}") for name in ("coder-1", "tester", "writer"))

GOALS = (
    ("reader", "Ship the offline reader", ("It opens a book without a network", "Ten people read a whole book", "A crash loses no page")),
    ("sync", "Books follow their reader from device to device", ("Two devices agree within a minute", "A conflict is shown, never merged in silence")),
    ("release", "Publish version 2.0", ("The installers are signed", "The notes are read by somebody outside")),
    ("fonts", "中文、日本語和한국어排版", ("中文标点悬挂正确", "竖排可用")),
    ("search", "Find any sentence in under 100 ms", ("A library of 2,000 books stays under 100 ms",)),
    ("a11y", "Everything works by keyboard and with a screen reader", ("An audit by somebody who needs it",)),
    ("import", "Read EPUB, PDF and plain text 📚", ("A hundred books from the wild open",)),
    ("privacy", "Nothing leaves the device unless its owner says so", ("A recording of a week shows no request",)),
    ("billing", "Let people pay once and be done", ("A refund takes one click",)),
    ("docs", "A guide that a newcomer finishes in five minutes", ("Three newcomers did",)),
    ("speed", "Open in under a second on a phone of five years ago", ("Measured on three phones",)),
    ("community", "Answer everybody who writes to us, kindly and within a day, even when the answer is no, and keep what was learnt", ()),
)  # fmt: skip

WORK = (
    "Keep the reading position when the font size changes",
    "Draw the page before the table of contents is read",
    "Say which file is broken, and where, instead of “cannot open”",
    "Write the guide for people who come from paper",
    "把设置页面的文字全部交给翻译，并核对标点与空格的用法",
    "Replace the home-made queue by one that survives a restart",
    "Measure how long a cold start takes on the oldest phone we have, with a full library, and write down what the time is spent on before anything is made quicker",
    "Rotate the signing key 🔑",
    "Let a long table scroll sideways by itself",
    "Ask for the microphone only when dictation begins",
    "Take the tracking pixel out of the mail template",
    "Test right-to-left books (עברית, العربية) with mixed numbers",
    "Make `reader --check` exit 1 when a page is missing",
    "Throw away the cache when its version is older",
    "Rename <Reader> to <Book> in the public API",
    "Record a demo of two minutes",
    "Try the installer on a machine nobody prepared",
    "Decide what happens to annotations when a book is replaced | updated",
    "Warn before the disk is full, not after",
    "Collect the ten questions that newcomers ask first",
)

BODY = """\
The position is kept as a *page number*, so it drifts when the type grows. Keep it as the number of the first
character instead.

- [ ] store the character with each bookmark
- [x] read old bookmarks as before
- [ ] say so in the notes

> Ada: do not touch the export format.

```python
position = book.character_at(page, line=0)
```

See [the format](https://example.org/format) and [the old code](../../../../reader/position.py).
"""

OBJECTIVE = """\
People read on trains. **Nothing** may need a network once a book is on the device: no fonts, no dictionary, no check
of a licence.

What is *not* meant: a shop, and anything that talks to one.
"""


class PastClock:
    """The machine's clock some days ago, moved on by hand until it is now."""

    def __init__(self, behind: timedelta) -> None:
        self._system = SystemClock()
        self._behind = behind

    def now(self) -> datetime:
        return self._system.now() - self._behind

    def wait(self, seconds: float) -> None:
        self._system.wait(seconds)

    def pass_by(self, length: timedelta) -> None:
        """Let time pass, as long as that is in the past."""
        self._behind = max(timedelta(), self._behind - length)


class Author:
    """Fills one workspace."""

    def __init__(self, project: Path) -> None:
        self.clock = PastClock(timedelta(days=9))
        self.ws = Workspace.create(project, title="Offline reader", clock=self.clock)
        self.todos: dict[str, list[str]] = {}

    def fill(self) -> Workspace:
        """Everything; the workspace stays open."""
        for goal, title, accept in GOALS:
            self._do(
                NewGoal(goal=goal, title=title, acceptance=accept, objective=OBJECTIVE if goal == "reader" else "")
            )
        for goal in ("reader", "sync", "release", "fonts"):
            for agent in (CODER, TESTER, WRITER):
                self._do(AddAgent(agent=agent.name, goal=goal, role_scope="its own part"))
        self._do(SetVision(goal="reader", agent="coder-1", summary="First the position, then the cache, then speed."))
        self._add_todos()
        self._move_todos()
        self._ask()
        self._work()
        self.clock.pass_by(timedelta(days=9))
        return self.ws

    def _do(self, command: Command, actor: Actor = ADA) -> str:
        receipt = self.ws.submit(command, actor=actor, origin=Origin.COMMAND).receipt
        self.clock.pass_by(timedelta(minutes=23))
        return str(receipt.result.get("id", ""))

    def _add_todos(self) -> None:
        priorities = cycle((*Priority, Priority.P2, Priority.P1, Priority.P2))
        for number in range(25):
            for place, (goal, _, accept) in enumerate(GOALS):
                made = self.todos.setdefault(goal, [])
                made.append(
                    self._do(
                        AddTodo(
                            goal=goal,
                            title=_title(number, place),
                            priority=next(priorities),
                            depends_on=(made[-1],) if number % 5 in (2, 3) else (),
                            acceptance=("a1",) if accept and number % 4 == 0 else (),
                            tags=("phone",) if number % 7 == 0 else (),
                            body=BODY if number % 3 == 0 else "",
                            todo_class=TodoClass.USER_ACTION if (goal, number) in _FOR_ADA else TodoClass.ADVANCEMENT,
                            requires=("production:goal:release",) if goal == "release" and number in (20, 21) else (),
                        )
                    )
                )

    def _move_todos(self) -> None:
        for goal, made in self.todos.items():
            actor = next(_AGENTS)
            for number, todo in enumerate(made):
                if number in (0, 5, 6, 10) or (
                    goal in ("billing", "docs") and number < 14 and number % 5 not in (2, 3)
                ):
                    self._do(CompleteTodo(todo=todo, note="as agreed"), actor)
                elif number == 15:
                    self._do(BlockTodo(todo=todo, reason="The phone of five years ago is not here before Thursday"))
                elif number == 16:
                    self._do(DeferTodo(todo=todo, until="at:2031-01-01T08:00Z"))
                elif number == 19:
                    self._do(CancelTodo(todo=todo, reason="Nobody needs it any more"))
        first = self.todos["reader"]
        self._do(SupersedeTodo(todo=first[20], by=("Keep annotations beside the book, not in it",)))
        self._do(EditTodo(todo=first[1], fields={"priority": "p0"}))
        seen = AddEvidence(about="reader/a1", summary="Read a whole book on a train, without a network")
        self._do(MeetCriterion(goal="reader", criterion="a1", evidence=(self._do(seen),)))

    def _ask(self) -> None:
        for goal, scope, question, options, by in _QUESTIONS:
            gate = OpenGate(goal=goal, scope=scope, question=question, options=options, body=_BACKGROUND)
            self._do(gate, by)
        gate = self._do(
            OpenGate(goal="docs", scope="public_claim:goal:docs", question="May the guide say “you”?"), WRITER
        )
        answer = DecideGate(
            gate=gate, verb="approve", reason="Everybody does", channel=Channel.TERMINAL, confirmed=True
        )
        self._do(answer)

    def _work(self) -> None:
        self.clock.pass_by(timedelta(days=9))
        reader, sync = self.todos["reader"], self.todos["sync"]
        self._do(AcquireLease(todo=reader[1], key="coder-1.a", write_scopes=("reader/**",)), CODER)
        self._do(OpenTurn(goal="reader", todo=reader[1], lease_key="coder-1.a"), CODER)
        self._do(ClaimTodo(todo=sync[1]), TESTER)
        self._do(ClaimTodo(todo=self.todos["fonts"][1]), WRITER)

    def spoil(self) -> None:
        """Hand edits that cannot be taken in."""
        for number, (old, new) in enumerate(
            (("title:", "title: Parser: keep going\nwas:"), ("status: open", "status: nearly"))
        ):
            file = next(iter(sorted((self.ws.places.root / "goals/search/todos").glob("*.md"))[number : number + 1]))
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(old, new, 1), encoding="utf-8")
        self.clock.wait(2.1)
        self.ws.read()


def _title(number: int, place: int) -> str:
    """No Goal has the same title twice."""
    again = "" if number < len(WORK) else ", this time for tablets"
    return WORK[(number + 7 * place) % len(WORK)] + again


_AGENTS: Iterator[Actor] = cycle((CODER, TESTER, WRITER, ADA))
_FOR_ADA = frozenset({("release", 3), ("reader", 7)})
_BACKGROUND = "Tried on three machines; what is left is in the notes.\n\n- the installer is **not** signed yet\n- nobody outside has read it\n"
_QUESTIONS = (
    ("release", "production:goal:release", "May version 2.0 be published on Friday?", ("On Friday", "On Monday", "Not this month"), CODER),
    ("reader", "resource:goal:reader", "May bookmarks of the first beta be thrown away?", (), TESTER),
    ("fonts", "public_claim:goal:fonts", "可以随应用分发这套字体吗？许可证要求在“关于”页面列出名称。", (), WRITER),
    ("privacy", "direction:goal:privacy", "May the crash reporter ask the reader each time before it sends anything, even though that means we hear of far fewer crashes than we do today?", ("Ask each time", "Ask once", "Never send"), ADA),
)  # fmt: skip
