"""``loopx quota``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

quota = Noun(
    "quota",
    bare="show",
    help="Quota: what a window of time allows, and the full decision.",
    verbs={
        "show": "quota_reads:show",
        "should-run": "quota_reads:should_run",
    },
)
