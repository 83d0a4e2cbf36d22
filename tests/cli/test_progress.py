"""The bar over long taking-in: on a terminal, on stderr, and nowhere else."""

from __future__ import annotations

import sys

import pytest

from loopx.cli.progress import LONG, TakingIn
from tests.cli.conftest import Terminal


def test_long_work_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    told = TakingIn()
    for done in range(0, LONG * 2 + 1, 100):
        told(done, LONG * 2)
    told.stop()
    assert "Taking in hand-made files" in terminal.getvalue()


def test_short_work_is_not_worth_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    TakingIn()(LONG - 1, LONG - 1)
    assert terminal.getvalue() == ""


def test_nothing_is_drawn_into_a_file_or_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    TakingIn()(LONG * 2, LONG * 2)
    assert capsys.readouterr() == ("", "")
