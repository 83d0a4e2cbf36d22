"""``loopx doctor`` and ``loopx repair``: which surface is wrong, who owns the fact, and making what is derived anew.

A *surface* is anything that shows facts: files on disk, the history they follow, the cache, Git's index, the pages.
Looking writes nothing. Repairing makes derived surfaces anew by the means each of them has already; a source is never
mended here, only explained.
"""

from __future__ import annotations

from loopx.workspace.doctor.findings import Basis, Diagnosis, Difference, Finding, Reassess, Repaired, Surface

__all__ = ["Basis", "Diagnosis", "Difference", "Finding", "Reassess", "Repaired", "Surface"]
