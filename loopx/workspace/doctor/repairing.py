"""Making wrong surfaces anew, each by the means it has already, and reading back what came of it.

Never touched: documents, Gates, validations, history. What is wrong there is explained by the findings that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.repairing import may_repair
from loopx.workspace.catchup import catch_up
from loopx.workspace.doctor import index, repairs
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.examining import examine
from loopx.workspace.doctor.findings import Finding, Reassess, Repaired, Surface
from loopx.workspace.proposal import RefusedError

if TYPE_CHECKING:
    from loopx.model.actor import Actor
    from loopx.workspace.opened import OpenWorkspace

Mend = Callable[["OpenWorkspace"], list[str]]


def repair(ws: OpenWorkspace, *, actor: Actor, cause: str | None = None) -> Repaired:
    """Make every wrong derived surface anew. ``cause`` says what earlier repairs were due to, and settles their count.

    Raises :class:`RefusedError` where ``actor`` may not, and what keeps a surface from being mended.
    """
    _refuse_unentitled(ws, actor)
    before = examine(ws)
    wrong = [each for each in before.findings if each.may_be_repaired]
    done: list[str] = []
    for surface, mend in MENDS:
        if any(each.surface is surface for each in wrong):
            done += mend(ws)
    now = before.basis.now
    repairs.note(ws.places, sorted({_counted(each) for each in wrong if each.surface is not Surface.JOURNAL}), now)
    if cause is not None:
        repairs.explain(ws.places, cause, str(actor), now)
    if wrong or cause is not None:
        done += _render(ws)  # pages show what the other surfaces said, and what is owed for repairs
    after = examine(ws) if wrong or cause is not None else before
    return Repaired(before=before, after=after, done=tuple(done), reassess=tuple(_reassess(ws, wrong)))


def _refuse_unentitled(ws: OpenWorkspace, actor: Actor) -> None:
    if actor.is_human:
        return
    anew = Anew.of(ws, None, None)
    try:
        refused = may_repair(anew.state, actor)
    finally:
        anew.close()
    if refused is not None:
        raise RefusedError(refused)


def _finish(ws: OpenWorkspace) -> list[str]:
    """Recover what an interrupted write left, as every pass does first."""
    return ws.passes.recover_alone(ws.policies().lock_timeout_seconds, "repair")


def _rebuild(ws: OpenWorkspace) -> list[str]:
    """Empty the cache and fill it from history."""
    anew = Anew.of(ws, None, None)
    try:
        if ws.cache.fault() is not None:
            ws.cache.reset()
    except LoopxError:
        ws.cache.reset()
    ws.cache.begin()
    try:
        ws.cache.clear()
        if anew.target is not None:
            catch_up(ws.cache, ws.store, anew.target)
        ws.cache.commit()
    except BaseException:
        ws.cache.rollback()
        raise
    return ["the cache was made anew from history"]


def _follow(ws: OpenWorkspace) -> list[str]:
    """Bring Git's index back to main."""
    anew = Anew.of(ws, None, None)
    try:
        with ws.store.lock(ws.policies().lock_timeout_seconds, "repair"):
            return index.refresh(anew)
    finally:
        anew.close()


def _render(ws: OpenWorkspace) -> list[str]:
    """Render every page."""
    return [f"{path} was rendered anew" for path in ws.pages.render()]


def _copy_schemas(ws: OpenWorkspace) -> list[str]:
    ws.pages.ensure_schemas()
    return ["the copies of the file schemas were written anew"]


MENDS: tuple[tuple[Surface, Mend], ...] = (
    (Surface.JOURNAL, _finish),
    (Surface.CACHE, _rebuild),
    (Surface.INDEX, _follow),
    (Surface.PAGES, _render),
    (Surface.SCHEMAS, _copy_schemas),
)
"""What makes each derived surface anew, in the order in which one needs the other."""


def _counted(finding: Finding) -> str:
    """Under which name a repair counts: pages one by one, other surfaces as a whole."""
    return finding.place if finding.surface is Surface.PAGES else finding.surface.value


def _reassess(ws: OpenWorkspace, wrong: list[Finding]) -> Iterator[Reassess]:
    """Work that may have been decided on what was wrong: what leans on it, and every turn that is open."""
    from loopx.kernel.state import State
    from loopx.workspace.source import CacheSource

    state = State(CacheSource(ws.cache))
    told: set[str] = set()
    for finding in wrong:
        for each in finding.ids:
            why = f"The {finding.surface} spoke of it: {finding.why}"
            for identity in (each, *state.dependants(each)):
                if identity not in told:
                    told.add(identity)
                    yield Reassess(id=identity, why=why if identity == each else f"It leans on {each}.")
    if any(each.surface in (Surface.CACHE, Surface.PAGES) for each in wrong):
        for turn in state.open_turns():
            yield Reassess(id=turn.id, why=f"It is open, and {turn.agent} may have decided on what was wrong.")
