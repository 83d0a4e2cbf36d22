"""``kill -9`` of ``loopx run``, of what it runs, and of what keeps the record: at every named point of a run, while a
step runs, and at a hundred random moments.

Whatever died, the next ``loopx run`` goes on: no completed work is lost, nothing is done twice unless it is declared
harmless, read back as absent or a person said so, what nobody saw is said to be unknown, and nothing is left over.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import Exit
from loopx.model.step import AttemptOutcome, Resumption
from loopx.workspace.crashpoints import POINTS, RUN_POINTS
from tests.support.components import until
from tests.support.dying_keeper import WRITES, dying_keeper
from tests.support.forking import Forks
from tests.support.kept_run import KeptRun, Looking, kill_all_in, running_in
from tests.support.ledger import ACTOR, KEEPER, RUNNER, Ledger, lasting
from tests.support.project import Project

ASK, PROBE, REPEAT = Resumption.ASK, Resumption.PROBE, Resumption.REPEAT
THREE = (lasting("s1", REPEAT), lasting("s2", PROBE, "s1"), lasting("s3", ASK, "s2"))
SIX = (
    lasting("s1", REPEAT),
    lasting("s2", PROBE, "s1"),
    lasting("s3", ASK, "s1"),
    lasting("s4", REPEAT, "s2"),
    lasting("s5", PROBE, "s3"),
    lasting("s6", ASK, "s4", "s5"),
)
PARALLEL = ("run", "--parallel", "2")
KILLS = 100
SEED = 20260
_SHARE, _GROWTH = 0.4, 1.15
"""Of the time a whole run takes: how long its first process is given at most, and by how much that grows."""
_TOGETHER = 0.3
"""How many of the kills are of everything at once."""
_RUNS = 0.8
"""How many of the processes carry the run on; the others recover it."""

Made = Callable[..., KeptRun]


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.close()


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, str, str]]:
    """Workspaces with a plan nobody has begun, each made once."""
    known: dict[int, tuple[Path, str, str]] = {}

    def get(steps: Any) -> tuple[Path, str, str]:
        if len(steps) not in known:
            folder = tmp_path_factory.mktemp("laid-out")
            known[len(steps)] = (folder, *KeptRun.laid_out(folder, *steps))
        return known[len(steps)]

    return get


@pytest.fixture
def make(forks: Forks, laid_out: Callable[..., tuple[Path, str, str]], tmp_path: Path) -> Iterator[Made]:
    """A run nobody has begun. Whatever it started has ended when the test has."""
    number = 0

    def fresh(steps: Any = THREE, **blows: str) -> KeptRun:
        """``blows``: what a step does to others, as shell, by when and by whom (``before_s1``)."""
        nonlocal number
        number += 1
        made, todo, run = laid_out(steps)
        found = KeptRun.copied(forks, made, tmp_path / str(number), todo, run)
        for name, script in blows.items():
            (found.folder / name.replace("_", "-")).write_text(script)
        return found

    yield fresh
    left = running_in(tmp_path)
    kill_all_in(tmp_path)
    assert left == {}


# at every named point of a process that carries a run on -----------------------------------------

BEGINNING = ("lease-held", "turn-opened", "run-begun")
END = ("engine-ended", "evidence-recorded", "turn-settled")
UNTIL_ASKED = [
    *((each, 1) for each in BEGINNING),
    *((f"run-opened-{side}", 1) for side in ("before", "after")),
    *((f"run-starting-{side}", number) for number in (1, 2, 3, 4) for side in ("before", "after")),
    *(
        (f"run-{each}-{side}", n)
        for each in ("recovery_decided", "recovered")
        for n in (1, 2)
        for side in ("before", "after")
    ),
    *((f"run-waiting-{side}", 1) for side in ("before", "after")),
    *((each, 1) for each in END),
]
"""The first step fails at first, and the last ends itself: so there is a recovery, and a question to a person."""
ONCE_ANSWERED = [
    ("todo-woken", 1),
    *((each, 1) for each in BEGINNING),
    *((f"run-{each}-{side}", 1) for each in ("starting", "finished") for side in ("before", "after")),
    *((each, 1) for each in END),
]
TROUBLE = {"before_s1": "exit 7", "after_s3": f"kill -9 {ACTOR}"}


def test_the_points_at_which_runs_are_killed_are_all_there_are(make: Made) -> None:
    run = make(**TROUBLE)
    told = run.folder / "reached"
    run.carry_on(reached=told).expect()
    assert _counted(told) == Counter(dict(UNTIL_ASKED)), "up to the question"
    told.unlink()
    run.answer()
    run.carry_on(reached=told).expect()
    assert _counted(told) == Counter(dict(ONCE_ANSWERED)), "from its answer on"
    assert {name for name, _ in (*UNTIL_ASKED, *ONCE_ANSWERED)} >= set(RUN_POINTS)
    run.assert_whole()


def _counted(told: Path) -> Counter[str]:
    return Counter(each for each in told.read_text().splitlines() if each not in POINTS)


@pytest.mark.parametrize(("point", "number"), UNTIL_ASKED)
def test_a_run_goes_on_after_its_process_is_killed(make: Made, point: str, number: int) -> None:
    run = make(**TROUBLE)
    assert run.carry_on(point=point, number=number).was_killed
    is_unknown = (point, number) == ("run-starting-after", 4)  # the step that asks was about to begin
    assert run.finish() == (2 if is_unknown else 1)
    run.assert_whole()


@pytest.mark.parametrize(("point", "number"), ONCE_ANSWERED)
def test_a_run_that_was_answered_goes_on_after_its_process_is_killed(make: Made, point: str, number: int) -> None:
    run = make(**TROUBLE)
    run.carry_on().expect()
    run.answer()
    assert run.carry_on(point=point, number=number).was_killed
    assert run.finish() == (1 if point == "run-starting-after" else 0)
    run.assert_whole()


@pytest.mark.parametrize("point", POINTS)
def test_a_run_goes_on_after_its_process_is_killed_in_the_middle_of_a_save(make: Made, point: str) -> None:
    run = make()
    number = 5 if point != "materialised" else 12
    assert run.carry_on(point=point, number=number).was_killed
    run.finish()
    run.assert_whole()


# while a step runs, and right at its end ---------------------------------------------------------

VICTIMS = {
    "actor": ACTOR,
    "keeper": KEEPER,
    "runner": RUNNER,
    "runner and keeper": f"{RUNNER} {KEEPER}",
    "runner and actor": f"{RUNNER} {ACTOR}",
    "keeper and actor": f"{KEEPER} {ACTOR}",
    "all three": f"{RUNNER} {KEEPER} {ACTOR}",
}


@pytest.mark.parametrize("victims", VICTIMS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_goes_on_after_some_of_its_processes_are_killed(make: Made, when: str, victims: str) -> None:
    """In turn while each of three steps runs: before its effect, or after it. An actor that lives on lingers."""
    blow = f"kill -9 {VICTIMS[victims]}; sleep 0.2"
    run = make(**{f"{when}_{each.id}": blow for each in THREE})
    questions = run.finish()
    assert not list(run.folder.glob(f"{when}-*")), "every step was struck"
    is_seen = victims == "runner"
    assert questions == (0 if is_seen else 1), "only of the step that asks is nothing known but by a person"
    run.assert_whole()
    with Looking(run) as lab:
        records = {each.step: each for each in lab.look().state.steps_of(run.run)}
    if is_seen:
        assert {len(each.attempts) for each in records.values()} == {1}, "what lived on was adopted"
    else:
        assert records["s3"].attempts[0].outcome is AttemptOutcome.UNKNOWN
        assert len(records["s2"].attempts) == (1 if _took_effect(run, "s2") else 2), "a probe told"


def _took_effect(run: KeptRun, step: str) -> bool:
    return f"{run.run}/{step}/1" in Ledger.read(run.folder).said("did")


def test_what_lived_on_is_ended_when_whoever_adopted_it_is_interrupted(make: Made, forks: Forks) -> None:
    """Waiting for it keeps nobody from being heard: the first signal lets it come to its end, the second does not."""
    run = make(before_s1=f"kill -9 {RUNNER}; while [ ! -f ../go ]; do sleep 0.02; done")
    assert run.carry_on().was_killed
    told = run.folder / "reached"
    pid = run.start(reached=told)
    until(lambda: told.exists() and "run-begun" in told.read_text())
    for each in (signal.SIGINT, signal.SIGTERM):  # two of one kind may be told as one
        os.kill(pid, each)
    ended = forks.wait(pid).expect(Exit.INTERRUPTED)
    assert ended.answer["error"]["code"] == "interrupted"
    run.assert_nothing_left()
    with Looking(run) as lab:
        [record] = lab.look().state.steps_of(run.run)
    assert [each.outcome for each in record.attempts] == [AttemptOutcome.UNKNOWN]
    assert run.finish() == 0
    run.assert_whole()


def test_a_judge_that_lived_on_is_ended_and_judges_again(make: Made) -> None:
    noted = "until ls .loopx/local/attempts/*.judge > /dev/null 2>&1; do sleep 0.01; done"
    run = make(judging_s2=f"{noted}; kill -9 $PPID; while [ ! -f ../go ]; do sleep 0.02; done")
    assert run.carry_on().was_killed
    assert running_in(run.folder), "nobody has ended it yet"
    assert run.finish() == 0
    run.assert_whole()
    assert len(Ledger.read(run.folder).said("did")) == 3, "only the judgement was made again"


@pytest.mark.parametrize("victims", ["os.getpid(),", "os.getppid(), os.getpid()", "os.getppid(),"])
@pytest.mark.parametrize("at", WRITES)
def test_a_run_goes_on_after_its_keeper_is_killed_around_a_record(make: Made, at: str, victims: str) -> None:
    run = make()
    ended = run.carry_on(keeper=dying_keeper(run.folder, at, "s3", victims))
    assert (run.folder / "struck").exists() and ended.was_killed == ("getppid" in victims)
    questions = run.finish()
    lives_on = victims == "os.getppid(),"
    has_begun = at in ("before 2", "after 2")
    is_on_file = at == "after 2" or (lives_on and at != "before 1")
    is_begun_by_another = at == "before 1" and victims == "os.getpid(),"
    if at == "before 1" and lives_on:
        assert questions <= 1, "known not to have begun, unless it was looked for before that was on record"
    else:
        assert questions == (0 if is_on_file or is_begun_by_another else 1)
    assert Ledger.read(run.folder).times("s3") == 1 + (has_begun and not is_on_file)
    run.assert_whole()


# `loopx recover` ---------------------------------------------------------------------------------


def recovered(run: KeptRun, *target: str) -> Any:
    """What ``loopx recover`` says it found of the run."""
    before = Ledger.read(run.folder).said("began")
    [told] = run.recover(*target).expect().answer["data"]["runs"]
    assert Ledger.read(run.folder).said("began") == before, "nothing is begun"
    assert (told["run"], told["todo"]) == (run.run, run.todo)
    return told


def test_recover_adopts_what_went_on_after_its_runner_was_killed(make: Made) -> None:
    run = make(before_s2=f"kill -9 {RUNNER}; sleep 0.2")
    assert run.carry_on().was_killed
    told = recovered(run)
    assert (told["state"], told["left_off"], told["executions"]) == ("iteration_complete", "allowance", 2)
    assert told["steps"] == {"ready": 1, "verified_completed": 2}
    assert run.finish() == 0
    run.assert_whole()


def test_recover_has_a_person_asked_about_what_nobody_saw(make: Made) -> None:
    run = make(after_s3=f"kill -9 {RUNNER} {KEEPER} {ACTOR}")
    assert run.carry_on().was_killed
    told = recovered(run)
    assert (told["state"], told["left_off"], told["todo_became"]) == ("waiting_for_human", "person", "deferred")
    [asked] = told["gates"]
    assert "s3" in asked["question"] and asked["id"] == run.standing()[1]
    run.answer()
    assert recovered(run)["left_off"] == "allowance", "the answer is found, and what it allows is not begun"
    assert Ledger.read(run.folder).times("s3") == 1
    assert run.finish() == 0 and Ledger.read(run.folder).times("s3") == 2
    run.assert_whole()


@pytest.mark.parametrize("is_named", [False, True], ids=["whatever was left", "the one that is named"])
@pytest.mark.parametrize("point", ["run-finished-before", "engine-ended"])
def test_recover_settles_what_had_come_to_its_end(make: Made, point: str, is_named: bool) -> None:
    run = make()
    assert run.carry_on(point=point).was_killed
    told = recovered(run, *([run.todo] if is_named else []))
    assert (told["state"], told["is_finished"], told["todo_became"]) == ("completed", True, "done")
    run.assert_whole()
    assert run.recover().expect().answer["data"]["runs"] == [], "nothing is left to be found"


# two processes -----------------------------------------------------------------------------------


def holder_of(run: KeptRun) -> int:
    """The process that took the hold last."""
    return int(json.loads((run.project / ".loopx" / "local" / "runs" / f"{run.todo}.json").read_text())["pid"])


def test_a_hold_that_is_let_go_a_moment_after_its_holder_died_is_waited_for(make: Made) -> None:
    """A program is forked off with everything its starter has open; killed then, the starter is gone before that is."""
    run = make()
    run.carry_on(point="run-begun")
    path = run.project / ".loopx" / "local" / "runs" / f"{run.todo}.json"
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        letting_go = threading.Timer(0.4, lambda: fcntl.flock(held, fcntl.LOCK_UN))
        letting_go.start()
        run.carry_on().expect()
        letting_go.join()
    run.assert_whole()


@pytest.mark.parametrize("verb", ["run", "recover"])
def test_a_second_process_is_refused_while_one_is_alive_and_never_after(make: Made, forks: Forks, verb: str) -> None:
    run = make(before_s1="while [ ! -f ../go ]; do sleep 0.02; done")
    first = run.start()
    try:
        until(lambda: bool(Ledger.read(run.folder).said("began")))
        before = Project(run.project).loopx_git("rev-parse", "main")
        refused = forks.run(verb, run.todo, "--actor", "agent:bot", "--json", folder=run.project).expect(Exit.CONFLICT)
        error = refused.answer["error"]
        assert (error["code"], error["facts"]["pid"]) == ("run-held", first)
        assert Project(run.project).loopx_git("rev-parse", "main") == before
    finally:
        ended = forks.wait(first, kill_after=0)
        second = run.start()
        (run.folder / "go").touch()
    assert ended.was_killed
    forks.wait(second).expect()
    assert holder_of(run) == second
    assert Ledger.read(run.folder).said("did") == {f"{run.run}/s{number}/1" for number in (1, 2, 3)}
    run.assert_whole()


# at random moments -------------------------------------------------------------------------------


def test_runs_are_completed_whatever_moments_their_processes_are_killed_at(make: Made) -> None:
    """A hundred kills of what carries runs on or recovers them, some of them together with whatever it had started,
    over as many runs as that takes; up to two steps run at once. Each process of a run is given a little longer than
    the one before it, so that every run comes to its end on a machine of any speed."""
    chance = random.Random(SEED)
    kills, run = 0, make(SIX)
    longest = run.carry_on(*PARALLEL[1:]).expect().seconds * _SHARE
    run.assert_whole()
    while kills < KILLS:
        run = make(SIX)
        moments: list[float] = []
        try:
            while not run.standing()[0]:
                if run.standing()[1] is not None and not run.was_killed:
                    run.answer()
                moments.append(chance.uniform(0, longest * _GROWTH ** len(moments)))
                verb, *more = PARALLEL if chance.random() < _RUNS else ("recover",)
                if run.carry_on(*more, verb=verb, kill_after=moments[-1]).was_killed:
                    kills += 1
                    if chance.random() < _TOGETHER:
                        kill_all_in(run.folder)
            run.assert_whole()
        except BaseException as error:
            error.add_note(f"seed {SEED}, after {kills} kills; this run's processes were killed after {moments}")
            raise
