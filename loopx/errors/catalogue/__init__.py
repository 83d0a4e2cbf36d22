"""Every code there is, a table a room, the kernel's by family of commands. The reference page is generated from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loopx.errors.catalogue.cli import CLI
from loopx.errors.catalogue.daemon import DAEMON
from loopx.errors.catalogue.deciding import DECIDING
from loopx.errors.catalogue.documents import DOCUMENTS
from loopx.errors.catalogue.ending import ENDING
from loopx.errors.catalogue.entry import Entry
from loopx.errors.catalogue.evidence import EVIDENCE
from loopx.errors.catalogue.exchange import EXCHANGE
from loopx.errors.catalogue.kernel import KERNEL
from loopx.errors.catalogue.leases import LEASES
from loopx.errors.catalogue.loop import LOOP
from loopx.errors.catalogue.store import STORE
from loopx.errors.catalogue.turns import TURNS
from loopx.errors.catalogue.web import WEB
from loopx.errors.catalogue.workspace import WORKSPACE


def _table() -> Mapping[str, Entry]:
    found: dict[str, Entry] = {}
    kernel = (*KERNEL, *LEASES, *EVIDENCE, *TURNS, *EXCHANGE, *DECIDING, *ENDING)
    for line in (*DOCUMENTS, *kernel, *STORE, *WORKSPACE, *LOOP, *DAEMON, *WEB, *CLI):
        if line.code in found:
            raise AssertionError(f"error code {line.code!r} stands twice in the catalogue")
        found[line.code] = line
    return MappingProxyType(found)


CATALOGUE: Mapping[str, Entry] = _table()


def entry(code: str) -> Entry:
    """The catalogue line of ``code``; raises :class:`KeyError` for a code nobody declared."""
    return CATALOGUE[code]


__all__ = ["CATALOGUE", "Entry", "entry"]
