"""``loopx turn``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

turn = Noun(
    "turn",
    help="Turns: one bounded piece of an agent's work each.",
    verbs={
        "list": "turn_reads:listing",
        "show": "turn_reads:show",
        "open": "turn_writes:opened",
        "void": "turn_writes:void",
    },
)
