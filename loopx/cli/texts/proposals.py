"""Proposals in words: the list, and one proposal in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines
from loopx.model.proposal import Proposal

_APART = frozenset({"id", "rev", "title", "body"})


def proposal_row(proposal: Proposal) -> tuple[str, ...]:
    """The proposal's line in the list."""
    return (proposal.id, proposal.status, proposal.proposed_by or "-", proposal.goal, proposal.title)


def proposal_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One proposal."""
    yield screen.paint(f"proposal {facts['id']}  {shown(facts['title'])}", "bold")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    yield from body_lines(facts["body"])
