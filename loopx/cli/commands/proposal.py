"""``loopx proposal``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

proposal = Noun(
    "proposal",
    help="Proposals: directions without authority.",
    verbs={
        "list": "proposal_reads:listing",
        "show": "proposal_reads:show",
        "add": "proposal_writes:add",
        "accept": "proposal_writes:accept",
        "reject": "proposal_writes:reject",
    },
)
