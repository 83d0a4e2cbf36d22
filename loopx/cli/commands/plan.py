"""``loopx plan``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

plan = Noun(
    "plan",
    help="Plans: the steps of a Todo, and the run that carries them out.",
    verbs={
        "list": "plan_reads:listing",
        "show": "plan_reads:show",
        "new": "plan_writes:new",
        "edit": "plan_edits:edit",
        "check": "plan_checks:check",
        "graph": "plan_reads:graph",
        "migrate": "plan_migration:migrate",
    },
)
