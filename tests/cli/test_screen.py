"""What is known of the terminal: width and colour, and that a pipe is none."""

from __future__ import annotations

import io

import pytest

from loopx.cli.screen import Screen, screen_of


class Terminal(io.StringIO):
    """A stream that says a person sits at it, without a device behind it."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_has_no_width_and_no_colour() -> None:
    assert screen_of(io.StringIO(), {"COLUMNS": "40", "TERM": "xterm"}) == Screen(None, False)


def test_a_terminal_has_the_width_the_environment_names() -> None:
    assert screen_of(Terminal(), {"COLUMNS": "40", "TERM": "xterm"}) == Screen(40, True)


@pytest.mark.parametrize("columns", ["", "wide", "-3", "0"])
def test_a_width_that_is_none_falls_back_to_80(columns: str) -> None:
    assert screen_of(Terminal(), {"COLUMNS": columns}).width == 80


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_refused(environ: dict[str, str]) -> None:
    assert not screen_of(Terminal(), environ).colour


def test_paint_without_colour_changes_nothing() -> None:
    assert Screen().paint("text", "red") == "text"
    assert Screen(colour=True).paint("text", "red") == "\x1b[31mtext\x1b[0m"
