"""``loopx handoff``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

handoff = Noun(
    "handoff",
    help="Handoffs: work that changes hands.",
    verbs={
        "list": "handoff_reads:listing",
        "show": "handoff_reads:show",
        "create": "handoff_writes:create",
        "accept": "handoff_writes:accept",
        "decline": "handoff_writes:decline",
    },
)
