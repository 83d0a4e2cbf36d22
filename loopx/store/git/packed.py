"""Objects Git has put into packs, read through one ``git cat-file --batch`` that stays open.

Called by :mod:`loopx.store.git.objects` for what is not loose. Safe for several threads; it never writes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from loopx.errors import LoopxError
from loopx.store.git.format import ObjectFormat
from loopx.store.git.loose import Content
from loopx.store.git.programs import Programs
from loopx.store.git.standing import Died, StandingProgram
from loopx.store.git.trouble import explained
from loopx.store.protocol import Oid

_AT_ONCE = 64
"""Questions sent before the first answer is read: their text must fit into a pipe."""


class PackedObjects:
    """The objects of one repository as Git itself finds them, packs and alternates included."""

    def __init__(self, programs: Programs, form: ObjectFormat) -> None:
        self._form = form
        self._program = StandingProgram(programs, "cat-file", "--batch")
        self._lock = threading.Lock()

    def read(self, oid: Oid) -> Content | None:
        """An object, or ``None`` where the repository has none of that name."""
        return next(iter(self.read_many([oid])))[1]

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, Content | None]]:
        """Objects in the order asked for."""
        remaining = iter(oids)
        while batch := list(islice(remaining, _AT_ONCE)):
            with self._lock:
                answers = self._answers(batch)
            yield from zip(batch, answers, strict=True)

    def close(self) -> None:
        with self._lock:
            self._program.close()

    def _answers(self, oids: Sequence[Oid]) -> list[Content | None]:
        try:
            self._program.ask("".join(f"{oid}\n" for oid in oids).encode())
            return [self._answer(oid) for oid in oids]
        except Died as death:
            raise _broken(explained("read an object", death.words)) from death
        except BaseException:
            # Answers left in the pipe would be taken for those of the next question.
            self._program.close()
            raise

    def _answer(self, oid: Oid) -> Content | None:
        parts = self._program.line().split()
        if len(parts) != 3:
            return None
        kind, content = parts[1].decode(), self._program.exactly(int(parts[2]) + 1)[:-1]
        # Git takes a loose file at its word; a damaged one is as good as missing.
        return (kind, content) if self._form.oid(kind, content) == oid else None


def _broken(error: LoopxError) -> LoopxError:
    """Git's failure to read, told as damage where its words tell nothing else."""
    if error.code != "git-failed":
        return error
    return LoopxError("repository-broken", str(error), facts=error.problem.facts)
