"""Which commands a daemon may carry out for the person who typed them: reads and plain writes.

Not those that ask, wait, run something, start something or read standard input. Loads nothing, since every command
asks it first.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SERVED: dict[str, tuple[str, ...]] = {
    "agent": ("list", "show", "add", "edit", "remove"),
    "board": (),
    "diff": (),
    "edit": ("list", "accept", "discard"),
    "effect": ("list", "show", "open", "settle", "confirm"),
    "evidence": ("list", "show", "add"),
    "gate": ("list", "show", "open", "withdraw"),
    "goal": (
        "list", "show", "new", "edit", "activate", "pause", "resume", "stop", "meet", "unmeet", "waive",
    ),
    "handoff": ("list", "show", "create", "accept", "decline"),
    "lease": ("list", "show", "acquire", "renew", "transfer", "release"),
    "log": (),
    "monitor": ("list", "show", "poll"),
    "next": (),
    "op": ("show",),
    "proposal": ("list", "show", "add", "accept", "reject"),
    "quota": ("list", "show", "should-run"),
    "show": (),
    "status": (),
    "todo": (
        "list", "show", "add", "edit", "claim", "unclaim", "block", "defer", "resume", "supersede", "cancel", "reopen",
        "archive",
    ),
    "turn": ("list", "show"),
    "vision": ("list", "show", "set", "retire"),
    "where": (),
    "why": (),
}  # fmt: skip
"""Words of the command line and, of nouns, their verbs."""

_FLAGS = frozenset({"--json", "-v", "--verbose"})
_VALUED = ("--workspace", "--actor")
_NEVER = frozenset({"-h", "--help", "--version", "-"})


def is_served(arguments: Sequence[str]) -> bool:
    """Whether a daemon may carry out this request."""
    if any(each in _NEVER or each.endswith("=-") for each in arguments):
        return False
    left = list(arguments)
    while left and left[0].startswith("-"):
        option = left.pop(0)
        if option in _VALUED:
            del left[:1]
        elif option not in _FLAGS and not option.startswith(tuple(f"{each}=" for each in _VALUED)):
            return False
    verbs = SERVED.get(left[0]) if left else None
    if verbs is None:
        return False
    return not verbs or len(left) < 2 or left[1].startswith("-") or left[1] in verbs
