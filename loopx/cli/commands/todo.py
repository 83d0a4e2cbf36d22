"""``loopx todo``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

todo = Noun(
    "todo",
    help="Todos: one piece of work each.",
    verbs={
        "list": "todo_reads:listing",
        "show": "todo_reads:show",
        "add": "todo_writes:add",
        "edit": "todo_writes:edit",
        "claim": "todo_writes:claim",
        "unclaim": "todo_writes:unclaim",
        "block": "todo_writes:block",
        "defer": "todo_writes:defer",
        "resume": "todo_writes:resume",
        "done": "todo_writes:done",
        "supersede": "todo_writes:supersede",
        "cancel": "todo_writes:cancel",
        "reopen": "todo_writes:reopen",
        "archive": "todo_writes:archive",
    },
)
