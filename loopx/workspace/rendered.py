"""What was rendered last: the revision, and a digest of each page, so that a page somebody changed can be told from
one that is only behind. Written beside the pages, read by ``loopx doctor``; lost, it is made again by the next render.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256

from loopx.model.defining import dataclass
from loopx.workspace.places import Places


@dataclass(frozen=True, slots=True)
class Rendered:
    """The last render. ``pages`` maps each page's path to the digest of what was written."""

    revision: str | None
    pages: Mapping[str, str]


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def note(places: Places, revision: str | None, pages: Mapping[str, str]) -> None:
    """Keep what was rendered."""
    _keep(places, Rendered(revision, {path: digest(page.encode()) for path, page in pages.items()}))


def note_some(places: Places, pages: Mapping[str, str]) -> None:
    """Keep that some pages were rendered ahead of the others, which still stand for the revision noted before."""
    before = last(places)
    if before is not None:
        fresh = {path: digest(page.encode()) for path, page in pages.items()}
        _keep(places, Rendered(before.revision, {**before.pages, **fresh}))


def _keep(places: Places, found: Rendered) -> None:
    text = json.dumps({"revision": found.revision, "pages": dict(found.pages)})
    fresh = places.rendered.with_suffix(f".{os.getpid()}.tmp")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, places.rendered)


def last(places: Places) -> Rendered | None:
    """What was rendered last; ``None`` when that is not known."""
    try:
        found = json.loads(places.rendered.read_text(encoding="utf-8"))
        return Rendered(found["revision"], dict(found["pages"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
