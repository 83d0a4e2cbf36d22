"""Types of arguments: ids of each kind, which a shell can complete from the cache, and words of a closed set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from loopx.cli.surroundings import Surroundings
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.kernel.state import State

_OFFERED = 100
"""Ids offered to a shell at most; beyond that a person types another letter."""


def one_of(words: type[StrEnum]) -> click.Choice[str]:
    """One word of a closed set."""
    return click.Choice([word.value for word in words])


if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # not generic at run time in every supported click


class IdOf(_Text):
    """An id of a kind, or an unambiguous prefix of one. Checked by the kernel, since only it knows which there are."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.value

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value.strip() or self.fail("an id is needed, not nothing.", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        around = ctx.find_root().obj
        if not isinstance(around, Surroundings):
            return []
        try:
            return _offers(around, self.kind, incomplete, ctx)
        except Exception:  # noqa: BLE001  (a shell that completes must never see an error of ours)
            return []


GOAL, TODO, GATE, EVIDENCE = (IdOf(kind) for kind in (Kind.GOAL, Kind.TODO, Kind.GATE, Kind.EVIDENCE))
EFFECT, HANDOFF, PROPOSAL = (IdOf(kind) for kind in (Kind.EFFECT, Kind.HANDOFF, Kind.PROPOSAL))
TURN = IdOf(Kind.TURN)


class RunOrTodo(IdOf):
    """The id of a run, or of a Todo, which stands for its run."""

    def __init__(self) -> None:
        super().__init__(Kind.PLAN)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [*super().shell_complete(ctx, param, incomplete), *TODO.shell_complete(ctx, param, incomplete)]


RUN = RunOrTodo()


def _offers(around: Surroundings, kind: Kind, incomplete: str, ctx: click.Context) -> list[CompletionItem]:
    workspace = around.find(around.folder, workspace=ctx.params.get("workspace"), environ=around.environ)
    try:
        return list(_matching(workspace.read(take_in=False).state, kind, incomplete.lower()))
    finally:
        workspace.close()


def _matching(state: State, kind: Kind, prefix: str) -> Iterator[CompletionItem]:
    for number, (identity, title) in enumerate(each for each in _known(state, kind) if each[0].startswith(prefix)):
        if number == _OFFERED:
            return
        yield CompletionItem(identity, help=title)


def _known(state: State, kind: Kind) -> Iterable[tuple[str, str]]:
    match kind:
        case Kind.GOAL:
            return ((each.id, each.title) for each in state.goals())
        case Kind.TODO:
            return ((each.id, each.title) for each in state.todos())
        case Kind.GATE:
            return ((each.id, each.question) for each in state.gates())
        case Kind.EVIDENCE:
            return ((each.id, each.summary) for each in state.evidences())
        case Kind.EFFECT:
            return ((each.id, each.summary) for each in state.effects())
        case Kind.HANDOFF:
            return ((each.id, each.next_action) for each in state.handoffs())
        case Kind.PROPOSAL:
            return ((each.id, each.title) for each in state.proposals())
        case Kind.TURN:
            return ((each.id, each.todo or each.obligation or "") for each in state.turns(limit=_OFFERED))
        case Kind.PLAN:
            return ((each.run, each.objective) for each in state.plans())
        case _:
            return ()
