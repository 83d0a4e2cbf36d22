"""Temp files beside their targets: new contents, whole and flushed, waiting to be exchanged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from stat import S_IMODE

from loopx.errors import LoopxError, Place
from loopx.store.disk import flush_files, flush_folder, flush_folders, told, write_all
from loopx.workspace.journal import Step
from loopx.workspace.places import Places

_AT_ONCE = 200
"""Files held open at a time, so that many flushes share one turn of the disk and few descriptors are used."""


def write_temps(places: Places, steps: Sequence[Step], contents: Sequence[bytes | None], *, durable: bool) -> None:
    """Write every new content under its step's temp name.

    Raises ``document-link`` for a folder that leads elsewhere, ``disk-full`` and kin; temps made stay behind.
    """
    _refuse_linked(places, steps)
    wanted = [(step, content) for step, content in zip(steps, contents, strict=True) if content is not None]
    folders = sorted({places.file(step.temp).parent for step, _ in wanted})
    for folder in folders:
        _make_folder(folder, durable)
    for start in range(0, len(wanted), _AT_ONCE):
        _write_some(places, wanted[start : start + _AT_ONCE], durable)
    if durable:
        flush_folders([str(each) for each in folders])


def _refuse_linked(places: Places, steps: Sequence[Step]) -> None:
    """Nothing is written, or removed, through a folder that may lead out of the workspace."""
    paths = {step.path.rpartition("/")[0]: step.path for step in steps}
    for path in paths.values():
        folder = places.linked_folder(path)
        if folder is not None:
            message = f"{folder} is a symbolic link, and {path} would have to be written through it"
            raise LoopxError("document-link", message, place=Place(folder))


def _write_some(places: Places, wanted: Sequence[tuple[Step, bytes]], durable: bool) -> None:
    opened: list[int] = []
    try:
        for step, content in wanted:
            opened.append(_written(places.file(step.temp), content, places.file(step.path)))
        if durable:
            flush_files(opened)
    except OSError as error:
        raise told(error, error.filename or wanted[0][0].path) from error
    finally:
        for fd in opened:
            os.close(fd)


def _written(temp: Path, content: bytes, target: Path) -> int:
    """An open file with ``content`` and the mode of the file it is to stand in for."""
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        write_all(fd, content)
        try:
            os.fchmod(fd, S_IMODE(os.stat(target).st_mode))
        except FileNotFoundError:
            pass  # a new document: the person's umask decides
    except BaseException:
        os.close(fd)
        raise
    return fd


def _make_folder(folder: Path, durable: bool) -> None:
    if folder.exists():
        return
    _make_folder(folder.parent, durable)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise LoopxError.of(told(error, str(folder)).problem) from error
    if durable:
        flush_folder(str(folder.parent))
