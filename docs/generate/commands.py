"""The reference page of the command line, from the command tree itself: every command, argument, option and example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from docs.generate.markdown import code, document, fenced, table
from loopx.cli.options import SHARED
from loopx.cli.root import root

_OF_EVERY_COMMAND = frozenset(each.name for each in root.params if each.name in SHARED)

_INTRODUCTION = """\
`loopx <noun> <verb>`; a noun alone lists. Ids may be shortened to any beginning that fits only one. Exit statuses and
error codes are on the [page of errors](errors.md)."""

_SHARED_INTRODUCTION = """\
These belong to the request rather than to a command. Each command below names those it takes beyond what every command
takes; the latter may also stand before the noun: `loopx --json todo list`."""


def page() -> str:
    """The page's text."""
    found = list(commands())
    rows = ([f"[{code(path)}](#{path.replace(' ', '-')})", _summary(command)] for path, command in found)
    overview = table(["command", "what it does"], rows)
    sections = (_section(path, command) for path, command in found)
    return document("Commands", _INTRODUCTION, overview, _shared([command for _, command in found]), *sections)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command as typed (``loopx todo add``), nouns before their verbs, in the order help lists them."""
    context = click.Context(root, info_name="loopx")
    for word in root.list_commands(context):
        command = root.get_command(context, word)
        if command is None:
            raise LookupError(f"loopx lists {word!r} but cannot load it")
        yield from _with_verbs(command, f"loopx {word}", context)


def _with_verbs(command: click.Command, path: str, parent: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, parent=parent)
        for word in command.list_commands(context):
            verb = command.get_command(context, word)
            if verb is not None:
                yield from _with_verbs(verb, f"{path} {word}", context)


def _section(path: str, command: click.Command) -> str:
    parts = [f"## {path}", _prose(command.help or "")]
    if isinstance(command, click.Group):
        bare = getattr(command, "bare", None)
        return "\n\n".join([*parts, f"Alone, it means `{path} {bare}`."] if bare else parts)
    parts.append(fenced("text", [" ".join((path, *map(_argument, _arguments(command)), "[OPTION]…"))]))
    own = [option for option in _options(command) if option.name not in SHARED]
    if own:
        parts.append(_option_table(own))
    also = [code(option.opts[-1]) for option in _options(command) if option.name in SHARED - _OF_EVERY_COMMAND]
    if also:
        parts.append(f"Also {', '.join(also)}.")
    if command.epilog:
        parts.append(fenced("sh", _examples(command.epilog)))
    return "\n\n".join(parts)


def _shared(found: Sequence[click.Command]) -> str:
    seen: dict[str, click.Option] = {}
    for option in (option for command in found for option in _options(command) if option.name in SHARED):
        seen.setdefault(option.name or "", option)
    everywhere = [option for name, option in seen.items() if name in _OF_EVERY_COMMAND]
    others = [option for name, option in seen.items() if name not in _OF_EVERY_COMMAND]
    head = "## Options of every command"
    return "\n\n".join(
        (head, _SHARED_INTRODUCTION, _option_table(everywhere), "Reads and writes add to them:", _option_table(others))
    )


def _option_table(options: Iterable[click.Option]) -> str:
    return table(["option", "meaning"], ([_spelled(each), _meaning(each)] for each in options))


def _spelled(option: click.Option) -> str:
    names = ", ".join((*option.opts, *option.secondary_opts))
    return code(names if option.is_flag or option.count else f"{names} {_value(option)}")


def _value(parameter: click.Parameter) -> str:
    if parameter.metavar:
        return parameter.metavar
    if isinstance(parameter.type, click.Choice):
        return "|".join(map(_plain, parameter.type.choices))
    if isinstance(parameter.type, (click.types.IntParamType, click.types.FloatParamType)):
        return "NUMBER"
    return (parameter.name or "").upper() if isinstance(parameter, click.Argument) else parameter.type.name.upper()


def _meaning(option: click.Option) -> str:
    about = _prose(option.help or "")
    notes = ["required"] if option.required else []
    if option.multiple and "repeatable" not in about:
        notes.append("repeatable")
    if option.show_default:
        notes.append(f"without it {code(_plain(option.default))}")
    return " ".join(filter(None, (about, f"*({', '.join(notes)})*" if notes else "")))


def _plain(value: object) -> str:
    return str(getattr(value, "value", value))


def _argument(argument: click.Argument) -> str:
    shown = _value(argument).strip("[]") + ("…" if argument.nargs == -1 else "")
    return shown if argument.required else f"[{shown}]"


def _arguments(command: click.Command) -> list[click.Argument]:
    return [each for each in command.params if isinstance(each, click.Argument)]


def _options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option)]


def _summary(command: click.Command) -> str:
    return _prose((command.help or "").split("\n\n")[0])


def _prose(text: str) -> str:
    return text.replace("\b\n", "").strip().replace("<", "&lt;")


def _examples(epilog: str) -> list[str]:
    lines = epilog.replace("\b", "").strip().splitlines()
    return [line.strip() for line in lines if line.strip() and line.strip() != "Examples:"]
