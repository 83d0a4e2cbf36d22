"""The execution key of a request: the one typed, else the one the environment holds for the shell it works in."""

from __future__ import annotations

from loopx.cli.request import Request

LEASE_VARIABLE = "LOOPX_LEASE_KEY"


def execution_key(request: Request, typed: str | None) -> str | None:
    """The key a verb acts under. An empty one, typed or set, is none."""
    return (typed if typed is not None else request.around.environ.get(LEASE_VARIABLE)) or None
