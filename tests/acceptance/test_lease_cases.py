"""Cases of leases, retries and time, tried with the installed command, many processes at once, and a clock that steps.

What an outcome needs is in the name of its test; the rules behind it are tried one by one in the unit tests.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AcquireLease, AddAgent, ClaimTodo
from loopx.kernel.lease_standing import live_lease
from loopx.model.actor import Actor
from tests.support.console import Console
from tests.support.lab import Lab
from tests.support.process import Ran, run_at_once
from tests.support.project import Project

PROCESSES = 10
ROUNDS = {("todo", "claim"): 5, ("lease", "acquire"): 1}
THREAD_ROUNDS = {ClaimTodo: 50, AcquireLease: 10}
QUIET = {"LOOPX_PAGES": "off"}
KEY, NEXT_KEY = "k-mine1111", "k-next2222"
CLAUDE, CODEX = ("--actor", "agent:claude"), ("--actor", "agent:codex")


@pytest.fixture(autouse=True)
def _no_key_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOPX_LEASE_KEY", raising=False)


@pytest.fixture
def made(lab: Lab) -> Lab:
    """With two agents that are registered."""
    for name in ("claude", "codex"):
        lab.submit(AddAgent(agent=name))
    return lab


@pytest.fixture
def ask(made: Lab) -> Console:
    return Console(made)


@pytest.fixture
def todo(made: Lab) -> str:
    return made.todo("Write the guide")


def codes(ran: list[Ran]) -> list[str]:
    return [each.json["error"]["code"] for each in ran if each.code != 0]


# L01 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ROUNDS, ids=" ".join)
def test_L01_of_ten_processes_that_reach_for_one_todo_at_one_instant_one_gets_it(
    tmp_path: Path, verb: tuple[str, str]
) -> None:
    lab = Lab.make_in(Project.make(tmp_path / "lab"))
    lab.goal()
    for number in range(PROCESSES):
        lab.submit(AddAgent(agent=f"bot-{number}"))
    for round_number in range(ROUNDS[verb]):
        todo = lab.todo(f"Round {round_number}")
        jobs = [[*verb, todo, "--actor", f"agent:bot-{number}", "--json"] for number in range(PROCESSES)]
        ran = run_at_once(jobs, lab.project.root, QUIET)
        winners = [number for number, each in enumerate(ran) if each.code == 0]
        assert len(winners) == 1, [(each.code, each.out) for each in ran]
        holder = f"bot-{winners[0]}"
        assert {each.code for each in ran} == {0, 3}
        for each in (each.json["error"] for each in ran if each.code != 0):
            assert each["facts"]["holder"] == holder and holder in each["message"]
            assert verb == ("todo", "claim") or re.search(r"until 2\d{3}-\d\d-\d\dT", each["message"])
        lab.restart()
        assert lab.todos()[todo].claimed_by == holder
    lab.close()


@pytest.mark.parametrize("kind", THREAD_ROUNDS, ids=lambda kind: kind.name)
def test_L01_of_ten_threads_that_reach_for_one_todo_at_one_instant_one_gets_it(made: Lab, kind: Any) -> None:
    bots = [Actor.parse(f"agent:bot-{number}") for number in range(PROCESSES)]
    for bot in bots:
        made.submit(AddAgent(agent=bot.name))

    def reach(bot: Actor, todo: str, barrier: Barrier) -> str | None:
        barrier.wait()
        key = {"key": f"k-{todo}-{bot.name}"} if kind is AcquireLease else {}
        try:
            made.submit(kind(todo=todo, **key), bot)
        except LoopxError as error:
            assert error.code in ("todo-claimed", "lease-held")
            return str(error.problem.facts["holder"])
        return None

    with ThreadPoolExecutor(PROCESSES) as pool:
        for number in range(THREAD_ROUNDS[kind]):
            todo, barrier = made.todo(f"Round {number}"), Barrier(PROCESSES)
            answers = list(pool.map(lambda bot, to=todo, at=barrier: reach(bot, to, at), bots))
            holder = made.todos()[todo].claimed_by
            assert answers.count(None) == 1 and bots[answers.index(None)].name == holder
            assert set(answers) == {None, holder}
    made.assert_sound()


# the story of the specification ----------------------------------------------------------------


def test_the_story_of_a_lease_from_its_receipt_to_its_retired_key(lab: Lab) -> None:
    """After a renewal a repeated acquire keeps the original receipt and returns the current lease; after the release
    its retired key is rejected. What explains the past and what proves the present are two things."""
    lab.submit(AddAgent(agent="claude"))
    todo, project = lab.todo("Write the guide"), lab.project
    lab.close()

    def ask(*arguments: str, code: int = 0) -> Any:
        ran = project.loopx("lease", *arguments, *CLAUDE, "--json", environment=QUIET).expect(code)
        return ran.json["data"] if code == 0 else ran.json["error"]

    acquire = ("acquire", todo, "--key", KEY, "--ttl", "30m", "--write", "docs/**")
    first = ask(*acquire, "--op", "op-t1")
    assert (first["operation"], first["result"]["version"], first["result"]["epoch"]) == ("op-t1", 1, 1)
    ask("renew", todo, "--key", KEY, "--expect-lease-version", "1", "--op", "op-t2")

    for repeated in (ask(*acquire, "--op", "op-t1"), ask(*acquire), ask(*acquire, "--op", "op-t3")):
        original, current = dict(repeated["result"]), repeated["result"]["lease"]
        assert original.pop("lease") and original.pop("authorises") is True
        assert original == first["result"], "the original receipt, as it was"
        assert (repeated["operation"], repeated["at"]) == ("op-t1", first["at"])
        assert (repeated["replayed"], current["version"], current["epoch"]) == (True, 2, 1)
    commits = project.loopx_git("log", "--format=%s").splitlines()
    assert sum(each.startswith("lease: acquire") for each in commits) == 1
    assert sum("replay" in each for each in commits) == 1, "op-t3, which can be read back by its own name"

    other = ask("acquire", todo, "--key", KEY, "--ttl", "60m", code=1)
    assert other["code"] == "lease-key-reused"
    ask("release", todo, "--key", KEY)
    assert ask(*acquire, code=1)["code"] == "lease-key-retired"
    past = ask(*acquire, "--op", "op-t1")
    assert past["result"]["version"] == 1 and past["result"]["lease"]["status"] == "released"
    assert (past["result"]["authorises"], past["next"]) == (False, {})
    again = ask("acquire", todo, "--key", NEXT_KEY)
    assert (again["result"]["epoch"], again["result"]["version"]) == (2, 4)
    assert ask("release", todo, "--key", KEY)["result"]["already"] is True
    assert ask("show", todo)["is_live"], "a late release of the earlier execution touched nothing"


# L02 to L05 -----------------------------------------------------------------------------------


def test_L02_an_expired_lease_leaves_its_own_holder_a_way_out_of_every_verb(made: Lab, ask: Console, todo: str) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    made.clock.wait(46 * 60)

    def refused(*arguments: str) -> str:
        return str(ask(*arguments, *CLAUDE, "--json").expect(1).json["error"]["code"])

    assert refused("todo", "done", todo, "--lease", KEY) == "lease-expired"
    assert refused("lease", "renew", todo, "--key", KEY, "--expect-lease-version", "1") == "lease-expired"
    assert refused("lease", "acquire", todo, "--key", KEY) == "lease-key-retired"
    ask("lease", "release", todo, "--key", KEY, *CLAUDE).expect()
    ask("lease", "acquire", todo, "--key", NEXT_KEY, *CLAUDE).expect()
    ask("todo", "done", todo, "--lease", NEXT_KEY, *CLAUDE).expect()
    made.restart()
    made.assert_sound()


@pytest.mark.parametrize("renews", [True, False])
def test_L04_an_operation_of_three_lives_is_run_once_while_it_renews_and_fenced_when_it_does_not(
    made: Lab, ask: Console, todo: str, renews: bool
) -> None:
    ask("lease", "acquire", todo, "--key", KEY, "--ttl", "6s", *CLAUDE).expect()
    taken_over = 0
    for tick in range(9):
        made.clock.wait(2)
        if renews:
            ask("lease", "renew", todo, "--key", KEY, "--expect-lease-version", str(tick + 1), *CLAUDE).expect()
        taken_over += ask("lease", "acquire", todo, "--key", f"k-codex{tick}xx", "--ttl", "1h", *CODEX).code == 0
    assert taken_over == (0 if renews else 1)
    finished = ask("todo", "done", todo, "--lease", KEY, *CLAUDE, "--json")
    assert finished.code == (0 if renews else 3)
    if not renews:
        told = finished.json["error"]
        assert (told["code"], told["facts"]["holder"]) == ("lease-held", "codex")


def test_L05_a_holder_that_only_renews_is_seen_and_a_person_takes_over(made: Lab, ask: Console, todo: str) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    for version in (1, 2, 3):
        made.clock.wait(40 * 60)
        ask("lease", "renew", todo, "--key", KEY, "--expect-lease-version", str(version), *CLAUDE).expect()
    shown = ask("lease", "show", todo).expect().out
    assert "progress    none since it was acquired at" in shown
    assert "for 2h" in ask("lease").expect().out
    ask("lease", "release", todo, "--reason", "only heartbeats for two hours").expect()
    stopped = ask("lease", "renew", todo, "--key", KEY, "--expect-lease-version", "4", *CLAUDE, "--json").expect(1)
    assert stopped.json["error"]["code"] == "lease-key-retired" and "Stop" in stopped.json["error"]["hint"]
    ask("lease", "acquire", todo).expect()


# L09 to L11 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("hours", "is_live"), [(-2, True), (2, False)])
def test_L09_a_clock_that_steps_makes_no_lease_immortal_and_ends_none_that_could_be_live(
    made: Lab, ask: Console, todo: str, hours: int, is_live: bool
) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    made.clock.wait(hours * 3600)
    told = ask("lease", "show", todo, "--json").expect().json["data"]
    assert (told["is_live"], told["is_from_future"]) == (is_live, hours < 0)
    other = ask("lease", "acquire", todo, "--key", NEXT_KEY, *CODEX)
    assert other.code == (3 if is_live else 0)
    made.clock.wait(26 * 3600)
    assert ask("lease", "show", todo, "--json").expect().json["data"]["is_live"] is False


def test_L09_after_a_step_back_the_holder_goes_on_by_renewing(made: Lab, ask: Console, todo: str) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    made.clock.wait(-2 * 3600)
    ask("lease", "renew", todo, "--key", KEY, "--expect-lease-version", "1", *CLAUDE).expect()
    ask("todo", "done", todo, "--lease", KEY, *CLAUDE).expect()


def test_L10_times_on_disk_are_absolute_and_mean_the_same_to_the_next_process(made: Lab, todo: str) -> None:
    bot = Actor.parse("agent:claude")
    made.submit(AcquireLease(todo=todo, key=KEY), bot)
    text = made.read(f"goals/beta/leases/{todo}.yaml").decode()
    stamps = re.findall(r'_at: "(.+)"', text)
    assert len(stamps) == 3 and all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", each) for each in stamps)
    before = live_lease(made.look().state, todo, made.clock.now())
    made.restart()
    view = made.look()
    assert live_lease(view.state, todo, view.at) == before


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("2036-01-02T03:04:05", "field-value"),
        ("2036-01-02", "field-value"),
        ("2082844800", "field-type"),
        ("2036-01-02T03:04:05+05:30", None),
        ("2036-01-01T21:34:05Z", None),
    ],
)
def test_L11_a_time_typed_without_an_offset_is_refused_and_one_with_any_is_an_instant(
    made: Lab, ask: Console, todo: str, typed: str, code: str | None
) -> None:
    path = made.path_of(todo)
    watch = f"class: monitor\ntarget: the site\ncadence: 1h\nexpires_at: {typed}"
    made.change(path, "class: advancement", watch)
    if code is not None:
        [edit] = ask("edit", "list", "--json").expect(1).json["data"]["edits"]
        assert edit["problems"][0]["code"] == code
        return
    told = ask("todo", "show", todo, "--json").expect().json["data"]
    assert told["expires_at"] == "2036-01-01T21:34:05Z"


# L12 to L16 -----------------------------------------------------------------------------------


def test_L12_the_way_out_of_a_killed_holders_lease_is_typed_as_it_is_told(lab: Lab) -> None:
    lab.submit(AddAgent(agent="claude"))
    todo, project = lab.todo("Write the guide"), lab.project
    lab.close()
    project.loopx("lease", "acquire", todo, *CLAUDE, environment=QUIET).expect()
    told = project.loopx("lease", "acquire", todo, "--json", environment=QUIET).expect(3).json["error"]
    assert todo in told["message"] and "claude" in told["message"]
    (command,) = re.findall(r"`loopx (lease release t-\w+)`", told["hint"])
    first = project.loopx(*command.split(), environment=QUIET).expect()
    assert "released" in first.out
    second = project.loopx(*command.split(), environment=QUIET).expect()
    assert "needed no change" in second.out and "error" not in second.err
    project.loopx("lease", "acquire", todo, environment=QUIET).expect()


def test_L13_a_handover_is_one_change_after_which_only_the_receiver_goes_on(made: Lab, ask: Console, todo: str) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    before = len(made.subjects())
    hand_over = ("lease", "transfer", todo, "--to", "codex", "--key", KEY, "--new-key", NEXT_KEY)
    ask(*hand_over, "--expect-lease-version", "1", *CLAUDE).expect()
    assert len(made.subjects()) == before + 1
    shown = ask("lease", "show", todo, "--json").expect().json["data"]
    assert (shown["owner"], shown["claim"], shown["epoch"]) == ("codex", "codex", 2)
    ask("lease", "renew", todo, "--key", KEY, "--expect-lease-version", "2", *CLAUDE).expect(1)
    ask("todo", "block", todo, "--reason", "mine", *CLAUDE).expect(3)
    ask("lease", "renew", todo, "--key", NEXT_KEY, "--expect-lease-version", "2", *CODEX).expect()
    ask("todo", "done", todo, "--lease", NEXT_KEY, *CODEX).expect()


def test_L14_what_ran_out_is_taken_over_once_and_what_just_began_is_left_alone(
    made: Lab, ask: Console, todo: str
) -> None:
    ask("lease", "acquire", todo, "--key", KEY, *CLAUDE).expect()
    made.clock.wait(46 * 60)
    jobs = [["lease", "acquire", todo, "--key", f"k-sweep{n}xx", *CODEX] for n in range(3)]
    assert [ask(*job).code for job in jobs] == [0, 1, 1]
    shown = ask("lease", "show", todo, "--json").expect().json["data"]
    assert (shown["owner"], shown["epoch"], len(shown["retired"])) == ("codex", 2, 1)
    assert ask("lease", "acquire", todo, *CLAUDE).code == 3


@pytest.mark.parametrize("round_number", range(3))
def test_L15_done_stays_done_whatever_a_renewal_in_flight_comes_to(lab: Lab, round_number: int) -> None:
    lab.submit(AddAgent(agent="claude"))
    todo, project = lab.todo("Write the guide"), lab.project
    lab.close()
    project.loopx("lease", "acquire", todo, "--key", KEY, *CLAUDE, environment=QUIET).expect()
    renewal = ["lease", "renew", todo, "--key", KEY, "--expect-lease-version", "1", *CLAUDE, "--json"]
    done = ["todo", "done", todo, "--lease", KEY, *CLAUDE, "--json"]
    renewed, finished = run_at_once([renewal, done], project.root, QUIET)
    assert finished.code == 0
    assert renewed.code == 0 or codes([renewed]) == ["lease-key-retired"]
    late = project.loopx(*renewal, environment=QUIET).expect(1).json["error"]
    assert late["code"] == "lease-key-retired" and "completed" in late["message"] and "Stop" in late["hint"]
    shown = project.loopx("todo", "show", todo, "--json", environment=QUIET).expect().json["data"]
    assert (shown["status"], shown["lease"]) == ("done", None)


def test_L16_paths_held_by_a_run_that_died_before_it_began_come_free_by_themselves(
    made: Lab, ask: Console, todo: str
) -> None:
    other = made.todo("Translate the guide")
    ask("lease", "acquire", todo, "--key", KEY, "--write", "docs/**", *CLAUDE).expect()
    made.restart()
    reach = ("lease", "acquire", other, "--key", NEXT_KEY, "--write", "docs/guide.md", *CODEX, "--json")
    told = ask(*reach).expect(3).json["error"]
    assert (told["code"], told["facts"]["holder"], told["facts"]["todo"]) == ("write-scope-conflict", "claude", todo)
    made.clock.wait(46 * 60)
    ask(*reach).expect()
