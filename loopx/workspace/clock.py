"""The real clock and the real id source: the only place in LoopX that reads time or randomness."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from loopx.model.ids import ALPHABET, RANDOM_LENGTH, is_random_part


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class RandomIds:
    """Ids from the system's random source."""

    def fresh(self, prefix: str) -> str:
        while True:
            # There are 32 letters, so that five bits of a random byte name one of them, each as likely as the others.
            part = "".join(ALPHABET[each & 31] for each in os.urandom(RANDOM_LENGTH))
            if is_random_part(part):
                return f"{prefix}-{part}"
