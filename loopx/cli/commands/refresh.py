"""``loopx refresh-state``: the controlled writeback that settles a turn. It is no query: ``loopx next`` looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.keys import execution_key
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, TODO, TURN, one_of
from loopx.cli.pathdelta import path_delta
from loopx.cli.request import Request
from loopx.cli.texts.turns import settled_facts, settled_lines
from loopx.cli.writing import named, proposal, with_pages
from loopx.kernel.commands import SettleTurn
from loopx.kernel.commands.turns import TodoSettlement, VisionSettlement
from loopx.model.turn import DeliveryOutcome, PathOutcome, Scale
from loopx.model.vision import Advancement

F = TypeVar("F", bound=Callable[..., Any])

_TURN = (
    click.option("--goal", metavar="GOAL", type=GOAL, required=True, help="The Goal the turn is for."),
    click.option("--turn", metavar="TURN", type=TURN, help="The turn (default: the open one, else a new one)."),
    click.option("--todo", metavar="TODO", type=TODO, help="The Todo it works on; another than the turn's is refused."),
    click.option("--obligation", metavar="O", help="Where no turn is open: the obligation it discharges."),
    click.option("--agent", metavar="AGENT", help="Whose turn it is (default: the actor)."),
    click.option(
        "--scale", "--delivery-batch-scale", "scale", type=one_of(Scale), required=True, help="How large it is."
    ),
    click.option(
        "--outcome", "--delivery-outcome", "outcome", type=one_of(DeliveryOutcome), required=True,
        help="How it relates to the objective.",
    ),
    click.option("--evidence", metavar="E|TEXT", multiple=True, help="Evidence by id, or what you saw (repeatable)."),
    click.option("--negative", metavar="TEXT", multiple=True, help="What turned out not to be so (repeatable)."),
    click.option("--meets", metavar="A", multiple=True, help="A criterion that is met now (repeatable)."),
    click.option("--next-action", metavar="TEXT", help="What should happen next."),
    click.option("--spend", metavar="SLOTS", type=int, help="Slots used (default: 1 for a delivery, else 0)."),
    click.option("--note", help="A remark for the record."),
    click.option("--lease", metavar="KEY", help="The execution key of the lease (default: $LOOPX_LEASE_KEY)."),
)  # fmt: skip
_TODO = (
    click.option("--done", is_flag=True, help="The Todo is finished; a validation it declares runs first."),
    click.option("--blocked", metavar="REASON", help="The Todo cannot go on, and why."),
    click.option("--deferred-until", metavar="COND", help="The Todo waits for this, such as at:TIME or todo_done:ID."),
    click.option("--cancelled", metavar="REASON", help="The Todo is given up, and why."),
    click.option("--superseded-by", metavar="TITLE|T", multiple=True, help="What replaces the Todo (repeatable)."),
    click.option("--successor", "successors", metavar="TITLE|T", multiple=True, help="What carries on (repeatable)."),
    click.option("--no-follow-up", metavar="REASON", help="Nothing follows, and why."),
)
_VISION = (
    click.option("--vision-summary", metavar="TEXT", help="The Vision is this now, up to 420 characters."),
    click.option("--vision-role-scope", metavar="TEXT", help="What the agent is for, up to 280."),
    click.option("--vision-acceptance", metavar="TEXT", help="How it tells that it arrived, up to 420."),
    click.option("--vision-advancement", type=one_of(Advancement), help="How it goes on."),
    click.option("--vision-replan-trigger", metavar="TEXT", help="What would change the route, up to 240."),
    click.option("--vision-dreaming", metavar="TEXT", help="Directions without authority, up to 240."),
    click.option("--vision-last-patch", metavar="TEXT", help="What changed last, up to 240."),
    click.option("--vision-unchanged-reason", metavar="TEXT", help="The Vision from before the turn holds, and why."),
    click.option("--vision-retired-reason", metavar="TEXT", help="The Vision ends, and why."),
)
_PATH = (
    click.option("--path-delta", metavar="JSON|@FILE", help="How the route changed, as JSON or in a file."),
    click.option("--path-delta-outcome", type=one_of(PathOutcome), help="What the route does."),
    click.option("--path-delta-prior-assumption", metavar="TEXT", help="What was assumed."),
    click.option("--path-delta-observed-reality", metavar="TEXT", help="What was seen instead."),
    click.option("--path-delta-retained", metavar="TEXT", multiple=True, help="What stays (repeatable)."),
    click.option("--path-delta-changed", metavar="TEXT", multiple=True, help="What changes (repeatable)."),
    click.option("--path-delta-stopped", metavar="TEXT", multiple=True, help="What ends (repeatable)."),
    click.option("--path-delta-open-question", "path_delta_open_questions", metavar="TEXT", multiple=True,
                 help="What is not known (repeatable)."),
    click.option("--path-delta-evidence", metavar="E", multiple=True, help="Evidence that shows it (repeatable)."),
)  # fmt: skip


def _settlement(function: F) -> F:
    for option in reversed((*_TURN, *_TODO, *_VISION, *_PATH)):
        function = option(function)
    return function


@click.command(
    "refresh-state",
    cls=Verb,
    epilog="  loopx refresh-state --goal beta --scale single_surface --outcome outcome_progress \\\n"
    '    --evidence "ten people read it" --done --successor "Translate it"\n'
    "  loopx refresh-state --goal beta --turn turn-4k9x2m7q --scale test_only --outcome outcome_gap \\\n"
    '    --negative "Caching makes it no faster" --vision-unchanged-reason "The route holds"',
)
@_settlement
@writes
def refresh_state(request: Request, **given: Any) -> Answer:
    """Settle a turn: write back everything it did in one commit."""
    from loopx.runtime.settling import write_back

    proposed = proposal(request, _command(request, given))
    with named(request, proposed.operation):
        committed = write_back(request.door, proposed, request.around.environ)
    told = with_pages(request, committed)
    return Answer(settled_facts(told), lambda screen: settled_lines(told, screen), told.revision, told.warnings)


def _command(request: Request, given: dict[str, Any]) -> SettleTurn:
    """The settling that was typed."""
    plain = ("goal", "turn", "todo", "obligation", "agent", "evidence", "negative", "meets", "next_action", "spend")
    became = ("done", "blocked", "deferred_until", "cancelled", "superseded_by", "successors", "no_follow_up")
    vision = {name.removeprefix("vision_"): value for name, value in given.items() if name.startswith("vision_")}
    return SettleTurn(
        **{name: given[name] for name in plain},
        scale=Scale(given["scale"]),
        outcome=DeliveryOutcome(given["outcome"]),
        settlement=TodoSettlement(**{name: given[name] for name in became}),
        vision=VisionSettlement(**vision),
        path_delta=path_delta(given),
        note=given["note"],
        lease_key=execution_key(request, given["lease"]),
    )
