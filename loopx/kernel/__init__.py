"""The pure kernel: state and proposal in, Accepted or Refused out. No clock, no disk, no Git, no randomness.

The names below are what other rooms use. They are loaded on first use, so that a read pays for no rule it does not ask.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.kernel import commands as commands
    from loopx.kernel.apply import apply_changes as apply_changes
    from loopx.kernel.context import Context as Context
    from loopx.kernel.criteria import criterion_standing as criterion_standing
    from loopx.kernel.criteria import criterion_status as criterion_status
    from loopx.kernel.decision.deciding import next_action as next_action
    from loopx.kernel.decision.plain import decision_facts as decision_facts
    from loopx.kernel.decision.record import Decision as Decision
    from loopx.kernel.digest import request_digest as request_digest
    from loopx.kernel.digest import validation_inputs as validation_inputs
    from loopx.kernel.hand import HandEdit as HandEdit
    from loopx.kernel.hand import decide_hand as decide_hand
    from loopx.kernel.outcome import Accepted as Accepted
    from loopx.kernel.outcome import Outcome as Outcome
    from loopx.kernel.outcome import Receipt as Receipt
    from loopx.kernel.outcome import Refused as Refused
    from loopx.kernel.rollback import mark_rolled_back as mark_rolled_back
    from loopx.kernel.standing import GateBook as GateBook
    from loopx.kernel.standing import covering_gate as covering_gate
    from loopx.kernel.standing import gate_standing as gate_standing
    from loopx.kernel.state import MemorySource as MemorySource
    from loopx.kernel.state import Source as Source
    from loopx.kernel.state import State as State
    from loopx.kernel.support import unvalidated as unvalidated
    from loopx.kernel.verdicts import Reason as Reason
    from loopx.kernel.verdicts import Verdict as Verdict
    from loopx.kernel.verdicts import verdict as verdict
    from loopx.kernel.why import Explanation as Explanation
    from loopx.kernel.why import explain as explain

_HOMES = {
    "Accepted": "outcome",
    "Context": "context",
    "Decision": "decision.record",
    "Explanation": "why",
    "GateBook": "standing",
    "HandEdit": "hand",
    "MemorySource": "state",
    "Outcome": "outcome",
    "Reason": "verdicts",
    "Receipt": "outcome",
    "Refused": "outcome",
    "Source": "state",
    "State": "state",
    "Verdict": "verdicts",
    "apply_changes": "apply",
    "covering_gate": "standing",
    "criterion_standing": "criteria",
    "criterion_status": "criteria",
    "decide_hand": "hand",
    "decision_facts": "decision.plain",
    "explain": "why",
    "gate_standing": "standing",
    "mark_rolled_back": "rollback",
    "next_action": "decision.deciding",
    "request_digest": "digest",
    "unvalidated": "support",
    "validation_inputs": "digest",
    "verdict": "verdicts",
}
"""Public name to the module it lives in."""

__all__ = [*_HOMES, "commands"]


def __getattr__(name: str) -> Any:
    if name == "commands":
        return import_module("loopx.kernel.commands")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'loopx.kernel' has no attribute {name!r}")
    return getattr(import_module(f"loopx.kernel.{home}"), name)
