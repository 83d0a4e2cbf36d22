"""``loopx quota``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

quota = Noun(
    "quota",
    help="Quota: what a window of time allows, and the full decision.",
    verbs={
        "list": "quota_reads:listing",
        "show": "quota_reads:show",
        "should-run": "quota_reads:should_run",
    },
)
