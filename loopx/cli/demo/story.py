"""What happens in the demo, in order. Each step runs when its beat is asked for; nothing here is told from memory.

The file made by hand is adopted two seconds after it was saved. So it is saved early, and what a person would do
meanwhile is done meanwhile; only what is left of the two seconds is waited for.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from loopx.cli.demo.beats import Beat, Chapter, Ran, Told
from loopx.cli.demo.stage import Stage, data_of, otherwise
from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.model.defining import dataclass

_GUIDE = "# Guide\n\n## Install\n\nCopy it anywhere and open it.\n"
_CHECK = """\
from pathlib import Path

headings = [line for line in Path("guide.md").read_text().splitlines() if line.startswith("## ")]
if "## Install" not in headings:
    raise SystemExit("guide.md does not tell how to install it")
print(f"guide.md tells how to install it ({len(headings)} section)")
"""
_BUILD = """\
from pathlib import Path

out = Path("out")
if not out.exists():
    out.mkdir()
    raise SystemExit("the printer was off; it is warming up now")
(out / "guide.html").write_text(f"<pre>{Path('guide.md').read_text()}</pre>")
print("out/guide.html is printed")
"""
_GOAL = "launch"
_BY_HAND = ".loopx/goals/launch/todos/announce.md"
_AGENT = "agent:helper"
_ADOPTED_SECONDS = 2.1
"""How long after its last save a new file is taken in, with a little to spare."""


@dataclass
class Story:
    """The whole demo on one stage. ``names`` are filled as the story finds them out."""

    stage: Stage
    clock: Clock
    guide: str = ""
    publish: str = ""
    announce: str = ""
    saved_at: datetime | None = None

    def beats(self) -> Iterator[Beat]:
        """Every beat. Raises ``bug`` for a step that comes out otherwise, and what stands in the way of the machine."""
        for chapter in (
            self._project,
            self._workspace,
            self._goal_and_todos,
            self._file_by_hand,
            self._gate,
            self._plan,
            self._done_means_checked,
            self._adopted,
            self._edit_taken_in,
            self._edit_refused,
            self._audit_trail,
            self._rollback,
            self._pages,
        ):
            yield from chapter()

    def _project(self) -> Iterator[Beat]:
        yield Told(
            f"A day's work with LoopX, on a small real project in {self.stage.folder}\n"
            "Every line that starts with $ is carried out as it stands, and what follows is what it said."
        )
        yield Chapter("A project: a guide, and a check that it is complete")
        yield self.stage.git("init", "--quiet", "--initial-branch=main")
        yield from self._identity()
        yield self.stage.save("guide.md", _GUIDE)
        yield self.stage.save("check_guide.py", _CHECK)
        yield self.stage.save("print_guide.py", _BUILD)
        yield self.stage.save(".gitignore", "/out/\n")
        yield self.stage.git("add", "--all")
        yield self.stage.git("commit", "--quiet", "--message", "Start the guide")

    def _identity(self) -> Iterator[Beat]:
        """Where Git does not know the person: say so, and take the remedy in this repository alone."""
        from loopx.store.identity import human_identity

        try:
            human_identity(self.stage.folder)
        except LoopxError as error:
            if error.code != "identity-missing":
                raise
            yield Told(
                f"Git has no name and e-mail address for you, and LoopX makes nobody up ({error.code}).\n"
                "The remedy is two settings. The demo makes them for this one repository; your own are not touched."
            )
            yield self.stage.git("config", "user.name", "Demo Person")
            yield self.stage.git("config", "user.email", "demo@example.invalid")

    def _workspace(self) -> Iterator[Beat]:
        yield Chapter("A workspace in it, with a Git history of its own in .loopx/.git")
        yield self.stage.loopx("init", "--title", "Demo")

    def _goal_and_todos(self) -> Iterator[Beat]:
        yield Chapter("A Goal: what is to be reached, and how one will know")
        criteria = ("--accept", "The guide tells how to install", "--accept", "It is published")
        yield self.stage.loopx("goal", "new", _GOAL, "--title", "Launch the guide", *criteria)
        yield Chapter("Todos: one piece of work each")
        yield Told("The first is proven by a check of the project; the second must not happen before somebody agrees.")
        check = f"{_python()} check_guide.py"
        added = self._added("Write the guide", "--accept", "a1", "--validate", check)
        self.guide = data_of(added)["result"]["id"]
        yield added
        added = self._added("Publish the guide", "--accept", "a2", "--requires", "production:goal:launch")
        self.publish = data_of(added)["result"]["id"]
        yield added

    def _added(self, title: str, *more: str) -> Ran:
        return self.stage.loopx("todo", "add", title, "--goal", _GOAL, *more)

    def _file_by_hand(self) -> Iterator[Beat]:
        yield Chapter("A Todo by hand: a new file with nothing but a title")
        yield self.stage.save(_BY_HAND, "# Tell the mailing list\n")
        self.saved_at = self.clock.now()
        yield Told("LoopX lets a new file rest for two seconds before it writes an id into it. Meanwhile:")

    def _gate(self) -> Iterator[Beat]:
        yield Chapter("A Gate: a question only a person may answer")
        yield self.stage.loopx("todo", "done", self.publish, ends="gate-required")
        question = ("--question", "May the guide go public?")
        opened = self.stage.loopx(
            "gate", "open", "--goal", _GOAL, "--scope", "production:goal:launch", *question, "--actor", _AGENT
        )
        gate = data_of(opened)["result"]["id"]
        yield Told("An agent asks. It cannot answer itself:")
        yield opened
        answer = ("gate", "approve", gate, "--reason", "I read it twice", "--confirm", gate)
        yield self.stage.loopx(*answer, "--actor", _AGENT, ends="gate-own-question")
        yield Told("You can, and then the Todo may be done:")
        yield self.stage.loopx(*answer)
        yield self.stage.loopx("todo", "done", self.publish)

    def _plan(self) -> Iterator[Beat]:
        yield Chapter("A plan: steps that are carried out, judged, and recovered from when they fail")
        added = self._added("Print the guide")
        todo = data_of(added)["result"]["id"]
        yield added
        steps = ("--step", f"print: {_python()} print_guide.py", "--step", "proofread: grep Install out/guide.html")
        proofs = ("--verify", "print: test -s out/guide.html", "--verify", "proofread: test -s out/guide.html")
        yield self.stage.loopx("plan", "new", todo, *steps, *proofs)
        yield Told("The first step fails once. It is tried again, and every try is on record:")
        yield self.stage.loopx("run", todo)
        yield self.stage.loopx("step", "show", todo, "print")

    def _done_means_checked(self) -> Iterator[Beat]:
        yield Chapter("Done means checked: the check runs now, and its result is kept as evidence")
        yield self.stage.loopx("todo", "done", self.guide)
        yield Told("On that evidence a criterion of the Goal is met; a mere word would not do:")
        yield self.stage.loopx("goal", "meet", _GOAL, "a1", "--evidence", self.guide)

    def _adopted(self) -> Iterator[Beat]:
        yield Chapter("The file made by hand has rested, and the next command takes it in")
        self._rest()
        listed = self.stage.loopx("todo", "list")
        found = [each["id"] for each in data_of(listed)["todos"] if each["title"] == "Tell the mailing list"]
        if len(found) != 1:
            raise otherwise(listed.typed, "\n".join(listed.said))
        self.announce = found[0]
        yield listed
        yield Told("It was given an id; the rest of it is as it was typed, byte for byte:")
        yield self.stage.seen(_BY_HAND)

    def _rest(self) -> None:
        """Wait for what is left until the file counts as settled."""
        assert self.saved_at is not None
        left = _ADOPTED_SECONDS - (self.clock.now() - self.saved_at).total_seconds()
        if left > 0:
            self.clock.wait(left)

    def _edit_taken_in(self) -> Iterator[Beat]:
        yield Chapter("An edit by hand: taken in by whatever command comes next")
        yield self.stage.change(_BY_HAND, f'id: "{self.announce}"\n', f'id: "{self.announce}"\npriority: p1  # soon\n')
        yield self.stage.loopx("log", "--limit", "1")

    def _edit_refused(self) -> Iterator[Beat]:
        yield Chapter("An edit that cannot be: refused with the place and the remedy, and left as typed")
        yield self.stage.change(_BY_HAND, "priority: p1", "priority: urgent")
        yield self.stage.loopx("edit", "list", ends="problems-found")
        yield Told("Until it is mended, the last accepted version serves everybody else. You mend it:")
        yield self.stage.change(_BY_HAND, "priority: urgent", "priority: p0")
        yield self.stage.loopx("edit", "list")

    def _audit_trail(self) -> Iterator[Beat]:
        yield Chapter("The audit trail: every change is one commit, by whoever made it")
        yield self.stage.loopx("log")
        yield Told("It is plain Git:")
        yield self.stage.git("-C", ".loopx", "log", "--oneline", "--max-count=3")

    def _rollback(self) -> Iterator[Beat]:
        yield Chapter("Back again: an agent changes what you did not want changed")
        title = ("--title", "Tell nobody")
        yield self.stage.loopx("todo", "edit", self.announce, *title, "--actor", _AGENT)
        yield Told("First the plan, which says what a rollback would touch and what depends on it:")
        yield self.stage.loopx("rollback", "HEAD~1", "--todo", self.announce, "--plan")
        yield Told("Then the rollback: a new commit. History is never rewritten.")
        yield self.stage.loopx("rollback", "HEAD~1", "--todo", self.announce, "--reason", "The list must know")
        yield Told("The proof, once more and by plain Git: the file equals what it was, byte for byte.")
        yield self.stage.git("-C", ".loopx", "diff", "--exit-code", "HEAD~2", "HEAD", "--", _inside(_BY_HAND))

    def _pages(self) -> Iterator[Beat]:
        yield Chapter("Where it stands, and the same as pages for reading")
        yield self.stage.loopx("status", "--render")
        yield self.stage.loopx("check")
        yield Chapter("Where to look next")
        yield Told(_next(self.stage.folder))


def _inside(path: str) -> str:
    return path.removeprefix(".loopx/")


def _python() -> str:
    """The interpreter as a person would type it, where there is one of that name."""
    return "python3" if shutil.which("python3") else sys.executable


def _next(folder: Path) -> str:
    lines = (
        ("cd", f"{folder}", ""),
        ("open", ".loopx/status/board.html", "the board, in a browser"),
        ("read", ".loopx/status/README.md", "the overview; problems, timeline, graph and Goals lie beside it"),
        ("edit", ".loopx/goals/launch/", "any file, then `loopx status`"),
        ("try", "loopx todo add, loopx why ID, loopx undo", "and `loopx --help` for the rest"),
    )
    return "\n".join(f"  {verb:<6}{what:<44}{about}".rstrip() for verb, what, about in lines)
