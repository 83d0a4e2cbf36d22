"""A rollback before and after: what it would touch, and the proof that it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown, table
from loopx.cli.screen import Screen
from loopx.cli.texts.receipts import short

if TYPE_CHECKING:
    from loopx.workspace.reports import PackItem, RollbackPacket, RolledBack

_HEADER = ("CHANGE", "KIND", "ID", "BY", "PATH")


def packet_lines(packet: RollbackPacket, screen: Screen) -> Iterator[str]:
    """What a rollback would do. Evidence for a decision, not permission."""
    yield screen.paint(f"rollback from {short(packet.head)} to {short(packet.target)}: a plan, nothing is done", "bold")
    yield from table(_HEADER, [_row(each) for each in packet.items], screen) or [_no_document(packet)]
    yield from _named("to be judged anew", packet.judgements)
    yield from _named("operations undone", packet.operations)
    yield from _named("depends on it", packet.dependants)
    yield from _named("stays as it is", packet.kept)
    yield from _named("needs care", packet.destructive)
    yield from _blocks("outside effects", packet.effects, screen)
    yield from _blocks("choices", packet.choices, screen)


def rolled_back_lines(done: RolledBack, screen: Screen) -> Iterator[str]:
    """What was put back, in one line, and what else came of it."""
    count = len(done.packet.items)
    documents = f"{count} document{'' if count == 1 else 's'}"
    judged = done.packet.judgements if not count else ()
    if done.committed.revision is None:
        yield f"nothing to put back: the documents equal {short(done.packet.target)} already"
        return
    if judged:
        yield f"no document changed; to be judged anew: {', '.join(judged)} · {short(done.committed.revision)}"
        return
    again = (
        "was done by this operation before" if done.committed.replayed else f"put back to {short(done.packet.target)}"
    )
    yield f"{documents} {again} · {screen.paint(short(done.committed.revision), 'yellow')} · proof {done.digest[:12]}"
    yield from _named("follow-up Todos for effects outside", done.compensation)
    yield from _named("unaccepted edits kept in", done.saved)


def _no_document(packet: RollbackPacket) -> str:
    return "no document differs" if packet.judgements else "nothing differs"


def _row(item: PackItem) -> tuple[str, ...]:
    return (item.change, item.kind, item.id, ", ".join(item.actors) or "-", item.path)


def _named(name: str, items: tuple[str, ...]) -> Iterator[str]:
    if items:
        yield f"{name}: {shown(', '.join(items))}"


def _blocks(title: str, items: Sequence[Mapping[str, Any]], screen: Screen) -> Iterator[str]:
    """Each item under its first fact, which names it, with the others below."""
    if items:
        yield screen.paint(title, "bold")
    for item in items:
        (_, name), *facts = item.items()
        yield f"  {shown(str(name))}"
        width = max((len(each) for each, _ in facts), default=0)
        for each, value in facts:
            said = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            if said:
                yield f"    {each.replace('_', ' '):<{width}}  {shown(said)}"
