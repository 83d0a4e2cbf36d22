"""``loopx gate``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

gate = Noun(
    "gate",
    help="Gates: questions only a person may answer.",
    verbs={
        "list": "gate_reads:listing",
        "show": "gate_reads:show",
        "open": "gate_writes:opened",
        "approve": "gate_writes:approve",
        "reject": "gate_writes:reject",
        "defer": "gate_writes:defer",
        "withdraw": "gate_writes:withdraw",
    },
)
