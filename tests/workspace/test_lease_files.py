"""Lease files in the hands of people: nothing typed into one counts, and whoever relies on it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import (
    AcquireLease,
    AddAgent,
    AddTodo,
    Command,
    CompleteTodo,
    ReleaseLease,
    RenewLease,
    TransferLease,
)
from loopx.kernel.lease_standing import live_lease
from loopx.model.actor import Actor
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at
from tests.workspace.typing import waiting

REX = Actor.parse("agent:rex")
KEY = "k-mine1111"


@pytest.fixture
def todo(lab: Lab) -> str:
    """A Todo the agent bot executes."""
    lab.goal()
    for name in ("bot", "rex"):
        lab.submit(AddAgent(agent=name))
    found = lab.todo("Write the guide")
    lab.submit(AcquireLease(todo=found, key=KEY), BOT)
    lab.clock.wait(5)
    return found


def path_of(todo: str) -> str:
    return f"goals/beta/leases/{todo}.yaml"


def lease(lab: Lab, todo: str) -> object:
    view = lab.look()
    return live_lease(view.state, todo, view.at)


def is_refused(lab: Lab, command: Command) -> LoopxError:
    head = lab.git("rev-parse", "HEAD")
    with pytest.raises(LoopxError) as error:
        lab.submit(command, BOT)
    assert lab.git("rev-parse", "HEAD") == head
    return error.value


TAMPERINGS: dict[str, tuple[str, str]] = {
    "another owner": ('owner: "bot"', 'owner: "rex"'),
    "a higher epoch": ("epoch: 1", "epoch: 7"),
    "an epoch that is a text": ("epoch: 1", 'epoch: "one"'),
    "another key": (f'key: "{KEY}"', 'key: "k-yours222"'),
    "an end ten years ahead": ("expires_at: ", 'expires_at: "2036-01-01T00:00:00Z" # '),
    "an end without an offset": ("expires_at: ", 'expires_at: "2026-01-02T03:04:05" # '),
    "an end that is a day": ("expires_at: ", 'expires_at: "2026-01-02" # '),
    "an end that is a number": ("expires_at: ", "expires_at: 1767322800 # "),
    "given back": ("status: active", "status: released"),
}


@pytest.mark.parametrize("how", TAMPERINGS)
def test_L17_what_is_typed_into_a_lease_counts_for_nothing(lab: Lab, todo: str, how: str) -> None:
    before = lease(lab, todo)
    lab.change(path_of(todo), *TAMPERINGS[how])
    typed = lab.read(path_of(todo))
    assert lease(lab, todo) == before, "the accepted version goes on to serve"
    [code] = {each for codes in waiting(lab).values() for each in codes}
    assert code in ("record-machine-owned", "field-type", "field-value")
    assert lab.read(path_of(todo)) == typed


@pytest.mark.parametrize(
    "command",
    [
        lambda todo: RenewLease(todo=todo, key=KEY, version=1),
        lambda todo: CompleteTodo(todo=todo, lease_key=KEY),
        lambda todo: CompleteTodo(todo=todo),
        lambda todo: TransferLease(todo=todo, key=KEY, version=1, to="rex", new_key="k-next3333"),
        lambda todo: ReleaseLease(todo=todo, key=KEY),
        lambda todo: AcquireLease(todo=todo, key="k-next3333", take_over=True),
    ],
    ids=["renew", "done with the key", "done without", "transfer", "release", "take over"],
)
@pytest.mark.parametrize("how", ["another owner", "an epoch that is a text", "deleted"])
def test_L17_the_workers_next_write_is_refused_with_the_reason_and_nothing_is_made_anew_in_silence(
    lab: Lab, todo: str, how: str, command: Callable[[str], Command]
) -> None:
    file = lab.root / path_of(todo)
    if how == "deleted":
        file.unlink()
        lab.clock.wait(5)
    else:
        lab.change(path_of(todo), *TAMPERINGS[how])
    error = is_refused(lab, command(todo))
    assert error.code == "lease-file-edited"
    assert path_of(todo) in str(error) and f"loopx edit discard {path_of(todo)}" in error.problem.hint
    assert file.exists() is (how != "deleted")
    lab.submit(AddTodo(goal="beta", title="Something else"), BOT)


def test_L17_once_the_accepted_version_is_back_the_worker_goes_on(lab: Lab, todo: str) -> None:
    accepted = lab.read(path_of(todo))
    (lab.root / path_of(todo)).unlink()
    lab.clock.wait(5)
    is_refused(lab, RenewLease(todo=todo, key=KEY, version=1))
    lab.look()
    lab.clock.wait(5)
    assert waiting(lab) == {path_of(todo): ["record-machine-owned"]}
    lab.ws.discard_edit(path_of(todo), actor=ANN)
    assert lab.read(path_of(todo)) == accepted
    lab.submit(RenewLease(todo=todo, key=KEY, version=1), BOT)
    lab.assert_sound()


def test_L17_a_lease_file_written_by_hand_is_no_lease(lab: Lab, todo: str) -> None:
    other = lab.todo("Record the demo")
    text = lab.read(path_of(todo)).decode().replace(todo, other)
    lab.save(path_of(other), text)
    assert lease(lab, other) is None
    assert waiting(lab) == {path_of(other): ["record-machine-owned"]}


def test_L17_a_lease_changed_by_a_commit_of_plain_git_goes_back_to_what_was_accepted(lab: Lab, todo: str) -> None:
    before = lease(lab, todo)
    lab.change(path_of(todo), *TAMPERINGS["a higher epoch"])
    lab.git("-c", "user.name=Eve", "-c", "user.email=eve@example.invalid", "commit", "-qam", "mine")
    assert lease(lab, todo) == before
    assert b"epoch: 1" in lab.at_head(path_of(todo))
    assert waiting(lab) == {path_of(todo): ["record-machine-owned"]}
    assert is_refused(lab, RenewLease(todo=todo, key=KEY, version=1)).code == "lease-file-edited"


def test_a_lease_file_saved_in_place_is_noticed_at_once(lab: Lab, todo: str) -> None:
    """As an editor saves that truncates and writes: the folder's own times do not change."""
    file: Path = lab.root / path_of(todo)
    text = file.read_text()
    with file.open("r+") as opened:
        opened.write(text.replace("epoch: 1", "epoch: 9"))
    lab.clock.wait(5)
    assert is_refused(lab, RenewLease(todo=todo, key=KEY, version=1)).code == "lease-file-edited"


def test_a_lease_survives_a_crash_right_after_it_was_granted(lab: Lab, todo: str) -> None:
    other = lab.todo("Record the demo")
    with pytest.raises(Crash), crash_at("published"):
        lab.submit(AcquireLease(todo=other, key="k-other222"), REX, op="op-other")
    lab.restart()
    answer = lab.submit(AcquireLease(todo=other, key="k-other222"), REX, op="op-other")
    assert answer.replayed and answer.receipt.result["authorises"] is True
    assert lab.look().state.todo(other).claimed_by == "rex"
    lab.assert_sound()


@pytest.mark.parametrize("by", ["rollback", "undo"])
def test_whoever_executes_a_todo_that_is_put_back_is_told_to_stop(lab: Lab, todo: str, by: str) -> None:
    before = lab.git("rev-parse", "HEAD~1").strip()
    acquire = lab.operations()[0]
    if by == "rollback":
        lab.ws.roll_back(before, reason="the wrong Todo", actor=ANN, todo=todo)
    else:
        lab.ws.undo(acquire, actor=ANN)
    assert lease(lab, todo) is None
    assert lab.todos()[todo].claimed_by is None
    record = lab.look().state.lease(todo)
    assert record is not None
    assert (record.epoch, record.version, record.retired[-1].reason) == (1, 2, "rolled back")
    with pytest.raises(LoopxError) as error:
        lab.submit(RenewLease(todo=todo, key=KEY, version=1), BOT)
    assert error.value.code == "lease-key-retired"
    lab.submit(AcquireLease(todo=todo, key="k-next3333"), REX)
    lab.assert_sound()


def test_a_lease_goes_into_the_archive_with_its_todo(lab: Lab, todo: str) -> None:
    from loopx.kernel.commands import ArchiveTodo

    lab.submit(CompleteTodo(todo=todo, lease_key=KEY), BOT)
    lab.submit(ArchiveTodo(todo=todo))
    assert not (lab.root / path_of(todo)).exists()
    assert lab.look().state.lease(todo) is not None
    lab.assert_sound()
