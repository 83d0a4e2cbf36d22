"""Ids a test can foretell: the n-th id of a prefix is always the same."""

from __future__ import annotations

from collections import Counter

from loopx.model.ids import ALPHABET, RANDOM_LENGTH


class FixedIds:
    """A :class:`loopx.model.clock.IdSource` that counts: ``t-a0000001``, ``t-a0000002``, …, each prefix by itself.

    ``letter`` leads the random part, so that it is never all digits; give two sources different letters where two
    machines or processes must not meet.
    """

    def __init__(self, letter: str = "a") -> None:
        if letter not in ALPHABET or letter.isdigit():
            raise ValueError(f"{letter!r} cannot lead the random part of an id")
        self._letter = letter
        self._made: Counter[str] = Counter()

    def fresh(self, prefix: str) -> str:
        self._made[prefix] += 1
        return f"{prefix}-{self._letter}{_in_base32(self._made[prefix]):0>{RANDOM_LENGTH - 1}}"


def _in_base32(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, len(ALPHABET))
        digits = ALPHABET[rest] + digits
    return digits
