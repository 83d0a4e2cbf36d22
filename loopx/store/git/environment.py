"""What our Git runs in: which variables reach it, and how long it may take.

Called by everything that starts a Git program. A variable that could point Git at another repository, index, object
folder, date or configuration never gets through; those that say how to reach Git, a network or the person's own
configuration files do.
"""

from __future__ import annotations

from collections.abc import Mapping

from loopx.model.defining import dataclass

IN_HOOK = "LOOPX_IN_HOOK"
"""Set for everything a hook of ours may run, so that a nested ``loopx`` knows that the lock is held above it."""

STANDING = "LOOPX_STANDING_GIT"
"""Set, to its owner's process id, for a long-lived Git program of a store. It holds no lock while nobody asks it."""

_KEPT = frozenset(
    {
        "GIT_ASKPASS",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_PROXY_COMMAND",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSL_NO_VERIFY",
    }
)
_FIXED = {
    "GIT_DEFAULT_REF_FORMAT": "files",
    "GIT_NO_LAZY_FETCH": "1",
    # Objects read by hand know nothing of replacements, so Git must not either.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    # Git's messages are read to tell one failure from another.
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long Git may take, in seconds."""

    program: float = 60.0
    """One program, or one answer of a long-lived one."""
    signing: float = 30.0
    """One signature; there is no terminal to ask for a passphrase."""
    references: float = 5.0
    """Waiting for somebody else's lock on a reference."""


def scrubbed(surroundings: Mapping[str, str]) -> dict[str, str]:
    """``surroundings`` without any Git variable that could redirect or restyle what Git does."""
    return {name: value for name, value in surroundings.items() if not name.startswith("GIT_") or name in _KEPT}


def plumbing(surroundings: Mapping[str, str], ceiling: str) -> dict[str, str]:
    """The environment of a Git program. ``ceiling`` is the folder at which Git's search for a repository ends."""
    found = scrubbed(surroundings)
    found.pop("LANGUAGE", None)
    return {**found, **_FIXED, "GIT_CEILING_DIRECTORIES": ceiling}


def overrides(surroundings: Mapping[str, str], root: str, git_dir: str) -> dict[str, str]:
    """Values that make the variables of :func:`scrubbed` harmless where they cannot be taken away."""
    harmless = {name: "" for name in surroundings if name.startswith("GIT_") and name not in _KEPT}
    return {
        **harmless,
        **_FIXED,
        "GIT_COMMON_DIR": git_dir,
        "GIT_CONFIG_COUNT": "0",
        "GIT_DIR": git_dir,
        "GIT_INDEX_FILE": f"{git_dir}/index",
        "GIT_OBJECT_DIRECTORY": f"{git_dir}/objects",
        "GIT_WORK_TREE": root,
    }
