"""The order of the decision: one table, read from the top; the first rule that matches decides.

The order is the safety contract. Every rule is a small function of gathered facts: it says that it matches, what is
called for and on what grounds, or that it does not, and what it looked at. No rule acts and none changes anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.decision.record import Mode

if TYPE_CHECKING:
    from loopx.kernel.decision.facts import Facts
    from loopx.kernel.decision.finding import Finding

ADMISSION = "1 admission"
"""The first rule refuses instead of deciding: an unknown Goal, an actor that is no agent of it."""


class Rule(NamedTuple):
    """One rule: its number and name, the modes it may decide, and where the function is that asks it."""

    name: str
    modes: tuple[Mode, ...]
    place: str
    """Module and function below this room; the rules of a standstill are loaded when work stands still."""

    def ask(self, facts: Facts) -> Finding:
        """What the rule says."""
        module, _, function = self.place.partition(".")
        found: Finding = getattr(import_module(f"loopx.kernel.decision.{module}"), function)(facts)
        return found


ORDER: tuple[Rule, ...] = (
    Rule("2 stopped", (Mode.STOPPED,), "guards.stopped"),
    Rule("3 terminal", (Mode.TERMINAL,), "guards.terminal"),
    Rule("4 self-repair", (Mode.SELF_REPAIR,), "guards.self_repair"),
    Rule("5 reconcile", (Mode.RECONCILE,), "guards.reconcile"),
    Rule("6 obligation", (Mode.REPLAN,), "guards.replan"),
    Rule("7 open turn", (Mode.DELIVER, Mode.SETTLE), "guards.open_turn"),
    Rule("8 quota", (Mode.THROTTLED,), "guards.throttled"),
    Rule("9 monitor first", (Mode.OBSERVE,), "guards.observe_first"),
    Rule("10 work", (Mode.DELIVER,), "guards.deliver"),
    Rule("11.1 monitor due", (Mode.OBSERVE,), "standstill.observe"),
    Rule("11.2 question", (Mode.ASK_USER,), "standstill.ask_user"),
    Rule("11.3 capability", (Mode.REPAIR_CAPABILITY,), "standstill.repair_capability"),
    Rule("11.4 peers", (Mode.WAIT_FOR_PEERS,), "standstill.wait_for_peers"),
    Rule("11.5 wait", (Mode.WAIT,), "standstill.wait"),
    Rule("11.6 plan", (Mode.REPLAN,), "standstill.replan"),
    Rule("11.7 close out", (Mode.CLOSE_OUT,), "standstill.close_out"),
)
"""Rules 2 to 11 in their order; the last one matches always."""
