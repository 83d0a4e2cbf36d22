"""``loopx vision``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

vision = Noun(
    "vision",
    help="Visions: each agent's route to a Goal.",
    verbs={
        "list": "vision_reads:listing",
        "show": "vision_reads:show",
        "set": "vision_writes:put",
        "retire": "vision_writes:retire",
    },
)
