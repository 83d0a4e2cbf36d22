"""``loopx agent``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

agent = Noun(
    "agent",
    help="Agents that work here.",
    verbs={
        "list": "agent_reads:listing",
        "show": "agent_reads:show",
        "add": "agent_writes:add",
        "edit": "agent_writes:edit",
        "remove": "agent_writes:remove",
    },
)
