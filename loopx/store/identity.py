"""Who a commit is by: a person as Git's configuration names them, an agent by its own name.

Called before a commit is drafted. It never makes a person up: without a configured name there is no commit.
"""

from __future__ import annotations

import os
from pathlib import Path

from loopx.errors import LoopxError
from loopx.store.git.environment import plumbing
from loopx.store.protocol import Signature

_AGENT_DOMAIN = "agents.invalid"
_SECONDS = 10.0


def human_identity(project: Path) -> Signature:
    """The person at work in ``project``, by ``user.name`` and ``user.email`` as Git sees them there.

    Costs one Git process. Raises ``identity-missing`` when either is not set; the environment is not looked at.
    """
    from loopx.store.git.programs import converse, start
    from loopx.store.git.trouble import explained

    command = ["git", "config", "-z", "--get-regexp", r"^user\.(name|email)$"]
    answer = converse(start(command, project, plumbing(os.environ, "")), b"", _SECONDS)
    if answer is None:
        raise LoopxError("git-failed", f"Git took longer than {_SECONDS:g} s to read its configuration.")
    if answer.code not in (0, 1):
        raise explained("read its configuration", answer.words)
    found = dict(_pairs(answer.output.decode("utf-8", "replace")))
    missing = [key for key in ("user.name", "user.email") if not found.get(key, "").strip()]
    if missing:
        sentence = f"Git's configuration has no {' and no '.join(missing)}, so this commit would be nobody's."
        raise LoopxError("identity-missing", sentence, facts={"missing": missing, "project": str(project)})
    return Signature(found["user.name"].strip(), found["user.email"].strip())


def agent_identity(agent: str) -> Signature:
    """The signature of an agent: its id, at a domain that can never receive mail."""
    return Signature(agent, f"{agent}@{_AGENT_DOMAIN}")


def _pairs(listed: str) -> list[tuple[str, str]]:
    pairs = (item.partition("\n") for item in listed.split("\0") if item)
    return [(key.lower(), value) for key, _, value in pairs]
