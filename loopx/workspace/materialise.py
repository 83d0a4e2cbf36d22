"""Making the files follow what was published: each prepared temp file is exchanged with its target.

Nothing is ever overwritten: what comes out is looked at, and when it is not what this pass had read, somebody saved in
between; their version goes back and ours stays in history only, to be merged by the next take-in. Called by the
publisher and by recovery with the same steps.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from loopx.workspace import swap
from loopx.workspace.journal import Journal, Step
from loopx.workspace.places import TEMP_SUFFIX, Places

_MOST_EXCHANGES = 50
_TYPED = ".typed"
_ATTEMPTS, _PAUSE_SECONDS = 5, 0.05


class Ending(StrEnum):
    """How one file ended."""

    PLACED = "placed"
    """The new version is in place; what it displaced equals what had been read."""
    TYPED = "typed"
    """Somebody saved in between: their version is in place, the new one is in history only."""
    BLOCKED = "blocked"
    """The system refused; the file is as it was."""


Digest = Callable[[bytes], str]
"""Gives a content's blob oid."""
Wait = Callable[[float], None]
"""Waits so many seconds."""


def materialise(places: Places, step: Step, digest: Digest, wait: Wait) -> Ending:
    """Carry out one step. May be repeated after a crash at any point."""
    for _ in range(_ATTEMPTS):
        try:
            return _carry_out(places, step, digest, wait)
        except PermissionError:
            wait(_PAUSE_SECONDS)  # some other program may hold the file for a moment
    return Ending.BLOCKED


def _carry_out(places: Places, step: Step, digest: Digest, wait: Wait) -> Ending:
    target, temp = places.file(step.path), places.file(step.temp)
    if step.after is None:
        return _remove(places, target, step, digest)
    if step.before is None:
        return _place_new(target, temp)
    return _replace(places, target, temp, step, digest, wait)


def resume(places: Places, step: Step, digest: Digest, wait: Wait) -> Ending:
    """Carry on with a step that a crash may have interrupted anywhere.

    A temp that still holds the new bytes was not exchanged yet; one with other bytes was, and holds what came out.
    """
    temp = places.file(step.temp)
    if step.after is None:
        return materialise(places, step, digest, wait)
    if not temp.exists():
        return Ending.PLACED
    if digest(temp.read_bytes()) == step.after:
        return materialise(places, step, digest, wait)
    return settle_exchange(places, step, digest)


def displaced_file(places: Places, step: Step) -> Path:
    """Where what a step displaced is kept for a second look."""
    return places.displaced / step.temp.rpartition("/")[2].lstrip(".").removesuffix(TEMP_SUFFIX)


def kept_names(places: Places) -> list[str]:
    """Names of all files kept of writes, in order."""
    try:
        return sorted(os.listdir(places.displaced))
    except FileNotFoundError:
        return []


def displaced_files(places: Places, write: Journal, names: Sequence[str] | None = None) -> Iterator[tuple[Step, Path]]:
    """Every file kept of a write, with its step: what was displaced, and copies of what was typed meanwhile. ``names``
    are :func:`kept_names` where the caller asks about several writes."""
    steps = {displaced_file(places, step).name: step for step in write.steps}
    if not steps:
        return
    for name in kept_names(places) if names is None else names:
        step = steps.get(name.partition(_TYPED)[0])
        if step is not None:
            yield step, places.displaced / name


def _typed(first: Path, number: str) -> Path:
    return first.with_name(f"{first.name}{_TYPED}{number}")


def _replace(places: Places, target: Path, temp: Path, step: Step, digest: Digest, wait: Wait) -> Ending:
    try:
        with swap.undisturbed(target, wait) as opened:
            if temp.exists() and digest(swap.read_from(opened)) != step.before:
                temp.unlink()  # saved since it was read: no need to disturb it
                return Ending.TYPED
            if not swap.exchange(temp, target):
                swap.replace_keeping(temp, target, displaced_file(places, step))
                return Ending.PLACED
            if swap.is_same(opened, temp) and digest(swap.read_from(opened)) == step.before:
                _keep(temp, displaced_file(places, step))  # whoever waits to open it writes into the kept file
                return Ending.PLACED
    except FileNotFoundError:
        if not temp.exists():
            return Ending.PLACED  # done before a crash
        return _place_new(target, temp)
    return settle_exchange(places, step, digest)


def settle_exchange(places: Places, step: Step, digest: Digest) -> Ending:
    """Look at what an exchange brought out and end the step: keep it aside, or put it back."""
    target, temp = places.file(step.path), places.file(step.temp)
    came_out = digest(temp.read_bytes())
    if came_out == step.before:
        _keep(temp, displaced_file(places, step))
        return Ending.PLACED
    put_in = step.after
    for number in range(_MOST_EXCHANGES):
        _keep_copy(places, step, temp, number)
        # Put what came out back; what comes out now must be what was put in last, else it is a newer save still.
        try:
            swap.exchange(temp, target)
        except FileNotFoundError:
            swap.move_new(temp, target)
            return Ending.TYPED
        previous, came_out = came_out, digest(temp.read_bytes())
        if came_out in (step.after, put_in):
            break
        put_in = previous
    temp.unlink()
    return Ending.TYPED


def _keep_copy(places: Places, step: Step, temp: Path, number: int) -> None:
    """Keep a copy of what somebody typed while it goes back into place.

    An editor that read the file while our version was in it may save over this one without having seen it.
    """
    _typed(displaced_file(places, step), str(number)).write_bytes(temp.read_bytes())


def _place_new(target: Path, temp: Path) -> Ending:
    try:
        swap.move_new(temp, target)
    except FileExistsError:
        if temp.exists() and temp.read_bytes() != target.read_bytes():
            temp.unlink()
            return Ending.TYPED
        temp.unlink(missing_ok=True)
    except FileNotFoundError:
        return Ending.PLACED if target.exists() else Ending.BLOCKED
    return Ending.PLACED


def _remove(places: Places, target: Path, step: Step, digest: Digest) -> Ending:
    aside = displaced_file(places, step)
    try:
        os.rename(target, aside)
    except FileNotFoundError:
        return Ending.PLACED
    if digest(aside.read_bytes()) == step.before:
        return Ending.PLACED
    try:
        swap.move_new(aside, target)
    except FileExistsError:
        pass  # a newer save is there already; what we hold is looked at from where it is kept
    return Ending.TYPED


def _keep(temp: Path, aside: Path) -> None:
    os.rename(temp, aside)
