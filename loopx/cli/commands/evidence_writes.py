"""The verbs of ``loopx evidence`` that change something: add and reassess."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.inputs import text_or_stdin
from loopx.cli.options import writes
from loopx.cli.parameters import EVIDENCE, GOAL
from loopx.cli.request import Request
from loopx.cli.usage import usage
from loopx.cli.writing import answer_of, named, proposal, submit
from loopx.kernel.commands import AddEvidence, ReassessEvidence
from loopx.model.records import Assessment

_KINDS = ("observation", "delivery", "negative_result", "readback")


@click.command(
    "add",
    cls=Verb,
    epilog='  loopx evidence add beta/a1 "Ten people finished the tutorial" --reference https://example.org/notes\n'
    '  loopx evidence add t-4k9x2m7q "The cache does not help" --kind negative_result --file bench/results.csv',
)
@click.argument("about", metavar="SUBJECT")
@click.argument("summary", metavar="TEXT|-")
@click.option("--goal", metavar="GOAL", type=GOAL, help="The Goal of a criterion named by its bare name.")
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    default=_KINDS[0],
    show_default=True,
    help="What sort it is; a readback is a person's to say.",
)
@click.option("--reference", metavar="WHERE", multiple=True, help="Where to look (repeatable).")
@click.option("--fresh-for", metavar="LENGTH", help="How long it counts, such as 6h; always when left out.")
@click.option("--file", "files", metavar="PATH", multiple=True, help="A file of the project it rests on (repeatable).")
@click.option(
    "--variable",
    "variables",
    metavar="NAME",
    multiple=True,
    help="An environment variable it rests on, kept as a fingerprint; never a secret (repeatable).",
)
@writes
def add(
    request: Request,
    about: str,
    summary: str,
    goal: str | None,
    kind: str,
    reference: tuple[str, ...],
    fresh_for: str | None,
    files: tuple[str, ...],
    variables: tuple[str, ...],
) -> Answer:
    """Keep what you saw of a Todo, a Gate, an effect or GOAL/CRITERION, in your own name."""
    command = AddEvidence(
        about=about,
        goal=goal,
        summary=text_or_stdin(summary, "TEXT"),
        kind=kind,
        references=reference,
        fresh_for=fresh_for,
        files=files,
        variables=variables,
    )
    return submit(request, command, "added")


@click.command(
    "reassess",
    cls=Verb,
    epilog='  loopx evidence reassess e-4k9x2m7q --superseded --reason "The run was on the wrong machine"\n'
    '  loopx evidence reassess e-4k9x2m7q --not-affecting --reason "Only a comment changed" \\\n'
    '    --requirement "The guide is published" --checked "Read the diff"',
)
@click.argument("evidence_id", metavar="EVIDENCE", type=EVIDENCE)
@click.option("--not-affecting", is_flag=True, help="What changed does not matter: it still applies.")
@click.option("--superseded", is_flag=True, help="It is worth nothing any more.")
@click.option("--reason", required=True, help="Why, in one sentence.")
@click.option("--difference", metavar="TEXT", help="What changed, beyond what LoopX finds by itself.")
@click.option("--requirement", metavar="TEXT", help="The requirement you looked at (with --not-affecting).")
@click.option("--checked", "method", metavar="TEXT", help="How you checked it (with --not-affecting).")
@writes
def reassess(
    request: Request,
    evidence_id: str,
    not_affecting: bool,
    superseded: bool,
    reason: str,
    difference: str | None,
    requirement: str | None,
    method: str | None,
) -> Answer:
    """Judge what evidence is still worth after what it was made on changed."""
    if not_affecting == superseded:
        raise usage("Say one of --not-affecting and --superseded.")
    from loopx.runtime.reassessing import finish

    command = ReassessEvidence(
        evidence=evidence_id,
        assessment=(Assessment.APPLIES if not_affecting else Assessment.SUPERSEDED).value,
        reason=reason,
        difference=difference,
        requirement=requirement,
        method=method,
    )
    proposed = proposal(request, command)
    with named(request, proposed.operation):
        committed = finish(request.door, proposed)
    return answer_of(request, "judged", committed)
