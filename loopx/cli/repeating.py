"""Ids for a request that may have been carried out already: its operations get the names they had then."""

from __future__ import annotations

from loopx.model.ids import OPERATION
from loopx.workspace.clock import RandomIds


class RepeatedIds(RandomIds):
    """Random ids, but for operations: the first is ``operation``, the next ``operation.2``, and so on."""

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._number = 0

    def fresh(self, prefix: str) -> str:
        if prefix != OPERATION:
            return super().fresh(prefix)
        self._number += 1
        return self._operation if self._number == 1 else f"{self._operation}.{self._number}"
