"""``loopx goal``: the noun with all its verbs."""

from __future__ import annotations

from loopx.cli.grammar import Noun

goal = Noun(
    "goal",
    help="Goals: what is to be reached.",
    verbs={
        "list": "goal_reads:listing",
        "show": "goal_reads:show",
        "new": "goal_writes:new",
        "edit": "goal_writes:edit",
        "activate": "goal_writes:activate",
        "pause": "goal_writes:pause",
        "resume": "goal_writes:resume",
        "stop": "goal_writes:stop",
        "check": "goal_checks:check",
        "meet": "goal_writes:meet",
        "unmeet": "goal_writes:unmeet",
        "waive": "goal_writes:waive",
        "audit": "goal_ends:audit",
        "close": "goal_ends:close",
        "reopen": "goal_ends:reopen",
    },
)
