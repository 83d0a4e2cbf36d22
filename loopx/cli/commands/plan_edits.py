"""``loopx plan edit``: changing a plan by a command. Its file may as well be edited in an editor."""

from __future__ import annotations

from dataclasses import replace

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import named_command, text_of
from loopx.cli.options import writes
from loopx.cli.parameters import RUN
from loopx.cli.request import Request, found
from loopx.cli.usage import usage
from loopx.cli.writing import submit
from loopx.kernel.plans.finding import find_run

_COMMAND = "'ID: CMD ARG…'"


@click.command(
    "edit",
    cls=Verb,
    epilog="  loopx plan edit t-4k9x2m7q --add-step 'docs: make docs' --set settings.max_retry_attempts=2\n"
    "  loopx plan edit run-4k9x2m7q --set 'steps.docs.depends_on=[\"build\"]' --remove-step old\n"
    "  loopx plan edit run-4k9x2m7q --from plan.yaml",
)
@click.argument("run", metavar="RUN|TODO", type=RUN)
@click.option("--objective", metavar="TEXT", help="What the steps are to reach.")
@click.option("--add-step", metavar=_COMMAND, multiple=True, help="A step at the end, after the last one (repeatable).")
@click.option("--independent", is_flag=True, help="With --add-step: it waits for nobody.")
@click.option("--verify", metavar=_COMMAND, multiple=True, help="One more program that verifies a step (repeatable).")
@click.option("--remove-step", metavar="ID", multiple=True, help="Take a step out (repeatable).")
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Set settings.NAME or steps.ID.NAME; values are JSON or text, an empty one takes it out (repeatable).",
)
@click.option("--from", "source", metavar="FILE|-", help="Take the steps, and what else it says, from YAML or JSON.")
@writes
def edit(
    request: Request,
    run: str,
    objective: str | None,
    add_step: tuple[str, ...],
    independent: bool,
    verify: tuple[str, ...],
    remove_step: tuple[str, ...],
    settings: tuple[str, ...],
    source: str | None,
) -> Answer:
    """Change a plan whose run has not ended; what is done or was begun stays as it is."""
    from loopx.loop.plans.edits import Typed, edited_plan

    typed = Typed(
        objective=objective,
        text=text_of(request.around.folder, source, "--from"),
        name="stdin" if source == "-" else source or "",
        added=tuple(named_command(each, "--add-step") for each in add_step),
        verify=tuple(named_command(each, "--verify") for each in verify),
        removed=remove_step,
        settings=settings,
        is_chain=not independent,
    )
    if typed.is_empty:
        raise usage("Nothing to change was given; see --set, --add-step, --remove-step and --from, or edit its file.")
    state = request.door.read().state
    changed = edited_plan(state, found(find_run(state, run)), typed)
    told = submit(request, changed.command, "changed")
    return replace(told, warnings=(*told.warnings, *changed.left))
