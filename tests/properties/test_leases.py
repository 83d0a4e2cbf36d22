"""Ten thousand interleavings of three agents and a person over two Todos, with a clock that jumps: whatever anybody
tries in whatever order, one execution at most is proven, epochs never fall, and nothing a fenced actor writes counts.

Each interleaving is made from a number, so that one that fails is tried again by it alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel import proving
from loopx.kernel.claims import holder_name
from loopx.kernel.context import Context
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Accepted
from loopx.kernel.state import State
from loopx.model.actor import Actor, Origin
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.policy import Ownership
from loopx.model.todo import Todo, TodoStatus
from tests.support.kernel import ANN, BOT, REX, T1, T2, Desk, edited, todo
from tests.support.leases import CAT, crew

INTERLEAVINGS = 10_000
BATCHES = 20
STEPS = 12
AGENTS = (BOT, REX, CAT)
TODOS = (T1, T2)
SCOPES = ((), (), ("src/**",), ("docs/*.md",), ("src/app.py",))
JUMPS = (1, 30, 600, 2701, 2701, 90_000, -1, -600, -7200)
"""Seconds the clock moves by: within a lease's life, past it, past a day, and back."""
EXITS = (c.CompleteTodo, c.CancelTodo, c.SupersedeTodo)


@dataclass
class Interleaving:
    """One run: what everybody does in turn, and what must hold after each step."""

    dice: random.Random
    desk: Desk = field(init=False)
    keys: list[str] = field(default_factory=list)
    """Every key that was ever granted, oldest first."""
    proofs: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: {each: set() for each in TODOS})
    """Todo to every (owner, key) that was ever granted for it."""
    asked: int = 0
    committed: list[tuple[c.Command, Actor, str]] = field(default_factory=list)
    went_back: bool = False
    """Whether the clock ever did: then a lease may be live again after somebody else claimed its Todo."""
    granted: int = 0
    refused: int = 0
    _seen: tuple[list[Any], State] | None = None

    def __post_init__(self) -> None:
        policy = self.dice.choice(list(Ownership))
        self.desk = crew(todo(), todo(T2, "Draft", write_scopes=("src/app.py",)), ownership=policy)

    def run(self) -> None:
        for _ in range(STEPS):
            self.dice.choices(ACTS, WEIGHTS)[0](self)
            self.check_state()

    @property
    def state(self) -> State:
        """The state as it is, made once for as long as nothing changes."""
        if self._seen is None or self._seen[0] is not self.desk.entities:
            self._seen = (self.desk.entities, self.desk.state)
        return self._seen[1]

    def todo(self, name: str) -> Todo:
        found = self.state.todo(name)
        assert found is not None
        return found

    # what anybody may try ---------------------------------------------------------------------

    def jump(self) -> None:
        seconds = self.dice.choice(JUMPS)
        self.went_back = self.went_back or seconds < 0
        self.desk.now += timedelta(seconds=seconds)

    def acquire(self) -> None:
        key = self.dice.choice([*self.keys[-4:], None, None, None]) or f"k-{self.asked:04}{len(self.keys):04}"
        command = c.AcquireLease(
            todo=self.dice.choice(TODOS),
            key=key,
            ttl_seconds=self.dice.choice([None, None, 60]),
            write_scopes=self.dice.choice(SCOPES),
            take_over=self.dice.random() < 0.3,
        )
        self.propose(command, self.dice.choice(AGENTS))

    def renew(self) -> None:
        lease, key = self.some_lease()
        version = lease.version if lease and self.dice.random() < 0.8 else 1
        self.propose(c.RenewLease(todo=self.todo_of(lease), key=key, version=version), self.somebody(lease))

    def transfer(self) -> None:
        lease, key = self.some_lease()
        command = c.TransferLease(
            todo=self.todo_of(lease),
            key=key,
            version=lease.version if lease else 1,
            to=self.dice.choice(AGENTS).name,
            new_key=self.dice.choice([f"k-{self.asked:04}", *self.keys[-1:]]),
        )
        self.propose(command, self.somebody(lease))

    def release(self) -> None:
        lease, key = self.some_lease()
        command = c.ReleaseLease(todo=self.todo_of(lease), key=self.dice.choice([key, key, None]))
        self.propose(command, self.dice.choice([self.somebody(lease), ANN]))

    def claim(self) -> None:
        kind = self.dice.choice([c.ClaimTodo, c.UnclaimTodo])
        self.propose(kind(todo=self.dice.choice(TODOS)), self.dice.choice((*AGENTS, ANN)))

    def leave(self) -> None:
        lease, key = self.some_lease()
        fields: dict[str, Any] = {"todo": self.todo_of(lease), "lease_key": self.dice.choice([key, None])}
        kind = self.dice.choice(EXITS)
        fields |= {c.CancelTodo: {"reason": "no need"}, c.SupersedeTodo: {"by": ("Better",)}}.get(kind, {})
        self.propose(kind(**fields), self.dice.choice([self.somebody(lease), ANN]))

    def reopen(self) -> None:
        for each in TODOS:
            if self.todo(each).status.is_closed:
                self.propose(c.ReopenTodo(todo=each, reason="not done"), ANN)

    def type_a_claim(self) -> None:
        found = self.todo(self.dice.choice(TODOS))
        self.desk.type(found, edited(found, claimed_by=self.dice.choice(["bot", "rex", None])), ANN)

    def repeat(self) -> None:
        """An operation whose answer was lost: one that was committed is told again and does nothing."""
        if self.committed:
            command, actor, operation = self.dice.choice(self.committed)
            before, receipts = list(self.desk.entities), list(self.desk.receipts)
            self.desk.ask(command, actor, op=operation)
            assert self.desk.entities == before
            self.desk.receipts = receipts

    # who, with what ---------------------------------------------------------------------------

    def some_lease(self) -> tuple[Lease | None, str]:
        """A lease record, and a key: most often its own."""
        records = [found for each in TODOS if (found := self.state.lease(each)) is not None]
        lease = self.dice.choice(records) if records else None
        known = [*([lease.key] * 4 if lease else []), *self.keys[-3:], "k-nobodys1"]
        return lease, self.dice.choice(known)

    def todo_of(self, lease: Lease | None) -> str:
        return lease.todo if lease and self.dice.random() < 0.9 else self.dice.choice(TODOS)

    def somebody(self, lease: Lease | None) -> Actor:
        """Most often whoever holds the lease."""
        owners = [each for each in AGENTS if lease is not None and each.name == lease.owner]
        return self.dice.choice([*owners * 4, *AGENTS])

    # what must hold ---------------------------------------------------------------------------

    def propose(self, command: Any, actor: Actor) -> None:
        desk, operation = self.desk, f"op-x{self.asked:04}"
        receipts, state = list(desk.receipts), self.state
        before = {each: state.lease(each) for each in TODOS}
        live = live_lease(state, command.todo, desk.now)
        outcome = desk.ask(command, actor, op=operation)
        state = desk.state
        self.asked += 1
        if not isinstance(outcome, Accepted):
            self.refused += 1
            assert {each: state.lease(each) for each in TODOS} == before
            return
        if outcome.receipt.operation != operation:  # the receipt of an earlier one, told again
            assert outcome.changes == () and live is not None and live.key == command.key
            desk.receipts = receipts
            return
        self.committed.append((command, actor, operation))
        self.granted += bool(outcome.changes)
        if outcome.changes:
            self.check_authority(command, actor, live)
        for each in TODOS:
            self.check_record(each, before[each], state.lease(each))

    def check_authority(self, command: Any, actor: Actor, live: Lease | None) -> None:
        """No write of somebody whom a live lease of another fences, and none on a key that is not the live one."""
        mine = live is not None and live.owner == holder_name(actor)
        if live is not None and not mine:
            is_operators = actor == ANN and isinstance(command, c.CancelTodo | c.ReleaseLease)
            only_a_claim = isinstance(command, c.UnclaimTodo)
            assert is_operators or only_a_claim, (command, actor, live)
        key = getattr(command, "lease_key", None) or getattr(command, "key", None)
        needs_proof = isinstance(command, (c.RenewLease, c.TransferLease, *EXITS))
        if needs_proof and key is not None and actor != ANN:
            assert mine and live is not None and live.key == key, (command, actor, live)
        if isinstance(command, c.AcquireLease):
            assert command.key not in self.keys, "a key is granted once"

    def check_record(self, todo_id: str, before: Lease | None, after: Lease | None) -> None:
        if after == before:
            return
        assert after is not None, "a record stays"
        if before is not None:
            assert after.epoch >= before.epoch and after.version == before.version + 1
            assert set(before.retired) <= set(after.retired)
        same = before is not None and (before.owner, before.key, before.epoch) == (after.owner, after.key, after.epoch)
        if not same:
            assert after.epoch == (before.epoch + 1 if before else 1)
            self.keys.append(after.key)
            self.proofs[todo_id].add((after.owner, after.key))

    def check_state(self) -> None:
        state, now, contexts = self.state, self.desk.now, self.contexts
        for each in TODOS:
            live, found = live_lease(state, each, now), self.todo(each)
            proven = [proof for proof in self.proofs[each] if is_proven(state, found, *proof, contexts)]
            assert len(proven) <= 1, "two executions are proven at once"
            assert bool(proven) == (live is not None)
            if live is not None:
                assert live.status is LeaseStatus.ACTIVE and not found.status.is_closed
                assert self.went_back or found.claimed_by == live.owner, "claim and lease are one fact"
                assert live.key not in {gone.key for gone in live.retired}

    @property
    def contexts(self) -> dict[str, Context]:
        desk = self.desk
        return {each.name: Context(each, Origin.COMMAND, "op-asked", desk.now, desk.ids) for each in AGENTS}


def is_proven(state: State, found: Todo, owner: str, key: str, contexts: dict[str, Context]) -> bool:
    """Whether ``key`` proves at this moment that ``owner`` executes the Todo."""
    return isinstance(proving.proven(state, found, contexts[owner], key), Lease)


Act = Callable[[Interleaving], None]
_WEIGHTED: tuple[tuple[Act, int], ...] = (
    (Interleaving.acquire, 9),
    (Interleaving.renew, 5),
    (Interleaving.jump, 5),
    (Interleaving.release, 3),
    (Interleaving.transfer, 3),
    (Interleaving.leave, 3),
    (Interleaving.claim, 2),
    (Interleaving.reopen, 2),
    (Interleaving.type_a_claim, 1),
    (Interleaving.repeat, 2),
)
ACTS, WEIGHTS = zip(*_WEIGHTED, strict=True)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_in_no_interleaving_are_two_executions_proven_or_is_a_fenced_write_accepted(batch: int) -> None:
    granted = refused = 0
    for number in range(batch, INTERLEAVINGS, BATCHES):
        run = Interleaving(random.Random(number))
        try:
            run.run()
        except AssertionError as error:
            raise AssertionError(f"interleaving {number}: {error}") from error
        granted, refused = granted + run.granted, refused + run.refused
    assert min(granted, refused) > INTERLEAVINGS // BATCHES, "both answers are common, or nothing is tried"


@pytest.mark.parametrize("wrong", [{"claimed_by": "rex"}, {"status": TodoStatus.DONE}], ids=str)
def test_a_lease_beside_another_claim_or_a_closed_todo_would_be_seen(wrong: dict[str, Any]) -> None:
    run = Interleaving(random.Random(1))
    run.propose(c.AcquireLease(todo=T1, key="k-aaaa1111"), BOT)
    run.check_state()
    run.desk.entities = [edited(each, **wrong) if each is run.todo(T1) else each for each in run.desk.entities]
    with pytest.raises(AssertionError):
        run.check_state()


def test_a_write_of_whoever_is_fenced_would_be_seen() -> None:
    run = Interleaving(random.Random(1))
    run.propose(c.AcquireLease(todo=T1, key="k-aaaa1111"), BOT)
    live = run.state.lease(T1)
    for command in (c.RenewLease(todo=T1, key="k-aaaa1111", version=1), c.CompleteTodo(todo=T1)):
        with pytest.raises(AssertionError):
            run.check_authority(command, REX, live)
    with pytest.raises(AssertionError, match="granted once"):
        run.check_authority(c.AcquireLease(todo=T1, key="k-aaaa1111"), BOT, live)
    with pytest.raises(AssertionError):
        run.check_record(T1, live, edited(live, epoch=0))
