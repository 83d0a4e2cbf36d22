"""A workspace in which everything happens at once: processes, people at their editors, crashes, a clock that jumps.

:class:`Scene` does what a rule of the machine says, keeps the plain model beside it, and knows what must hold after
every step. It decides nothing about what should be accepted; it holds whatever was accepted to its consequences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from shutil import rmtree
from typing import Any

from loopx.documents import read
from loopx.errors import LoopxError
from loopx.kernel import commands as c
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Receipt
from loopx.model.actor import Actor
from loopx.model.kind import Kind
from loopx.model.layout import locate
from loopx.store.cache import Cache
from loopx.workspace import trailers
from loopx.workspace.crashpoints import POINTS
from loopx.workspace.results import Committed
from tests.properties.workspace_hands import Hands
from tests.properties.workspace_model import facts_of
from tests.support.lab import ANN, Crash, crash_at

HAPPENED = POINTS.index("published")


@dataclass
class Asked:
    """A request that was made under an id of its own, and what became of it."""

    command: c.Command
    actor: Actor
    answer: Committed | None


@dataclass
class Scene(Hands):
    """One workspace, the processes that work on it, and the model."""

    asked: dict[str, Asked] = field(default_factory=dict)
    recorded: Counter[str] = field(default_factory=Counter)
    """How often each operation is in history."""
    epochs: dict[str, tuple[int, int]] = field(default_factory=dict)
    head: str | None = None
    """The commit up to which history was looked at."""
    is_broken: bool = True
    """Whether something did not hold: then the end is of no interest any more."""

    # commands --------------------------------------------------------------------------------

    def submit(
        self, command: c.Command, actor: Actor = ANN, *, which: int = 0, crash: str | None = None, nth: int = 1
    ) -> Committed | None:
        """Ask for something, perhaps in a process that dies on the way; ``None`` when it was refused or is lost."""
        self.is_broken = True
        operation = self.next("op")
        self.asked[operation] = Asked(command, actor, None)
        answer = self._asked(operation, which, crash, nth)
        self.settle()
        return answer

    def again(self, operation: str, which: int) -> None:
        """Ask for the very same thing under the same id: it is answered as it was, and nothing is done."""
        before, asked = self.recorded[operation], self.asked[operation]
        answer = self._asked(operation, which, None, 1)
        if before:
            assert answer is not None and answer.replayed
            if asked.answer is not None and not asked.answer.replayed:
                assert _as_first_told(answer.receipt, asked.answer.receipt) == asked.answer.receipt
        self.settle()
        assert self.recorded[operation] == (1 if before or answer is not None else 0)

    def _asked(self, operation: str, which: int, crash: str | None, nth: int) -> Committed | None:
        asked = self.asked[operation]
        try:
            with crash_at(crash, nth) if crash else nullcontext():
                answer = self.processes[which].submit(asked.command, actor=asked.actor, op=operation)
        except LoopxError as refused:
            assert refused.exit in (1, 3, 5), refused.problem
            return None
        except Crash as crashed:
            return self._died(operation, which, str(crashed))
        self._accepted(operation, answer)
        return answer

    def _accepted(self, operation: str, answer: Committed) -> None:
        asked = self.asked[operation]
        if asked.answer is None and not answer.replayed:
            self.take_in()
            self.model.learn(asked.command, asked.actor, answer.receipt)
        asked.answer = asked.answer or answer

    def _died(self, operation: str, which: int, point: str) -> None:
        """The process is gone. What is known of its operation must agree with where it died."""
        self.restart(which)
        told = self.processes[which].operation(operation)
        has_happened = POINTS.index(point) >= HAPPENED
        if told.receipt is None:
            assert told.state in ("pending", "absent")
            if has_happened:
                assert told.state == "absent"  # it was refused, and what was published is somebody's edit
            return
        assert has_happened and told.state in ("committed", "committed_receipt_missing")
        self.look()
        self._accepted(operation, Committed(told.receipt, told.revision))

    def restart(self, which: int) -> None:
        self.processes[which].close()
        self.processes[which] = self.open()

    # going back ------------------------------------------------------------------------------

    def roll_back(self, revision: str) -> None:
        """Put every document back to what it was at a revision this scene has seen."""
        try:
            self.ws.roll_back(revision, reason="Back", actor=ANN, op=self.next("op"))
        except LoopxError as refused:
            assert refused.exit in (1, 3), refused.problem
        else:
            self.take_in()
            self.model.go_back(revision)
        self.settle()

    def undo(self, operation: str) -> None:
        """Undo one operation; what the documents were before it is read from history."""
        try:
            done = self.ws.undo(operation, actor=ANN, new_op=self.next("op"))
        except LoopxError as refused:
            assert refused.exit in (1, 3), refused.problem
        else:
            self.take_in()
            before = facts_of(self.ws.read(at=done.packet.target).state)
            for item in done.packet.items:
                within = f"{item.path.split('/')[1]}/" if item.kind == Kind.VISION else ""
                name = f"{item.kind} {within}{item.id}"
                self.model.facts.pop(name, None)
                if name in before:
                    self.model.facts[name] = before[name]
        self.settle()

    # what must hold --------------------------------------------------------------------------

    def settle(self) -> None:
        """After every step: look, let the model follow, and hold both against each other."""
        self.is_broken = True
        self.look()
        self.take_in()
        self._follow_history()
        state = self.ws.read(take_in=False).state
        differing = self.model.differences(facts_of(state))
        assert differing == {}, differing
        self._leases(state)
        self.nothing_typed_is_lost()
        self.model.remember(self.head)
        self.is_broken = False

    def _follow_history(self) -> None:
        """New commits: every document in them reads, every operation is there once and was asked for."""
        head = self.ws.store.head()
        assert head is not None and self.ws.store.admitted() == head
        for commit in reversed(list(self.ws.store.history(head, self.head, changes=True))):
            told = trailers.parse(commit.message)
            if told:
                self.recorded[told["Operation"]] += 1
                assert self.recorded[told["Operation"]] == 1, told
            for change in commit.changes:
                if change.after is not None and locate(change.path) is not None:
                    content = self.ws.store.read(change.after)
                    self.seen += content.decode("utf-8")
                    # What of a commit of plain Git was refused is put back by the commit that admits it.
                    assert not told or read(change.path, content).entity is not None, (change.path, content)
        self.head = head
        for operation, asked in self.asked.items():
            if asked.answer is not None and not asked.answer.replayed:
                assert self.recorded[operation] == 1, operation
            elif asked.answer is None:
                assert self.recorded[operation] == 0, operation

    def _leases(self, state: Any) -> None:
        """One live lease a Todo at the most; epochs and versions never fall."""
        now = self.clock.now()
        for lease in state.leases():
            assert len(self.ws.cache.select(Kind.LEASE.value, None)) == len({each.todo for each in state.leases()})
            epoch, version = self.epochs.get(lease.todo, (0, 0))
            assert lease.epoch >= epoch and lease.version >= version
            self.epochs[lease.todo] = (lease.epoch, lease.version)
            live = live_lease(state, lease.todo, now)
            assert live is None or live.key not in {each.key for each in lease.retired}

    def finish(self) -> None:
        """At the end: receipts are unique, a new process with a new cache sees the same, pages are what they were."""
        self.settle()
        operations = [row.operation for row in self.ws.cache.commits() if row.operation]
        assert len(operations) == len(set(operations))
        self._files_are_history()
        waits = bool(self.ws.edits())
        pages = self._rendered()
        self.close()
        rmtree(self.root / "status")
        self.processes = [self.open()]
        _assert_same(pages, self._rendered())
        rows = _rows(self.ws.cache)
        self.close()
        for each in self.root.glob("local/cache.sqlite*"):
            each.unlink()
        self.processes = [self.open()]
        self._is_known_anew()
        assert _rows(self.ws.cache) == rows
        if not waits:  # since when an edit waits is known to the cache alone
            _assert_same(pages, self._rendered())

    def _is_known_anew(self) -> None:
        """History alone tells the same, receipts included."""
        self.look()
        assert self.model.differences(facts_of(self.ws.read(take_in=False).state)) == {}
        for operation, asked in self.asked.items():
            told = self.ws.operation(operation)
            assert (told.state == "committed") == bool(self.recorded[operation]), (operation, told)
            if asked.answer is not None and not asked.answer.replayed:
                assert told.receipt == asked.answer.receipt

    def _rendered(self) -> dict[str, str]:
        self.ws.render(wait=True)
        status = self.root / "status"
        files = (file for file in status.rglob("*") if file.is_file())
        return {file.relative_to(status).as_posix(): file.read_text("utf-8") for file in files}

    def _files_are_history(self) -> None:
        """Every file is what history holds, but for those that wait."""
        left = {edit.path for edit in self.ws.edits()}
        for row in self.ws.cache.documents():
            if row.path not in left and row.path not in self.gone:
                assert self.ws.store.hash((self.root / row.path).read_bytes()) == row.blob, row.path
        assert not list(self.root.glob("goals/**/*.loopx-tmp"))
        assert not (self.root / "local/journal.json").exists()


def _as_first_told(now: Receipt, then: Receipt) -> Receipt:
    """A receipt without what was added about today, such as the lease as it is now."""
    return replace(now, result={name: now.result.get(name) for name in then.result})


def _rows(cache: Cache) -> list[Any]:
    """What a cache holds of history, whichever way it came there."""
    return [
        [row._replace(data="") for row in cache.documents()], cache.told(), cache.tallies(), cache.naming(),
    ]  # fmt: skip


def _assert_same(pages: Mapping[str, str], anew: Mapping[str, str]) -> None:
    for name in pages.keys() | anew.keys():
        before, after = (each.get(name, "").replace(',"', ',\n"').splitlines() for each in (pages, anew))
        assert before == after, "\n".join([name, *unified_diff(before, after, lineterm="")])
