"""The reference page of files: every kind, where it lives, and each field with its owner, form and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from datetime import UTC, datetime
from typing import Any, get_type_hints

from docs.generate.forms import form, nested
from docs.generate.markdown import code, document, table
from loopx.model import layout
from loopx.model.codec import plain
from loopx.model.entities import CLASSES
from loopx.model.fields import Mark, Owner, marks
from loopx.model.kind import Kind

_INTRODUCTION = """\
Everything LoopX knows stands in these files under `.loopx/`, and every accepted version of them in `.loopx/.git`. A
Markdown file is a header of YAML between two lines `---`, and a body; the rest is YAML alone.

- **you** own a field: change it in an editor whenever you like.
- **you, as a command**: change it in an editor too, but the change is judged by the same rules as the command for it.
- **LoopX** owns a field: leave it as it is. A hand edit of it is refused by name; a missing one is put back.

A field marked **guard** loosens or tightens what may happen, so that changing it can need more authority than a title
does. Fields LoopX does not know are kept as they are; one that starts with `x-` is yours and is never remarked on.

Folders named `archive/yyyy-mm/` hold closed Todos and decided Gates in the same forms. `local/` and `status/` hold
nothing that counts: locks, the cache and the generated pages, none of which is ever committed or read back."""

_OWNERS = {Owner.HUMAN: "you", Owner.LIFECYCLE: "you, as a command", Owner.MACHINE: "LoopX"}


def page() -> str:
    """The page's text."""
    return document("Files", _INTRODUCTION, _overview(), *(_section(kind) for kind in Kind))


def place(kind: Kind) -> str:
    """Where a file of ``kind`` lives, with what varies in angle brackets."""
    day = datetime(2026, 1, 2, tzinfo=UTC)
    places = {
        Kind.WORKSPACE: layout.WORKSPACE_FILE,
        Kind.GOAL: layout.goal_path("<goal>"),
        Kind.TODO: layout.todo_path("<goal>", "<todo>", "slug"),
        Kind.GATE: layout.gate_path("<goal>", "<gate>", "slug"),
        Kind.VISION: layout.vision_path("<goal>", "<agent>"),
        Kind.COMPLETION: layout.record_path(Kind.COMPLETION, "<goal>", "<todo>"),
        Kind.DECISION: layout.record_path(Kind.DECISION, "<goal>", "<gate>"),
        Kind.CRITERION: layout.record_path(Kind.CRITERION, "<goal>", "<criterion>"),
        Kind.EVIDENCE: layout.record_path(Kind.EVIDENCE, "<goal>", "<evidence>", day),
        Kind.TURN: layout.record_path(Kind.TURN, "<goal>", "<turn>", day),
        Kind.LEASE: layout.record_path(Kind.LEASE, "<goal>", "<todo>"),
        Kind.MONITOR: layout.record_path(Kind.MONITOR, "<goal>", "<todo>"),
        Kind.EFFECT: layout.record_path(Kind.EFFECT, "<goal>", "<effect>"),
        Kind.HANDOFF: layout.record_path(Kind.HANDOFF, "<goal>", "<handoff>"),
        Kind.PROPOSAL: layout.proposal_path("<goal>", "<proposal>", "slug"),
        Kind.BASELINE: layout.record_path(Kind.BASELINE, "<goal>", "<agent>"),
        Kind.CLOSURE: layout.record_path(Kind.CLOSURE, "<goal>", "<goal>"),
        Kind.PLAN: layout.run_path(Kind.PLAN, "<goal>", "<todo>", "<run>"),
        Kind.RUN: layout.run_path(Kind.RUN, "<goal>", "<todo>", "<run>"),
        Kind.STEP: layout.run_path(Kind.STEP, "<goal>", "<todo>", "<run>/<step>"),
        Kind.TRACE: layout.run_path(Kind.TRACE, "<goal>", "<todo>", "<run>/<number>"),
    }
    return places[kind].replace("-slug", "-<slug>").replace(f"{day:%Y-%m-%d}", "<yyyy-mm-dd>")


def _overview() -> str:
    rows = ([f"[{kind}](#{kind})", code(place(kind)), _about(CLASSES[kind])] for kind in Kind)
    return table(["kind", "file", "what it is"], rows)


def _section(kind: Kind) -> str:
    cls = CLASSES[kind]
    facts = [f"`.loopx/{place(kind)}`", f"schema `schemas/{kind}.schema.json`"]
    if kind.is_forward_only:
        facts.append("only ever grows: a rollback leaves it alone")
    parts = [f"## {kind}", " · ".join(facts), _fields(cls), *_inner_tables(cls)]
    if kind.is_markdown:
        parts.append("The **body** below the header is yours: free Markdown.")
    return "\n\n".join(parts)


def _inner_tables(cls: type) -> Iterator[str]:
    for owner_key, inner in nested(cls):
        yield f"### {code(owner_key)}"
        yield _fields(inner)


def _fields(cls: type) -> str:
    known = {each.name: each for each in fields(cls)}
    hints = get_type_hints(cls, include_extras=True)
    rows = (_row(known[name], mark, hints[name]) for name, mark in marks(cls).items())
    return table(["field", "owner", "form", "if left out", "meaning"], rows)


def _row(field: Field[Any], mark: Mark, hint: Any) -> list[str]:
    owner = _OWNERS[mark.owner] + (" · **guard**" if mark.guard else "")
    return [code(mark.key or field.name), owner, form(hint), _default(field, mark), mark.about]


def _default(field: Field[Any], mark: Mark) -> str:
    if field.default_factory is not MISSING:
        return "defaults"
    if field.default is MISSING:
        return "put in" if mark.owner is Owner.MACHINE else "**required**"
    if field.default in (None, ()):
        return ""
    value = plain(field.default)
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def _about(cls: type) -> str:
    return (cls.__doc__ or "").strip().splitlines()[0].replace("``", "`")
