"""What keeps an actor from every way out of open: exclusion, lease, key, claim and policy, in that order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from loopx.kernel.commands import (
    BlockTodo,
    CancelTodo,
    ClaimTodo,
    Command,
    CompleteTodo,
    DeferTodo,
    ResumeTodo,
    SupersedeTodo,
)
from loopx.kernel.fencing import fence
from loopx.kernel.outcome import Accepted, Refused
from loopx.model.policy import Ownership
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, REX, T1, Desk, config, edited, goal, todo
from tests.support.leases import KEY, OTHER_KEY, acquire, crew, lease, live, released, retired

NEW_KEY = "k-cccc3333"
Exit = Callable[[Desk, Any, str | None], Accepted | Refused]


def by(command: type[Command], **fields: Any) -> Exit:
    def leave(desk: Desk, actor: Any, key: str | None) -> Accepted | Refused:
        return desk.ask(command(**{"todo": T1, "lease_key": key, **fields}), actor)

    return leave


def deleted(desk: Desk, actor: Any, key: str | None) -> Accepted | Refused:
    """Removing the file, which shows no key."""
    return desk.type(desk.todo(), None, actor)


def typed_done(desk: Desk, actor: Any, key: str | None) -> Accepted | Refused:
    return desk.type(desk.todo(), edited(desk.todo(), status=TodoStatus.DONE), actor)


def typed_cancelled(desk: Desk, actor: Any, key: str | None) -> Accepted | Refused:
    return desk.type(desk.todo(), edited(desk.todo(), status=TodoStatus.CANCELLED, reason="no need"), actor)


EXITS: dict[str, Exit] = {
    "complete": by(CompleteTodo),
    "supersede": by(SupersedeTodo, by=("Better",)),
    "cancel": by(CancelTodo, reason="no need"),
    "done by hand": typed_done,
    "cancelled by hand": typed_cancelled,
    "deleted by hand": deleted,
}
"""Every way out of open."""
CARRYING_KEYS = ("complete", "supersede", "cancel")


def code(answer: Accepted | Refused) -> str:
    return answer.code if isinstance(answer, Refused) else "accepted"


def operated(*entities: Any, **policies: Any) -> Desk:
    """A desk at which Ben is the only operator, so that Ann is a person like any other."""
    desk = crew(*entities, **policies)
    desk.entities[0] = replace(desk.entities[0], operators=("Ben",))  # type: ignore[type-var]
    return desk


@pytest.mark.parametrize("way", EXITS)
@pytest.mark.parametrize("policy", Ownership)
def test_anothers_live_lease_fences_every_exit_whatever_the_policy(way: str, policy: Ownership) -> None:
    desk = operated(todo(claimed_by="bot"), lease(), ownership=policy)
    assert code(EXITS[way](desk, ANN, None)) == "lease-held"
    if way in CARRYING_KEYS:
        assert code(EXITS[way](desk, REX, None)) == "lease-held"
        assert code(EXITS[way](desk, REX, KEY)) == "lease-held", "another's key is nobody's proof"


@pytest.mark.parametrize("way", ["complete", "supersede", "cancel", "done by hand", "cancelled by hand"])
def test_an_expired_lease_fences_nothing(way: str) -> None:
    desk = operated(todo(claimed_by="bot", claimed_at=START), lease())
    desk.wait(minutes=46)
    assert code(EXITS[way](desk, ANN, None)) == "accepted"


@pytest.mark.parametrize("way", CARRYING_KEYS)
def test_a_key_that_is_given_must_be_that_of_the_actors_live_lease(way: str) -> None:
    def ask(key: str, *leases: Any, minutes: int = 0) -> str:
        desk = crew(todo(), *leases)
        desk.wait(minutes=minutes)
        return code(EXITS[way](desk, BOT, key))

    assert ask(KEY) == "lease-missing"
    assert ask(KEY, released()) == "lease-key-retired"
    assert ask(OTHER_KEY, lease(retired=(retired(),))) == "lease-key-retired"
    assert ask(NEW_KEY, lease()) == "lease-key-wrong"
    assert ask(KEY, lease(), minutes=46) == "lease-expired"
    assert ask(KEY, lease()) == "accepted"


@pytest.mark.parametrize("way", CARRYING_KEYS)
def test_where_the_policy_asks_for_a_lease_only_its_key_opens_the_way_out(way: str) -> None:
    policy = {"ownership": Ownership.LEASE}
    assert code(EXITS[way](crew(todo(claimed_by="bot"), **policy), BOT, None)) == "lease-required"
    held = crew(todo(claimed_by="bot"), lease(), **policy)
    assert code(EXITS[way](held, BOT, None)) == "lease-key-missing"
    assert code(EXITS[way](held, BOT, KEY)) == "accepted"


@pytest.mark.parametrize("way", ["done by hand", "cancelled by hand", "deleted by hand"])
def test_where_the_policy_asks_for_a_lease_an_editor_shows_no_key(way: str) -> None:
    desk = operated(ownership=Ownership.LEASE)
    assert code(EXITS[way](desk, ANN, None)) == "lease-required"
    acquire(desk, ANN)
    assert code(EXITS[way](desk, ANN, None)) == "lease-key-missing"


@pytest.mark.parametrize("way", ["cancel", "cancelled by hand"])
@pytest.mark.parametrize("policy", Ownership)
def test_an_operator_may_always_cancel_and_the_holder_finds_it_over(way: str, policy: Ownership) -> None:
    desk = operated(todo(claimed_by="bot"), lease(), ownership=policy)
    assert code(EXITS[way](desk, BEN, None)) == "accepted"
    assert live(desk) is None
    assert code(desk.ask(CompleteTodo(todo=T1, lease_key=KEY), BOT)) == "todo-closed"


@pytest.mark.parametrize("way", CARRYING_KEYS)
def test_a_foreign_claim_never_disarms_a_live_lease(way: str) -> None:
    desk = crew(todo(claimed_by="rex", claimed_at=START), lease())
    assert code(EXITS[way](desk, REX, None)) == "lease-held"
    assert code(EXITS[way](desk, BOT, KEY)) == "accepted"


def test_a_holder_without_its_key_passes_where_no_policy_asks_for_one() -> None:
    desk = crew(todo(claimed_by="bot"), lease())
    assert code(EXITS["complete"](desk, BOT, None)) == "accepted"


@pytest.mark.parametrize("command", [CompleteTodo, CancelTodo, SupersedeTodo], ids=lambda each: each.name)
def test_a_request_based_on_another_version_of_the_lease_is_a_conflict(command: type[Command]) -> None:
    more = {CancelTodo: {"reason": "no need"}, SupersedeTodo: {"by": ("Better",)}}.get(command, {})

    def ask(desk: Desk, version: int) -> Any:
        return desk.ask(command(todo=T1, lease_key=KEY, expect_lease_version=version, **more), BOT)

    stale = ask(crew(todo(), lease(version=3)), 2)
    assert (stale.code, stale.facts["expected"], stale.facts["found"]) == ("revision-conflict", 2, 3)
    assert code(ask(crew(todo(), lease(version=3)), 3)) == "accepted"


@pytest.mark.parametrize("expected", [0, 1])
def test_a_lease_there_never_was_has_no_version_and_least_of_all_nought(expected: int) -> None:
    refused = crew().no(CompleteTodo(todo=T1, expect_lease_version=expected), BOT)
    assert refused.code == "revision-conflict" and "was never taken" in refused.message
    assert "found" not in refused.facts


# the order ------------------------------------------------------------------------------------

GUARDS: list[tuple[str, dict[str, Any]]] = [
    ("agent-excluded", {"todo": {"excluded_agents": ("bot",)}}),
    ("lease-held", {"lease": {"owner": "rex"}}),
    ("lease-missing", {"key": KEY}),
    ("todo-claimed", {"todo": {"claimed_by": "rex", "claimed_at": START}}),
    ("lease-required", {"policy": Ownership.LEASE}),
]


def asked(*guards: dict[str, Any]) -> str:
    fields: dict[str, Any] = {}
    for each in guards:
        fields |= each.get("todo", {})
    leases = [lease(**each["lease"]) for each in guards if "lease" in each]
    policy = next((each["policy"] for each in guards if "policy" in each), Ownership.NONE)
    key = next((each["key"] for each in guards if "key" in each), None)
    desk = crew(todo(**fields), *leases, ownership=policy)
    refused = fence(desk.state, desk.todo(), desk.context(BOT), key)
    return refused.code if refused else "accepted"


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard[0])
def test_each_guard_fences_by_itself(guard: tuple[str, dict[str, Any]]) -> None:
    assert asked(guard[1]) == guard[0]


@pytest.mark.parametrize("pair", list(pairwise(GUARDS)), ids=lambda pair: f"{pair[0][0]}, {pair[1][0]}")
def test_of_two_guards_the_earlier_speaks(pair: Any) -> None:
    assert asked(pair[0][1], pair[1][1]) == pair[0][0]


# putting aside --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (BlockTodo(todo=T1, reason="stuck"), TodoStatus.OPEN),
        (DeferTodo(todo=T1, until="at:2026-03-03T00:00:00Z"), TodoStatus.OPEN),
        (ResumeTodo(todo=T1), TodoStatus.BLOCKED),
        (ClaimTodo(todo=T1), TodoStatus.OPEN),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_an_agent_does_not_touch_what_another_executes(command: Command, status: TodoStatus) -> None:
    desk = crew(todo(status=status, reason="stuck", claimed_by="bot"), lease())
    assert desk.no(command, REX).code == "lease-held"
    desk.do(command, BOT)


def test_a_person_may_put_aside_what_an_agent_executes() -> None:
    desk = crew(todo(claimed_by="bot"), lease())
    desk.do(BlockTodo(todo=T1, reason="wait for the audit"), ANN)
    assert desk.no(CompleteTodo(todo=T1, lease_key=KEY), BOT).code == "todo-not-open"


def test_an_agent_types_no_status_of_what_another_executes() -> None:
    desk = crew(todo(claimed_by="bot"), lease())
    blocked = edited(desk.todo(), status=TodoStatus.BLOCKED, reason="stuck")
    assert desk.mistyped(desk.todo(), blocked, REX).code == "lease-held"


def test_what_was_ever_executed_has_a_history_and_is_not_deleted() -> None:
    desk = crew(todo(), released())
    assert desk.mistyped(desk.todo(), None, ANN).code == "document-closed"


# what is told ---------------------------------------------------------------------------------


def test_a_todo_another_executes_is_not_runnable_and_says_who_has_it_until_when() -> None:
    desk = crew(todo(claimed_by="bot", claimed_at=START), lease(epoch=3))
    (reason,) = desk.verdict(actor=REX).reasons
    assert reason.code == "leased-by-other" and reason.message == "bot executes it until 2026-03-02T09:45:00Z."
    assert reason.facts == {"holder": "bot", "expires_at": "2026-03-02T09:45:00Z", "epoch": 3}
    assert desk.verdict(actor=BOT).is_runnable and desk.verdict().is_runnable


def test_L04_a_todo_whose_lease_ran_out_is_offered_again() -> None:
    desk = crew(todo(claimed_by="bot", claimed_at=START), lease())
    desk.wait(minutes=46)
    assert desk.reasons(actor=REX) == []


def test_a_lease_without_a_claim_keeps_others_back_all_the_same() -> None:
    assert crew(todo(), lease()).reasons(actor=REX) == ["leased-by-other"]


def test_only_a_known_policy_asks_for_anything() -> None:
    assert code(EXITS["complete"](Desk.of(config(), goal(), todo()), BOT, None)) == "accepted"
