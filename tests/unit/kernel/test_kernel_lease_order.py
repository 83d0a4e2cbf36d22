"""The order of checks of every verb of leases: each by itself, and each with the next one, where the earlier wins.

A check is a way to arrange a scene in which it refuses; two of them arranged together must give the earlier's code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest

from loopx.kernel.commands import AcquireLease, Command, ReleaseLease, RenewLease, TransferLease
from loopx.kernel.outcome import Refused
from loopx.model.lease import Lease, LeaseVersion
from loopx.model.todo import Todo, TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import BOT, T1, T2, Desk, config, goal, todo
from tests.support.leases import KEY, OTHER_KEY, lease, retired

NEW_KEY = "k-cccc3333"


@dataclass
class Scene:
    """What the verb is asked of: the agents known, the Todo, its lease, others' leases, and the request."""

    agents: tuple[str, ...] = ("bot", "rex")
    todo: Todo = field(default_factory=todo)
    lease: Lease | None = None
    others: list[Lease] = field(default_factory=list)
    asked: dict[str, Any] = field(default_factory=dict)
    minutes: int = 0

    def ask(self, command: type[Command]) -> Refused:
        known = config(*(AgentEntry(id=each) for each in self.agents))
        leases = [each for each in (self.lease, *self.others) if each is not None]
        desk = Desk.of(known, goal(), self.todo, todo(T2, "Draft"), *leases)
        desk.wait(minutes=self.minutes)
        return desk.no(command(**self.asked), BOT)

    def held(self, **fields: Any) -> None:
        self.lease = replace(self.lease or lease(), **fields)


Check = tuple[str, Callable[[Scene], None]]


def unregistered(scene: Scene) -> None:
    scene.agents = ("rex",)


def excluded(scene: Scene) -> None:
    scene.todo = replace(scene.todo, excluded_agents=("bot",))


def finished(scene: Scene) -> None:
    scene.todo = replace(scene.todo, status=TodoStatus.DONE)


def put_aside(scene: Scene) -> None:
    scene.todo = replace(scene.todo, status=TodoStatus.BLOCKED)


def claimed(scene: Scene) -> None:
    """By another, and no lease is live."""
    scene.todo = replace(scene.todo, claimed_by="rex", claimed_at=START)
    if scene.lease is not None:
        scene.minutes = 46


def other_terms(scene: Scene) -> None:
    scene.held()
    scene.asked["ttl_seconds"] = 60


def used_elsewhere(scene: Scene) -> None:
    scene.others.append(lease(T2, "rex"))


def key_retired(scene: Scene) -> None:
    scene.lease = scene.lease or lease(key=NEW_KEY, renewed_at=START, epoch=2)
    scene.held(retired=(retired(KEY),))


def held_by_another(scene: Scene) -> None:
    scene.lease = scene.lease or lease(key=NEW_KEY)
    scene.held(owner="rex")


def held_by_oneself(scene: Scene) -> None:
    scene.lease = scene.lease or lease(key=NEW_KEY)


def scopes_meet(scene: Scene) -> None:
    scene.others.append(lease(T2, "rex", OTHER_KEY, write_scopes=("docs/*.md",)))
    scene.asked["write_scopes"] = ("docs",)


def bad_key(scene: Scene) -> None:
    scene.asked["key"] = "a key"


def bad_ttl(scene: Scene) -> None:
    scene.asked["ttl_seconds"] = 24 * 3600 + 1


ACQUIRE: list[Check] = [
    ("lease-key-invalid", bad_key),
    ("lease-ttl-invalid", bad_ttl),
    ("agent-unregistered", unregistered),
    ("agent-excluded", excluded),
    ("todo-closed", finished),
    ("todo-claimed", claimed),
    ("lease-key-reused", other_terms),
    ("lease-key-retired", key_retired),
    ("lease-held", held_by_another),
    ("write-scope-conflict", scopes_meet),
]
"""What an acquire is refused over, in the order of the design."""

BESIDE: list[Check] = [
    ("todo-not-open", put_aside),
    ("lease-key-reused", used_elsewhere),
    ("lease-held-by-you", held_by_oneself),
]
"""What stands at the same place as one of those: a Todo put aside, a key of another Todo, one's own lease."""


def outlived(scene: Scene) -> None:
    """The key's own lease has run out, which retires it as well as a release does."""
    scene.held()
    scene.minutes = 46


OUTLIVED: Check = ("lease-key-retired", outlived)


def acquiring(*checks: Check) -> Scene:
    scene = Scene(asked={"todo": T1, "key": KEY})
    for _, arrange in checks:
        arrange(scene)
    return scene


@pytest.mark.parametrize("check", [*ACQUIRE, *BESIDE, OUTLIVED], ids=lambda check: check[1].__name__)
def test_each_check_of_an_acquire_refuses_with_a_code_of_its_own(check: Check) -> None:
    assert acquiring(check).ask(AcquireLease).code == check[0]


NEIGHBOURS = [
    *(pair for pair in pairwise(ACQUIRE) if pair != (ACQUIRE[6], ACQUIRE[7])),
    (ACQUIRE[6], OUTLIVED),
    (ACQUIRE[3], BESIDE[0]),
    (BESIDE[0], ACQUIRE[5]),
    (ACQUIRE[5], BESIDE[1]),
    (BESIDE[1], ACQUIRE[7]),
    (ACQUIRE[7], BESIDE[2]),
    (BESIDE[2], ACQUIRE[9]),
]


@pytest.mark.parametrize("pair", NEIGHBOURS, ids=lambda pair: f"{pair[0][1].__name__}, {pair[1][1].__name__}")
def test_of_two_checks_of_an_acquire_that_both_refuse_the_earlier_speaks(pair: tuple[Check, Check]) -> None:
    later = acquiring(*reversed(pair))
    assert later.ask(AcquireLease).code == pair[0][0]


@pytest.mark.parametrize("check", ACQUIRE[:6], ids=lambda check: check[1].__name__)
def test_a_repeated_acquire_is_answered_only_to_whoever_may_still_execute(check: Check) -> None:
    """The receipt comes after who may: the same key on the same terms, and yet each of these refuses."""
    scene = Scene(asked={"todo": T1, "key": KEY}, lease=lease())
    check[1](scene)
    assert scene.ask(AcquireLease).code == check[0]


# renewing and handing over --------------------------------------------------------------------


def none_at_all(scene: Scene) -> None:
    scene.lease = None


def retired_since(scene: Scene) -> None:
    scene.held(key=NEW_KEY, retired=(retired(KEY),))


def anothers(scene: Scene) -> None:
    scene.held(owner="rex")


def anothers_and_over(scene: Scene) -> None:
    scene.held(owner="rex")
    scene.minutes = 46


def wrong_key(scene: Scene) -> None:
    scene.held(key=NEW_KEY)


def expired(scene: Scene) -> None:
    scene.minutes = 46


def another_version(scene: Scene) -> None:
    if scene.lease is not None:
        scene.held(version=LeaseVersion(7))


PROVEN: list[Check] = [
    ("agent-unregistered", unregistered),
    ("agent-excluded", excluded),
    ("lease-key-retired", retired_since),
    ("lease-held", anothers),
    ("lease-key-wrong", wrong_key),
    ("lease-expired", expired),
    ("revision-conflict", another_version),
]
"""What a renewal and a transfer are refused over."""


def to_nobody_known(scene: Scene) -> None:
    scene.asked["to"] = "zed"


def to_oneself(scene: Scene) -> None:
    scene.asked["to"] = "bot"


def under_a_bad_key(scene: Scene) -> None:
    scene.asked["new_key"] = "no key"


def under_the_same_key(scene: Scene) -> None:
    scene.asked["new_key"] = KEY


def under_a_retired_key(scene: Scene) -> None:
    scene.held(retired=(retired("k-dddd4444"),))
    scene.asked["new_key"] = "k-dddd4444"


TRANSFER: list[Check] = [
    *PROVEN,
    ("agent-unregistered", to_nobody_known),
    ("lease-key-invalid", under_a_bad_key),
]
ALSO: list[Check] = [
    ("lease-held-by-you", to_oneself),
    ("lease-key-reused", under_the_same_key),
    ("lease-key-retired", under_a_retired_key),
    ("lease-missing", none_at_all),
    ("lease-missing", anothers_and_over),
]


def scene_of(command: type[Command], *checks: Check) -> Scene:
    asked: dict[str, Any] = {"todo": T1, "key": KEY, "version": 1}
    if command is TransferLease:
        asked |= {"to": "rex", "new_key": OTHER_KEY}
    scene = Scene(asked=asked, lease=lease())
    for _, arrange in checks:
        arrange(scene)
    return scene


@pytest.mark.parametrize("check", [*PROVEN, *ALSO[3:]], ids=lambda check: check[1].__name__)
@pytest.mark.parametrize("command", [RenewLease, TransferLease], ids=lambda each: each.name)
def test_each_check_of_a_renewal_and_a_transfer_has_a_code(command: type[Command], check: Check) -> None:
    assert scene_of(command, check).ask(command).code == check[0]


@pytest.mark.parametrize("check", [*TRANSFER[7:], *ALSO[:3]], ids=lambda check: check[1].__name__)
def test_each_check_of_whom_a_transfer_is_to_has_a_code(check: Check) -> None:
    assert scene_of(TransferLease, check).ask(TransferLease).code == check[0]


def _together(pair: tuple[Check, Check]) -> tuple[Check, Check]:
    """The later first, so that what the earlier arranges stands."""
    return pair[1], pair[0]


@pytest.mark.parametrize(
    "pair", list(pairwise(PROVEN)), ids=lambda pair: f"{pair[0][1].__name__}, {pair[1][1].__name__}"
)
def test_of_two_checks_of_a_renewal_the_earlier_speaks(pair: tuple[Check, Check]) -> None:
    assert scene_of(RenewLease, *_together(pair)).ask(RenewLease).code == pair[0][0]


@pytest.mark.parametrize(
    "pair", list(pairwise(TRANSFER)), ids=lambda pair: f"{pair[0][1].__name__}, {pair[1][1].__name__}"
)
def test_of_two_checks_of_a_transfer_the_earlier_speaks(pair: tuple[Check, Check]) -> None:
    assert scene_of(TransferLease, *_together(pair)).ask(TransferLease).code == pair[0][0]


# giving back ----------------------------------------------------------------------------------


RELEASE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("lease-held", {"owner": "rex"}, {"key": KEY}),
    ("lease-held", {"owner": "rex"}, {"key": None}),
    ("lease-key-wrong", {"key": NEW_KEY}, {"key": KEY}),
    ("lease-key-missing", {}, {"key": None}),
    ("field-value", {}, {"key": KEY, "reason": "two\nlines"}),
]


@pytest.mark.parametrize(("code", "held", "asked"), RELEASE)
def test_each_check_of_a_release_has_a_code(code: str, held: dict[str, Any], asked: dict[str, Any]) -> None:
    assert Scene(lease=lease(**held), asked={"todo": T1, **asked}).ask(ReleaseLease).code == code


def test_anothers_lease_that_ran_out_is_not_an_agents_to_give_back() -> None:
    scene = Scene(lease=lease(owner="rex"), asked={"todo": T1, "key": KEY}, minutes=46)
    assert scene.ask(ReleaseLease).code == "lease-missing"


@pytest.mark.parametrize("command", [AcquireLease, RenewLease, TransferLease, ReleaseLease], ids=lambda each: each.name)
def test_a_todo_nobody_knows_comes_before_everything(command: type[Command]) -> None:
    scene = scene_of(command) if command in (RenewLease, TransferLease) else Scene(asked={"key": "no key"})
    scene.asked["todo"] = "t-zzzz9999"
    assert scene.ask(command).code == "todo-unknown"
