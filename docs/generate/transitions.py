"""The reference page of lifecycles and authority, from the kernel's tables: a diagram and a table a lifecycle.

The sections on steps, runs and failures are made by :mod:`docs.generate.plans`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from docs.generate import plans
from docs.generate.markdown import code, document, fenced, table
from docs.generate.notes import notes
from loopx.kernel import authority, transitions
from loopx.kernel.transitions import TABLES, Guard, Transition, Who
from loopx.model.entities import CLASSES
from loopx.model.kind import Kind

Lifecycle = Mapping[tuple[Any, Any], Transition]

_INTRODUCTION = """\
A change of status that stands in no table here is refused with [`transition-illegal`](errors.md#transition-illegal),
whether it is asked for by a command or typed into a file. The tables are the ones the kernel decides by."""

_AUTHORITY_INTRODUCTION = """\
Asked before any other rule. A person may do all of it; where the workspace names operators, what is for a person is
for an operator. An actor is a claim on a machine people trust, not a proof of identity."""

_RULES = {
    authority.Rule.ANYONE: "may",
    authority.Rule.LIMITED: "may, within limits",
    authority.Rule.PERSON: "may not",
    authority.Rule.NOT_BY_HAND: "may not",
}


def page() -> str:
    """The page's text."""
    lifecycles = (_lifecycle(kind) for kind in TABLES)
    return document("Transitions", _INTRODUCTION, _words(), *lifecycles, *plans.sections(), _authority())


def diagram(kind: Kind) -> list[str]:
    """The lines of a Mermaid state diagram of ``kind``'s lifecycle."""
    lifecycle = TABLES[kind]
    lines = ["stateDiagram-v2", *(f"  [*] --> {status}" for status in _beginnings(kind))]
    lines += [f"  {before} --> {after}: {_short(line)}" for (before, after), line in lifecycle.items()]
    return [*lines, *(f"  {status} --> [*]" for status in _ends(lifecycle))]


def _words() -> str:
    lines = [line for lifecycle in TABLES.values() for line in lifecycle.values()]
    rows = [
        ["who", code(each), notes(Who)[each.name]] for each in Who if _is_used(each, lines) and each.name in notes(Who)
    ]
    rows += [["guard", code(each), notes(Guard)[each.name]] for each in Guard if _is_used(each, lines)]
    return table(["", "word", "what it asks for"], rows)


def _is_used(word: Who | Guard, lines: Sequence[Transition]) -> bool:
    return word is not Guard.NONE and any(word in (line.who, line.guard) for line in lines)


def _lifecycle(kind: Kind) -> str:
    heads = ["from", "to", "command", "who", "guard"]
    parts = [f"## {kind}", notes(transitions)[kind.name], fenced("mermaid", diagram(kind))]
    return "\n\n".join((*parts, table(heads, _rows(TABLES[kind]))))


def _rows(lifecycle: Lifecycle) -> Iterator[list[str]]:
    for (before, after), line in lifecycle.items():
        commands = " · ".join(code(f"loopx {each}") for each in line.commands)
        yield [str(before), str(after), commands, str(line.who), "" if line.guard is Guard.NONE else str(line.guard)]


def _authority() -> str:
    heads = ["command", "an agent", "within", "by editing files"]
    rows = (_authority_row(command, line) for command, line in authority.TABLE.items())
    return "\n\n".join(("## Who may propose what", _AUTHORITY_INTRODUCTION, table(heads, rows)))


def _authority_row(name: str, line: authority.Line) -> list[str]:
    by_hand = f"never: [`{line.by_hand}`](errors.md#{line.by_hand})" if line.by_hand else "judged like the command"
    return [code(name), _RULES[line.agent], line.limit, by_hand]


def _beginnings(kind: Kind) -> list[str]:
    """Statuses a new document may have: its default, and any that nothing else leads to."""
    lifecycle = TABLES[kind]
    default = next(field.default for field in fields(CLASSES[kind]) if field.name == "status")
    entered = {after for _, after in lifecycle}
    return list(dict.fromkeys([str(default), *(str(before) for before, _ in lifecycle if before not in entered)]))


def _ends(lifecycle: Lifecycle) -> list[str]:
    left = {before for before, _ in lifecycle}
    return list(dict.fromkeys(str(after) for _, after in lifecycle if after not in left))


def _short(line: Transition) -> str:
    return " or ".join(each.split()[-1] for each in line.commands)
