"""Acceptance criteria as people write them: a plain line of text is a criterion too, and gets an id from its words.

Called before binding; the text itself is left alone. The id follows from the words alone, so that moving lines about
changes no criterion's identity.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from loopx.model.ids import normalised_title, slug


def normal_criteria(items: Any) -> Any:
    """``acceptance`` as typed, with plain texts (and mappings without an id) made ``{id, text}``.

    Anything that is no list of such items is returned as it is, for the binding to complain about.
    """
    if not isinstance(items, list) or all(isinstance(item, dict) and "id" in item for item in items):
        return items
    taken = {item["id"] for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)}
    return [_identified(item, taken) for item in items]


def _identified(item: Any, taken: set[str]) -> Any:
    fields = {"text": item} if isinstance(item, str) else item
    if not isinstance(fields, dict) or "id" in fields or not isinstance(fields.get("text"), str):
        return item
    plain = slug(fields["text"]) or f"c-{blake2b(normalised_title(fields['text']).encode(), digest_size=4).hexdigest()}"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    taken.add(name)
    return {"id": name, **fields}
