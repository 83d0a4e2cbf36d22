"""Exit codes: few, final, and decided by the kind of ending, never by the command that ran."""

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended, as its process exit status."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    CONFLICT = 3
    """Somebody was first; trying again may work."""
    UNAVAILABLE = 4
    """Git, the disk or a tool could not do its part."""
    FAILED = 5
    """A step or validation ran and failed."""
    UNKNOWN = 6
    """The outcome is not known; read it back under the same operation id."""
    BUG = 70
    INTERRUPTED = 130
