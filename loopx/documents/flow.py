"""Splices inside brackets and braces: items put in and taken out between commas.

Called by :mod:`loopx.documents.changes` for lists and mappings in flow form. What stays is not touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from loopx.documents.source import Source, Splice

Span = tuple[int, int]


def flow_splices(
    source: Source, opening: int, parts: Sequence[Span], dropped: Collection[int], added: Sequence[tuple[int, str]]
) -> Iterator[Splice]:
    """Take the ``dropped`` parts out and put the ``added`` texts in, each behind the part of the index with it.

    ``opening`` is the offset of the bracket, ``parts`` the spans of what stands in it; index -1 means in front.
    """
    kept = [number for number in range(len(parts)) if number not in dropped]
    yield from _without(source, parts, dropped, kept)
    if not kept:
        texts = ", ".join(text for _, text in added)
        at = parts[0][0] if parts else opening + 1
        if texts:
            yield at, at, texts
        return
    for after, text in added:
        before = [number for number in kept if number <= after]
        if before:
            yield parts[before[-1]][1], parts[before[-1]][1], f", {text}"
        else:
            yield parts[kept[0]][0], parts[kept[0]][0], f"{text}, "


def _without(source: Source, parts: Sequence[Span], dropped: Collection[int], kept: Sequence[int]) -> Iterator[Splice]:
    """Each part goes with the comma behind it; those at the end with the comma in front of them."""
    if not parts:
        return
    last = kept[-1] if kept else -1
    for number in dropped:
        if number < last:
            yield parts[number][0], parts[number + 1][0], ""
    if last == len(parts) - 1:
        return
    if kept:
        yield parts[last][1], parts[-1][1], ""
    else:
        end = parts[-1][1]
        rest = source.text[end:].lstrip()
        yield parts[0][0], end + (source.text[end:].index(",") + 1 if rest.startswith(",") else 0), ""
