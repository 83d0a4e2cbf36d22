"""``loopx step``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

step = Noun(
    "step",
    help="Steps: what became of one step of a run.",
    verbs={
        "list": "step_reads:listing",
        "show": "step_reads:show",
        "skip": "step_writes:skip",
        "cancel": "step_writes:cancel",
    },
)
