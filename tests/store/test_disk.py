"""Flushes that share a turn of the disk: all of them are made, and an error of one is told once none is under way."""

from __future__ import annotations

import errno
import os
import threading
from typing import Any

import pytest

from loopx.store import disk
from loopx.store.disk import flush_files


class Flushes:
    """In place of ``os.fsync``."""

    def __init__(self, *broken: int, meeting: int = 1) -> None:
        self.done: list[int] = []
        self.broken = broken
        self.met = threading.Barrier(meeting)

    def __call__(self, fd: int) -> None:
        if fd < self.met.parties:
            self.met.wait(30)
        self.done.append(fd)
        if fd in self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_every_file_is_flushed_once_and_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    flushes = Flushes(meeting=4)
    monkeypatch.setattr(os, "fsync", flushes)
    flush_files(range(40))
    assert sorted(flushes.done) == list(range(40))
    flush_files(())


@pytest.mark.parametrize("broken", [(0,), (11,), (2, 3, 7)])
def test_an_error_is_raised_after_all_were_tried(monkeypatch: pytest.MonkeyPatch, broken: tuple[int, ...]) -> None:
    flushes = Flushes(*broken)
    monkeypatch.setattr(os, "fsync", flushes)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        flush_files(range(12))
    assert sorted(flushes.done) == list(range(12))


def test_files_are_flushed_though_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    flushes = Flushes()
    monkeypatch.setattr(os, "fsync", flushes)
    monkeypatch.setattr(disk._thread, "start_new_thread", refuse)
    flush_files(range(12))
    assert flushes.done == list(range(12))
