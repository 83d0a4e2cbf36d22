"""What a turn added that can be read again, as short entries such as ``todo:done:t-4k9x2m7q``.

Counted is what the settling itself does, and what the actor did in the Goal by other commands since the turn was
opened, as far as it still stands. Obligations are discharged by these entries, and a claimed outcome rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.context import Context
from loopx.kernel.state import State
from loopx.kernel.turns.citing import Cited
from loopx.kernel.turns.working import Worked
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.outcome import Receipt
    from loopx.model.turn import Turn

MATERIAL = ("todo:", "criterion:", "gate:", "evidence:negative:", "acceptance:", "boundary:", "wait:", "step:")
"""How the entries begin that change what is judged next: a Todo, a criterion, a Gate, a hypothesis, a wait, a step of
a plan that was verified. New evidence and a rewritten Vision alone do not."""
KEPT = 40
"""Entries a turn keeps."""


class Settled(NamedTuple):
    """What one settling did, part by part."""

    cited: Cited
    worked: Worked
    met: tuple[str, ...] = ()
    vision: str | None = None
    """``patched``, ``unchanged`` or ``retired``, where the turn says one of them and it holds."""
    nothing_follows: bool = False


def entries(state: State, turn: Turn, context: Context, settled: Settled) -> tuple[str, ...]:
    """Every entry of ``turn``, each once. ``state`` is the one after the settling."""
    found = dict.fromkeys((*_of_settling(turn, settled), *_of_commands(state, turn, context)))
    return tuple(found)[:KEPT]


def is_material(delta: tuple[str, ...]) -> bool:
    """Whether ``delta`` holds an entry that changes what is judged next."""
    return any(each.startswith(MATERIAL) for each in delta)


def _of_settling(turn: Turn, settled: Settled) -> Iterator[str]:
    worked, subject = settled.worked, turn.todo or turn.obligation
    if worked.became is not None:
        yield f"todo:{worked.became}:{turn.todo}"
    if worked.became == "deferred":
        yield f"wait:{turn.todo}"
    yield from (f"criterion:met:{each}" for each in settled.met)
    yield from (f"todo:added:{each}" for each in worked.added)
    if settled.vision is not None:
        yield f"vision:{settled.vision}:{turn.agent}"
    if settled.nothing_follows:
        yield f"end:no_followup:{subject}"
    yield from (f"evidence:negative:{each}" for each in settled.cited.negative())
    yield from (f"evidence:new:{each}" for each in settled.cited.ids if each in settled.cited.new)


def _of_commands(state: State, turn: Turn, context: Context) -> Iterator[str]:
    for receipt in state.receipts_after(turn.opened_by, turn.goal):
        tell = _TOLD.get(receipt.command)
        if tell is not None and receipt.actor == context.actor and not receipt.result.get("already"):
            yield from tell(state, receipt)


def _added(state: State, receipt: Receipt) -> Iterator[str]:
    if receipt.result.get("added") and state.todo(_id(receipt)) is not None:
        yield f"todo:added:{_id(receipt)}"


def _moved(word: str, status: TodoStatus) -> Callable[[State, Receipt], Iterator[str]]:
    def tell(state: State, receipt: Receipt) -> Iterator[str]:
        todo = state.todo(_id(receipt))
        if todo is None or todo.status is not status:
            return
        yield f"todo:{word}:{todo.id}"
        if status is TodoStatus.DEFERRED:
            yield f"wait:{todo.id}"

    return tell


def _raised(state: State, receipt: Receipt) -> Iterator[str]:
    yield from (f"todo:added:{each}" for each in receipt.result.get("successors", ()) if state.todo(each) is not None)


def _asked(state: State, receipt: Receipt) -> Iterator[str]:
    if receipt.result.get("added") and state.gate(_id(receipt)) is not None:
        yield f"gate:opened:{_id(receipt)}"


def _met(state: State, receipt: Receipt) -> Iterator[str]:
    log = state.criterion(receipt.goal, str(receipt.result.get("criterion")))
    if log is not None and log.entries[-1].operation == receipt.operation:
        yield f"criterion:met:{log.criterion}"


def _edited(state: State, receipt: Receipt) -> Iterator[str]:
    changed = receipt.result.get("changed") or ()
    yield from (f"{each}:changed:{receipt.goal}" for each in ("acceptance", "boundary") if each in changed)


def _written(word: str) -> Callable[[State, Receipt], Iterator[str]]:
    def tell(state: State, receipt: Receipt) -> Iterator[str]:
        yield f"vision:{word}:{receipt.result.get('agent')}"

    return tell


def _seen(state: State, receipt: Receipt) -> Iterator[str]:
    evidence = state.evidence(_id(receipt))
    if evidence is not None and evidence.kind == "negative_result":
        yield f"evidence:negative:{evidence.id}"


def _effected(state: State, receipt: Receipt) -> Iterator[str]:
    effect = state.effect(_id(receipt))
    if effect is not None and effect.status != "unknown":
        yield f"effect:settled:{effect.id}"


def _carried(state: State, receipt: Receipt) -> Iterator[str]:
    """Steps of a run that were completed and verified by somebody else than whoever carried them out."""
    for name in receipt.result.get("verified", ()):
        step = state.step(_id(receipt), str(name))
        if step is not None and step.verification_passed:
            yield f"step:verified:{step.id}"


def _id(receipt: Receipt) -> str:
    return str(receipt.result.get("id"))


_TOLD: Mapping[str, Callable[[State, Receipt], Iterator[str]]] = MappingProxyType(
    {
        "todo add": _added,
        "todo done": _moved("done", TodoStatus.DONE),
        "todo block": _moved("blocked", TodoStatus.BLOCKED),
        "todo defer": _moved("deferred", TodoStatus.DEFERRED),
        "todo cancel": _moved("cancelled", TodoStatus.CANCELLED),
        "todo supersede": _moved("superseded", TodoStatus.SUPERSEDED),
        "monitor poll": _raised,
        "gate open": _asked,
        "goal meet": _met,
        "goal check": _met,
        "goal edit": _edited,
        "vision set": _written("patched"),
        "vision retire": _written("retired"),
        "evidence add": _seen,
        "effect settle": _effected,
        "run record": _carried,
    }
)
"""What each command added, read from its receipt and checked against what stands now."""
