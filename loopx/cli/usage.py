"""Usage errors that verbs and arguments find by themselves: the option they are about, and what was perhaps meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click


class Misuse(click.UsageError):
    """A command line that cannot be carried out. ``option_name`` is the option it is about, if one."""

    def __init__(
        self, message: str, option: str = "", near: Sequence[str] = (), ctx: click.Context | None = None
    ) -> None:
        super().__init__(message, ctx or click.get_current_context(silent=True))
        self.option_name = option
        self.possibilities = list(near)


def usage(message: str, option: str = "") -> Misuse:
    """The error to raise for a request that makes no sense; ``option`` is the option or argument it is about."""
    return Misuse(message, option)


def unknown_word(word: str, known: Iterable[str], ctx: click.Context) -> Misuse:
    """The error for a word that is no command, with the nearest ones."""
    from difflib import get_close_matches

    near = [f"{ctx.command_path} {each}" for each in get_close_matches(word, list(known))]
    return Misuse(f"No such command {word!r}.", near=near, ctx=ctx)
