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
    "plan": ("list", "show", "graph", "new"),
    "proposal": ("list", "show", "add", "accept", "reject"),
    "quota": ("list", "show", "should-run"),
    "show": (),
    "status": (),
    "step": ("list", "show"),
    "todo": (
        "list", "show", "add", "edit", "claim", "unclaim", "block", "defer", "resume", "supersede", "cancel", "reopen",
        "archive",
    ),
    "trace": ("list", "show", "verify"),
    "turn": ("list", "show"),
    "vision": ("list", "show", "set", "retire"),
    "where": (),
    "why": (),
}  # fmt: skip
"""Words of the command line and, of nouns, their verbs."""

_FLAGS = frozenset({"--json", "-v", "--verbose"})
_VALUED = ("--workspace", "--actor")
_NEVER = frozenset({"-h", "--help", "--version", "-"})
_OWN_FILES = ("/dev/stdin", "/dev/fd/", "/dev/tty", "/proc/self/", "/proc/thread-self/")
"""Under these a name means another file in another process."""


def is_served(arguments: Sequence[str]) -> bool:
    """Whether a daemon may carry out this request."""
    if any(each in _NEVER or each.endswith("=-") or _is_own(each) for each in arguments):
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


def _is_own(word: str) -> bool:
    """Whether a word names a file of the asking process, such as ``--from=/dev/fd/63``."""
    return word.partition("=")[2].startswith(_OWN_FILES) or word.startswith(_OWN_FILES)
