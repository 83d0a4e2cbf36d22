"""``loopx evidence``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

evidence = Noun(
    "evidence",
    help="Evidence: what was seen, and what it is still worth.",
    verbs={
        "list": "evidence_reads:listing",
        "show": "evidence_reads:show",
        "add": "evidence_writes:add",
        "reassess": "evidence_writes:reassess",
    },
)
