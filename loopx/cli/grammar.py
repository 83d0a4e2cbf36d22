"""The shapes of the command line: a root that loads nouns when they are typed, nouns whose bare form lists, verbs.

A verb's function gets a :class:`~loopx.cli.request.Request` and its own arguments and returns an
:class:`~loopx.cli.answer.Answer`; it prints nothing. Options every command has never reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click

from loopx.cli.answer import Answer, text_answer
from loopx.cli.options import SHARED
from loopx.cli.request import Request
from loopx.cli.table import ROWS, SECTIONS
from loopx.cli.usage import unknown_word

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Shown(Exception):
    """Help or version was asked for: the answer is ready and the request need not be read further."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class Verb(click.Command):
    """One command that does something."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **_dressed(named))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return _help_option(self, ctx)

    def invoke(self, ctx: click.Context) -> Answer:
        given = {**_typed_before_the_noun(ctx), **_typed(ctx)}
        request = Request.taken_from(given, ctx.obj)
        own = {name: value for name, value in ctx.params.items() if name not in SHARED}
        return ctx.invoke(self._function(), request, **own)

    def _function(self) -> Callable[..., Answer]:
        if self.callback is None:
            raise AssertionError(f"{self.name} has no function")
        return self.callback


class Noun(click.Group):
    """A noun with its verbs. Typed bare, or with options only, it means its verb ``bare``.

    ``verbs`` maps words to places (``module:attribute`` below ``loopx.cli.commands``), imported when typed.
    """

    command_class = Verb

    def __init__(
        self, *given: Any, bare: str | None = "list", verbs: Mapping[str, str] | None = None, **named: Any
    ) -> None:
        super().__init__(*given, **_dressed(named))
        self.bare = bare
        self.verbs = verbs or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.verbs, *(word for word in self.commands if word not in self.verbs)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.verbs:
            return imported(self.verbs[cmd_name])
        return super().get_command(ctx, cmd_name)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return _help_option(self, ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.bare is not None and self._is_bare(ctx, args):
            args = [self.bare, *args]
        return super().parse_args(ctx, args)

    def _is_bare(self, ctx: click.Context, args: list[str]) -> bool:
        if not args:
            return not ctx.resilient_parsing  # a shell that completes wants the verbs
        return args[0].startswith("-") and args[0] not in ctx.help_option_names

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise unknown_word(args[0], self.list_commands(ctx), ctx)
        return args[0], command, args[1:]


class Root(Noun):
    """``loopx`` itself: its words are the table's, told in sections."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in SECTIONS:
            with formatter.section(section):
                formatter.write_dl([(row.word, row.about) for row in ROWS if row.section == section])


def imported(place: str) -> click.Command:
    """The command at ``module:attribute`` below ``loopx.cli.commands``."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(f"loopx.cli.commands.{module}"), attribute)  # type: ignore[no-any-return]


def _typed_before_the_noun(ctx: click.Context) -> dict[str, Any]:
    """Shared options given as ``loopx --json todo list``; the same given after the verb win."""
    return {name: value for name, value in ctx.find_root().params.items() if name in SHARED and value}


def _typed(ctx: click.Context) -> dict[str, Any]:
    defaults = _typed_before_the_noun(ctx)
    return {name: value for name, value in ctx.params.items() if name in SHARED and (value or name not in defaults)}


def _help_option(command: click.Command, ctx: click.Context) -> click.Option:
    """A help option whose text becomes an answer, so that ``--help --json`` is JSON too."""

    def show(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            raise Shown(text_answer("help", context.get_help()))

    if command._help_option is None:
        names = command.get_help_option_names(ctx)
        command._help_option = click.Option(
            names, is_flag=True, is_eager=True, expose_value=False, help="Show this text.", callback=show
        )
    return command._help_option


def _dressed(named: dict[str, Any]) -> dict[str, Any]:
    """What a command is made with, its examples kept from being wrapped and our settings added."""
    examples = named.get("epilog")
    return {**named, "epilog": f"\b\nExamples:\n{examples}" if examples else None, "context_settings": _SETTINGS}
