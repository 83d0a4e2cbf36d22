"""``loopx monitor``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

monitor = Noun(
    "monitor",
    help="Monitors: Todos that watch something.",
    verbs={
        "list": "monitor_reads:listing",
        "show": "monitor_reads:show",
        "poll": "monitor_writes:poll",
    },
)
