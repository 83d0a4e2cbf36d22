"""Git's commit objects as text and back.

Called by the writer and by the walks through history. Times are written in UTC; the committer's and author's lines are
made so that ``git fsck --strict`` has nothing to say about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone

from loopx.store.git.trees import encoded
from loopx.store.protocol import Commit, Draft, Oid, Signature

_PERSON = re.compile(
    rb"(?P<name>.*?) ?<(?P<email>.*)> (?P<seconds>-?\d+) (?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNPRINTABLE = re.compile(r"[<>\x00-\x1f\x7f]")
_EDGES = " .,:;\"'\\"


def serialise(draft: Draft, tree: Oid, parents: Sequence[Oid]) -> bytes:
    """The content of the commit that ``draft`` describes."""
    stamp = f"{seconds_of(draft.at)} +0000"
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents)]
    lines += [f"author {person(draft.author)} {stamp}", f"committer {person(draft.committer)} {stamp}", ""]
    return "\n".join(lines).encode("utf-8", "replace") + b"\n" + message_bytes(draft.message)


def message_bytes(message: str) -> bytes:
    """A commit message as stored: UTF-8, one newline at its end, no NUL (which Git takes for its end)."""
    return encoded(message.replace("\0", "").rstrip("\n") + "\n")


def person(signature: Signature) -> str:
    """``Name <email>``, without what would end a name or an address early; a nameless one goes by its address."""
    email = _UNPRINTABLE.sub("", signature.email).strip()
    name = _UNPRINTABLE.sub(" ", signature.name).strip(_EDGES)
    return f"{name or email.partition('@')[0] or 'unknown'} <{email}>"


def seconds_of(at: datetime) -> int:
    """Seconds since 1970; ``at`` must have an offset."""
    if at.tzinfo is None:
        raise ValueError("a commit's time needs an offset")
    return int(at.timestamp())


def parse(oid: Oid, content: bytes) -> Commit:
    """The commit ``content`` tells of, however oddly it was made; an unreadable person or time becomes an empty one."""
    head, _, message = content.partition(b"\n\n")
    fields = list(_fields(head))
    named = dict(reversed(fields))
    author, authored_at = _person(named.get(b"author", b""))
    _, committed_at = _person(named.get(b"committer", b""))
    return Commit(
        oid=oid,
        tree=named.get(b"tree", b"").decode(),
        parents=tuple(value.decode() for name, value in fields if name == b"parent"),
        author=author,
        authored_at=authored_at,
        committed_at=committed_at,
        message=_text(message, named.get(b"encoding")),
    )


def _fields(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in head.split(b"\n"):
        # A line that starts with a blank goes on with a signature.
        if not line.startswith(b" "):
            name, _, value = line.partition(b" ")
            yield name, value


def _person(line: bytes) -> tuple[Signature, datetime]:
    match = _PERSON.fullmatch(line)
    if match is None:
        return Signature("", ""), _EPOCH
    found = Signature(_text(match["name"], None), _text(match["email"], None))
    return found, _instant(int(match["seconds"]), _zone(match))


def _zone(match: re.Match[bytes]) -> timezone:
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    if offset >= timedelta(hours=24):
        return UTC
    return timezone(-offset if match["sign"] == b"-" else offset)


def _instant(seconds: int, zone: timezone) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, zone)
    except (OverflowError, ValueError, OSError):
        return _EPOCH


def _text(content: bytes, encoding: bytes | None) -> str:
    try:
        return content.decode((encoding or b"utf-8").decode("ascii", "replace"), "replace")
    except LookupError:
        return content.decode("utf-8", "replace")
