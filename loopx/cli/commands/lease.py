"""``loopx lease``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

lease = Noun(
    "lease",
    help="Leases: who executes a Todo right now.",
    verbs={
        "list": "lease_reads:listing",
        "show": "lease_reads:show",
        "acquire": "lease_writes:acquire",
        "renew": "lease_writes:renew",
        "transfer": "lease_writes:transfer",
        "release": "lease_writes:release",
    },
)
