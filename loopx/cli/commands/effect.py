"""``loopx effect``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

effect = Noun(
    "effect",
    help="Effects: acts on the outside whose outcome is read back.",
    verbs={
        "list": "effect_reads:listing",
        "show": "effect_reads:show",
        "open": "effect_writes:opened",
        "settle": "effect_writes:settle",
        "confirm": "effect_writes:confirm",
    },
)
