"""Reading what was typed into an argument: text or stdin, a command line, a point in time."""

from __future__ import annotations

import re
import shlex
import sys
from datetime import datetime, timedelta
from pathlib import Path

from loopx.cli.usage import usage

_AGO = re.compile(r"(\d{1,6})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_OF_A_SHELL = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def text_or_stdin(text: str, option: str) -> str:
    """``text``, or all of stdin where it is ``-``."""
    if text != "-":
        return text
    if sys.stdin is None:
        raise usage("There is no input to read.", option)
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise usage("The input is not UTF-8 text.", option) from error


def words(command: str, option: str) -> tuple[str, ...]:
    """A command typed as one text, split as a shell splits words; nothing is expanded."""
    try:
        found = tuple(shlex.split(command))
    except ValueError as error:
        raise usage(f"{command!r} cannot be split into words: {error}.", option) from error
    if not found:
        raise usage("A command needs at least a program.", option)
    return found


def named_command(text: str, option: str) -> tuple[str, str, tuple[str, ...]]:
    """``build: make all`` as the name, the command as typed, and its words. What only a shell understands is refused:
    no shell reads it."""
    name, colon, command = text.partition(":")
    if not colon or not name.strip():
        raise usage(f"{text!r} is not 'ID: COMMAND'.", option)
    found = words(command, option)
    odd = next((each for each in found if each in _OF_A_SHELL), None)
    if odd is not None:
        raise usage(f"No shell reads this, so {odd!r} means nothing; write: {name.strip()}: sh -c '…'", option)
    return name.strip(), command.strip(), found


def text_of(folder: Path, source: str | None, option: str) -> str | None:
    """The text of the file ``source`` (seen from ``folder``), or all of stdin for ``-``; ``None`` for none."""
    if source is None:
        return None
    if source == "-":
        return text_or_stdin("-", option)
    try:
        return (folder / source).expanduser().read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise usage(f"{source} is not UTF-8 text.", option) from error
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise usage(f"{source} cannot be read: {error.strerror}.", option) from error


def moment(text: str, now: datetime, option: str) -> datetime:
    """The instant ``text`` names: with an offset, a day (from its start, UTC), or how long ago (``30m``, ``2d``)."""
    from loopx.model.times import parse_instant

    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return parse_instant(f"{text}T00:00Z" if _DAY.fullmatch(text) else text)
    except (ValueError, OverflowError) as error:
        raise usage(f"{text!r} is no time: write 2d, 2026-01-31 or 2026-01-31T08:00Z.", option) from error


def seconds(text: str, option: str) -> int:
    """How many seconds the length of time ``text`` names, such as ``10m``."""
    from loopx.kernel.durations import parse_duration

    try:
        return int(parse_duration(text).total_seconds())
    except ValueError as error:
        raise usage(f"{text!r} is no length of time: write 30s, 10m, 6h or 1d.", option) from error
