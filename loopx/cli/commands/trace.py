"""``loopx trace``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

trace = Noun(
    "trace",
    help="Traces: everything that happened in a run, line by line.",
    verbs={"list": "trace_reads:listing", "show": "trace_reads:show", "verify": "trace_reads:verify"},
)
