"""``loopx plan new``: laying a plan out, from steps typed as options, from a file, or from a plan to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import named_command, text_of
from loopx.cli.options import writes
from loopx.cli.parameters import TODO
from loopx.cli.request import Request, found
from loopx.cli.usage import usage
from loopx.cli.writing import named, proposal, with_pages
from loopx.kernel.resolve import find_todo

if TYPE_CHECKING:
    from loopx.loop.plans.proposing import Wanted


@click.command(
    "new",
    cls=Verb,
    epilog="  loopx plan new t-4k9x2m7q\n"
    "  loopx plan new t-4k9x2m7q --step 'build: make' --step 'test: make test' --verify 'test: test -f report.xml'\n"
    "  loopx plan new t-4k9x2m7q --from plan.yaml\n"
    "  planner | loopx plan new t-4k9x2m7q --from - --json",
)
@click.argument("todo_id", metavar="TODO", type=TODO)
@click.option("--objective", metavar="TEXT", help="What the steps are to reach (default: the Todo's title).")
@click.option(
    "--step",
    "steps",
    metavar="'ID: CMD ARG…'",
    multiple=True,
    help="A step that runs a program, without a shell; each waits for the one before (repeatable).",
)
@click.option("--independent", is_flag=True, help="With --step: none waits for another.")
@click.option(
    "--verify",
    metavar="'ID: CMD ARG…'",
    multiple=True,
    help="A program that verifies the step ID: status 0 passes (repeatable).",
)
@click.option("--from", "source", metavar="FILE|-", help="Take the plan from YAML or JSON; - reads it from stdin.")
@click.option("--template", is_flag=True, help="Print a commented plan to begin with, and make nothing.")
@click.option("--max-retries", metavar="N", type=click.IntRange(min=0), help="Executions again of a step that failed.")
@click.option("--no-verify", is_flag=True, help="Verify nothing: the result then claims no verification.")
@writes
def new(
    request: Request,
    todo_id: str,
    objective: str | None,
    steps: tuple[str, ...],
    independent: bool,
    verify: tuple[str, ...],
    source: str | None,
    template: bool,
    max_retries: int | None,
    no_verify: bool,
) -> Answer:
    """Lay out a plan for a Todo; without steps, one to begin with, which you edit."""
    from loopx.loop.plans.proposing import Wanted

    _refuse_mixture(steps, independent, verify, source, template)
    wanted = Wanted(
        objective=objective,
        steps=tuple(named_command(each, "--step") for each in steps),
        verify=tuple(named_command(each, "--verify") for each in verify),
        is_chain=not independent,
        text=text_of(request.around.folder, source, "--from"),
        name="stdin" if source == "-" else source or "",
        max_retries=max_retries,
        is_verified=not no_verify,
    )
    return _template(request, todo_id, wanted) if template else _laid_out(request, todo_id, wanted)


def _refuse_mixture(
    steps: tuple[str, ...], independent: bool, verify: tuple[str, ...], source: str | None, template: bool
) -> None:
    if steps and source is not None:
        raise usage("--step and --from both say what the steps are; give one.", "--from")
    if template and (steps or source is not None):
        raise usage("--template prints a plan to begin with and makes nothing; give it alone.", "--template")
    if (independent or verify) and not steps:
        raise usage("--independent and --verify go with --step.", "--verify" if verify else "--independent")


def _template(request: Request, todo_id: str, wanted: Wanted) -> Answer:
    from loopx.loop.plans.proposing import starting_text

    view = request.door.read()
    text = starting_text(wanted.objective or found(find_todo(view.state, todo_id)).title)
    return Answer({"template": text}, lambda _screen: text.splitlines(), view.revision, view.warnings)


def _laid_out(request: Request, todo_id: str, wanted: Wanted) -> Answer:
    from loopx.cli.texts.proposed_plans import laid_out_facts, laid_out_lines
    from loopx.loop.plans.proposing import proposed_plan

    state = request.door.read().state
    laid_out = proposed_plan(state, found(find_todo(state, todo_id)), wanted)
    proposed = proposal(request, laid_out.command)
    with named(request, proposed.operation):
        told = with_pages(request, request.door.settle(proposed))
    facts = laid_out_facts(told, laid_out.remarks)
    root = request.door.places.root
    return Answer(
        facts,
        lambda screen: laid_out_lines(told, facts, root, screen),
        told.revision,
        (*told.warnings, *laid_out.warnings),
    )
