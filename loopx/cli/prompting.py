"""Asking a person on the terminal, and knowing whether one sits there. Questions go to stderr, never to stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from loopx.cli.screen import is_terminal


def can_ask() -> bool:
    """Whether a person can be asked: what is typed and what is shown are both a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def ask_yes(about: Iterable[str], question: str) -> bool:
    """Show ``about``, ask, and wait for ``y``. Anything else, and the end of the input, is no."""
    for line in about:
        sys.stderr.write(f"{line}\n")
    sys.stderr.write(f"{question} Type y to confirm: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
