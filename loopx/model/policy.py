"""Policies that both a workspace and a Goal may set; the Goal's value wins."""

from __future__ import annotations

from enum import StrEnum


class Ownership(StrEnum):
    """What completing a Todo takes."""

    NONE = "none"
    CLAIM = "claim"
    LEASE = "lease"
