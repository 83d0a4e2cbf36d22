"""From a changed value to the splices that make its text say so: the least of them, in the form already there.

Called by editing. A scalar keeps its quotes, a list its style and every item that stays, a mapping every other name.
What an anchor, alias or tag ties to something else is refused, since a splice there would change more than one thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any

from loopx.documents import notation
from loopx.documents.flow import flow_splices
from loopx.documents.lines import column, comments_above, inserted, removed
from loopx.documents.nodes import Entry, Mapping, Node, Scalar, Sequence, tie_in
from loopx.documents.shapes import Shape, by_key, shapes
from loopx.documents.source import Source, Splice
from loopx.errors import LoopxError
from loopx.model.defining import dataclass
from loopx.model.fields import Merge

_DASH = re.compile(r"[ ]*-[ ]+")
_BLOCK_MARK = re.compile(r"[|>][-+0-9]*")


@dataclass(frozen=True, slots=True)
class Site:
    """Where a value stands: its node and field, whether brackets are around it, where its name's colon ends, and for an
    item of a block list the indentation and dash before it.
    """

    node: Node
    shape: Shape
    in_flow: bool = False
    colon: int | None = None
    prefix: str | None = None


Change = tuple[Shape, Any, Any]
"""A field, its old value and its new one; ``None`` removes it."""


def not_editable(source: Source, offset: int, why: str) -> LoopxError:
    return LoopxError("field-not-editable", f"The field cannot be changed in place: {why}.", place=source.place(offset))


def mapping_splices(
    source: Source, node: Mapping, changes: Iterable[Change], order: list[str], top: int | None = None
) -> Iterator[Splice]:
    """Make ``changes`` in ``node``. ``order`` lists all names a new one is placed by: behind the nearest before it.

    ``top`` is where a name with none before it goes; without it, behind the last one.
    """
    dropped: set[int] = set()
    added: list[tuple[int, Shape, Any]] = []
    for shape, old, new in changes:
        entry = node.find(shape.key)
        if entry is None:
            added += [(_behind(node, shape.key, order, is_top=top is not None), shape, new)] if new is not None else []
        elif new is None:
            _refuse_ties(source, entry.value)
            dropped.add(node.entries.index(entry))
        else:
            yield from value_splices(source, _site(source, node, entry, shape), old, new)
    if node.is_flow:
        spans = [(entry.start, entry.end) for entry in node.entries]
        texts = [(after, f"{shape.key}: {notation.flow_text(new, shape)}") for after, shape, new in added]
        yield from flow_splices(source, node.start, spans, dropped, texts)
        return
    for number in dropped:
        yield _entry_removed(source, node.entries[number])
    indent = " " * column(source, node.entries[0].start)
    for after, shape, new in added:
        offset = top if after < 0 and top is not None else source.line_end(node.entries[after].end)
        yield inserted(source, offset, notation.entry_lines(new, shape, indent))


def value_splices(source: Source, site: Site, old: Any, new: Any) -> Iterator[Splice]:
    """Make the value at ``site`` say ``new`` where it says ``old``."""
    if old == new:
        return
    node = site.node
    _refuse_ties(source, node)
    if isinstance(node, Scalar):
        yield _scalar_splice(source, site, node, new)
    elif isinstance(node, Sequence) and isinstance(new, tuple) and len(node.items) == len(old or ()):
        yield from _list_splices(source, site, node, old, new)
    elif isinstance(node, Mapping) and is_dataclass(new) and type(old) is type(new):
        fields = shapes(type(new)).values()
        changes = [(shape, getattr(old, shape.name), getattr(new, shape.name)) for shape in fields]
        different = [change for change in changes if change[1] != change[2]]
        yield from mapping_splices(source, node, different, [shape.key for shape in fields])
    else:
        raise not_editable(source, node.start, "it is written in another form than its value has")


def _refuse_ties(source: Source, node: Node) -> None:
    tie = tie_in(node)
    if tie is not None:
        raise not_editable(source, tie.start, "an anchor, alias or tag stands there")


def _site(source: Source, node: Mapping, entry: Entry, shape: Shape) -> Site:
    colon = source.text.find(":", entry.key.end) + 1
    return Site(entry.value, shape, node.is_flow, colon or None)


def _behind(node: Mapping, key: str, order: list[str], *, is_top: bool) -> int:
    """The index of the entry a new name goes behind; -1 for in front of all."""
    before = order[: order.index(key)]
    places = {entry.key.value: number for number, entry in enumerate(node.entries)}
    known = [places[name] for name in reversed(before) if name in places]
    if known:
        return known[0]
    return -1 if is_top else len(node.entries) - 1


def _entry_removed(source: Source, entry: Entry) -> Splice:
    start = source.line_start(entry.start)
    if source.text[start : entry.start].strip():
        raise not_editable(source, entry.start, "something else stands before it on its line")
    return removed(source, comments_above(source, entry), entry.end)


def _scalar_splice(source: Source, site: Site, node: Scalar, new: Any) -> Splice:
    if node.is_absent:
        lead = " " if source.text[node.start - 1 : node.start] == ":" else ": "
        return node.start, node.end, lead + notation.flow_text(new, site.shape)
    if node.style in ("|", ">"):
        return node.start, node.end, _block_text(source, site, node, new)
    if is_dataclass(new) and site.prefix is not None:
        lines = notation.item_lines(new, site.shape, " " * len(site.prefix))
        return node.start, node.end, source.newline_near(node.start).join(lines).lstrip(" ")
    if is_dataclass(new) or isinstance(new, tuple):
        return node.start, node.end, notation.flow_text(new, site.shape)
    return node.start, node.end, notation.scalar_text(new, site.shape, style=node.style, in_flow=site.in_flow)


def _block_text(source: Source, site: Site, node: Scalar, new: Any) -> str:
    """A block scalar's new text: still a block where the value allows, with its indentation and header comment."""
    header, _, content = source.text[node.start : node.end].partition("\n")
    match = _BLOCK_MARK.match(header)
    remark = header[match.end() :].rstrip("\r") if match else ""
    first = next((line for line in content.split("\n") if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    if not (isinstance(new, str) and indent and notation.can_be_literal(new)):
        return notation.scalar_text(new, site.shape, style='"') + remark
    is_one_line = "\n" not in new.removesuffix("\n")
    mark = notation.literal_mark(new, style=node.style if is_one_line else "|")
    return source.newline_near(node.start).join([mark + remark, *notation.literal_lines(new, indent)])


@dataclass(slots=True)
class _ListPlan:
    """What happens to a list: which items go, what comes in behind which, which change in themselves."""

    dropped: set[int]
    added: list[tuple[int, Any]]
    changed: list[tuple[int, Any]]


def _list_splices(
    source: Source, site: Site, node: Sequence, old: tuple[Any, ...], new: tuple[Any, ...]
) -> Iterator[Splice]:
    plan = _plan(old, new, site.shape.mark.merge)
    if site.shape.mark.merge is Merge.KEYED:
        _refuse_loss(source, site.shape, node, [number for number in plan.dropped if _stays(old[number], new)])
    for number, value in plan.changed:
        prefix = None if node.is_flow else _prefix(source, node, number)
        item = Site(node.items[number], site.shape, node.is_flow, prefix=prefix)
        yield from value_splices(source, item, old[number], value)
    if node.is_flow:
        spans = [(item.start, item.end) for item in node.items]
        texts = [(after, notation.flow_text(value, site.shape)) for after, value in plan.added]
        yield from flow_splices(source, node.start, spans, plan.dropped, texts)
    elif plan.dropped or plan.added:
        yield from _block_list_splices(source, site, node, plan)


def _stays(item: Any, new: tuple[Any, ...]) -> bool:
    return any(each.id == item.id for each in new)


def _refuse_loss(source: Source, shape: Shape, node: Sequence, moved: Iterable[int]) -> None:
    """An item put elsewhere in its list is written anew, which would lose names LoopX does not know."""
    known = by_key(shape.nested) if shape.nested else {}
    for number in moved:
        item = node.items[number]
        names = [entry.key.value for entry in item.entries] if isinstance(item, Mapping) else []
        unknown = [name for name in names if name not in known]
        if unknown:
            raise not_editable(source, item.start, f"moving this item would lose its `{unknown[0]}`")


def _block_list_splices(source: Source, site: Site, node: Sequence, plan: _ListPlan) -> Iterator[Splice]:
    for number in plan.dropped:
        _prefix(source, node, number)
        yield removed(source, node.items[number].start, node.items[number].end)
    if len(plan.dropped) == len(node.items) and not plan.added:
        if site.colon is None:
            raise not_editable(source, node.start, "the list would be left without items")
        yield site.colon, site.colon, " []"
    for after, value in plan.added:
        prefix = _prefix(source, node, max(after, 0))
        item = node.items[max(after, 0)]
        offset = source.line_end(item.end) if after >= 0 else source.line_start(item.start)
        yield inserted(source, offset, notation.item_lines(value, site.shape, prefix))


def _prefix(source: Source, node: Sequence, number: int) -> str:
    """The indentation and dash in front of an item."""
    start = node.items[number].start
    prefix = source.text[source.line_start(start) : start]
    if _DASH.fullmatch(prefix) is None:
        raise not_editable(source, start, "the item does not stand on a line of its own")
    return prefix


def _plan(old: tuple[Any, ...], new: tuple[Any, ...], merge: Merge) -> _ListPlan:
    if merge is Merge.SET:
        dropped = {number for number, item in enumerate(old) if item not in new}
        fresh = dict.fromkeys(item for item in new if item not in old)
        return _ListPlan(dropped, [(len(old) - 1, item) for item in fresh], [])
    key: Callable[[Any], Any] = (lambda item: item.id) if merge is Merge.KEYED else (lambda item: item)
    return _ordered_plan(old, new, key)


def _ordered_plan(old: tuple[Any, ...], new: tuple[Any, ...], key: Callable[[Any], Any]) -> _ListPlan:
    from difflib import SequenceMatcher

    plan = _ListPlan(set(), [], [])
    matcher = SequenceMatcher(None, [key(item) for item in old], [key(item) for item in new], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            plan.changed += [(i, new[j]) for i, j in zip(range(i1, i2), range(j1, j2), strict=True) if old[i] != new[j]]
        else:
            plan.dropped.update(range(i1, i2))
            plan.added += [(i2 - 1, item) for item in new[j1:j2]]
    return plan
