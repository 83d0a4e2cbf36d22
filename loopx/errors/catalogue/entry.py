"""The shape of one catalogue line."""

from dataclasses import dataclass

from loopx.errors.exits import Exit


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can go wrong.

    ``code`` is kebab-case, subject first. ``meaning`` is one sentence for the reference page. ``remedy`` is the next
    thing to do, used as the hint where the raiser knows nothing more exact.
    """

    code: str
    exit: Exit
    meaning: str
    remedy: str
