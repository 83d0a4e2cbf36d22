"""``loopx todo``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.commands import todo_reads as reads
from loopx.cli.commands import todo_writes as writes
from loopx.cli.grammar import Noun

todo = Noun(
    "todo",
    help="Todos: one piece of work each.",
    commands=[
        reads.listing,
        reads.show,
        writes.add,
        writes.edit,
        writes.claim,
        writes.unclaim,
        writes.block,
        writes.defer,
        writes.resume,
        writes.done,
        writes.supersede,
        writes.cancel,
        writes.reopen,
        writes.archive,
    ],
)
