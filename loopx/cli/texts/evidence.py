"""Evidence in words: the list, one piece with what it was made on and what cites it, and what a check found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.cli.texts.receipts import short
from loopx.kernel.bindings import ARTIFACT, EvidenceStanding, evidence_standing, then
from loopx.kernel.citations import citations
from loopx.model.records import Evidence
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.runtime.checking import Kept
    from loopx.workspace.project import ProjectEnvironment
    from loopx.workspace.results import View

_APART = frozenset(
    {"id", "summary", "bound", "artifact", "inputs", "verdict", "is_fresh", "why", "changed", "unknown", "counts"}
    | {"bindings", "cited_by", "changed_files", "reassessment", "argv", "judged_by"}
)
"""Fields that are told in a place, or in words, of their own."""
_FILES = 10
"""Changed files named to a person; JSON has them all."""


def evidence_row(evidence: Evidence, standing: EvidenceStanding) -> tuple[str, ...]:
    """The line of one piece in the list."""
    seen = format_instant(evidence.observed_at)
    first = evidence.summary.partition("\n")[0]
    return (evidence.id, seen, evidence.kind, evidence.result, worth(standing), evidence.subject, first)


def worth(standing: EvidenceStanding) -> str:
    """What a piece is worth, in two words at most."""
    return standing.verdict.replace("_", " ") if standing.is_fresh else "not fresh"


def standing_facts(evidence: Evidence, standing: EvidenceStanding) -> dict[str, Any]:
    """The fields of a piece with what it is worth today."""
    return {
        **document(evidence),
        "verdict": standing.verdict.value,
        "is_fresh": standing.is_fresh,
        "counts": standing.counts,
        "why": standing.why,
        "changed": list(standing.changed),
        "unknown": list(standing.unknown),
        "judged_by": standing.judgement.id if standing.judgement else None,
    }


def evidence_facts(view: View, evidence: Evidence, around: ProjectEnvironment) -> dict[str, Any]:
    """One piece with what it was made on, what of that changed, and everything that cites it."""
    standing = evidence_standing(view.state, evidence, view.at)
    states = dict.fromkeys(standing.changed, "changed") | dict.fromkeys(standing.unknown, "unknown")
    return {
        **standing_facts(evidence, standing),
        "bindings": [{"what": what, "now": states.get(what, "unchanged")} for what in then(evidence)],
        "changed_files": _changed_files(evidence, standing, around),
        "cited_by": [each._asdict() for each in citations(view.state, evidence)],
    }


def evidence_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One piece."""
    yield screen.paint(f"evidence {facts['id']}  {facts['kind']} about {shown(facts['subject'])}", "bold")
    yield named("worth", f"{facts['verdict'].replace('_', ' ')}{_age(facts)} — {facts['why']}")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART and name != "kind"})
    if facts["argv"]:
        yield named("command", " ".join(facts["argv"]))
    yield from (named("made on", f"{each['what']}: {each['now']}") for each in facts["bindings"])
    yield from _file_lines(facts["changed_files"])
    yield from _judgement_lines(facts["reassessment"])
    yield from (named("cited by", f"{each['kind']} {each['id']} {each['how']}") for each in facts["cited_by"])
    yield from body_lines(facts["summary"])


def check_facts(found: Sequence[Kept]) -> dict[str, Any]:
    """What checks found, for programs."""
    return {
        "checks": [
            {
                "criterion": each.evidence.subject,
                "passed": each.problem is None,
                "result": each.evidence.result.value,
                "evidence": each.evidence.id,
                "kind": each.evidence.kind.value,
                "summary": each.evidence.summary,
                "receipt": values(each.committed.receipt),
                "revision": each.committed.revision,
                "replayed": each.committed.replayed,
            }
            for each in found
        ],
        "count": len(found),
        "passed": sum(each.problem is None for each in found),
    }


def check_lines(found: Sequence[Kept], screen: Screen) -> Iterator[str]:
    """What checks found, a line each, with the first line of what a failing one said."""
    for each in found:
        goal, _, criterion = each.evidence.subject.partition("/")
        result = screen.paint("passed", "green") if each.problem is None else screen.paint("did not pass", "red")
        revision = screen.paint(short(each.committed.revision), "yellow")
        yield f"goal {goal} {criterion} {result} · evidence {each.evidence.id} · {revision}"
        if each.problem is not None:
            yield from (f"  {shown(line)}" for line in each.evidence.summary.splitlines()[:_FILES])


def _age(facts: Mapping[str, Any]) -> str:
    return "" if facts["is_fresh"] else ", not fresh"


def _changed_files(
    evidence: Evidence, standing: EvidenceStanding, around: ProjectEnvironment
) -> list[dict[str, str]] | None:
    if ARTIFACT not in standing.changed or evidence.artifact_revision is None:
        return []
    found = around.changed_since(evidence.artifact_revision, evidence.artifact_scopes)
    return None if found is None else [{"change": letter, "path": path} for letter, path in found]


def _file_lines(found: Sequence[Mapping[str, str]] | None) -> Iterator[str]:
    if found is None:
        yield named("changed", "the commit it was made on is not there any more")
        return
    yield from (named("changed", f"{each['change']} {each['path']}") for each in found[:_FILES])
    if len(found) > _FILES:
        yield named("", f"and {len(found) - _FILES} more")


def _judgement_lines(judgement: Mapping[str, Any] | None) -> Iterator[str]:
    if judgement is not None:
        yield named("judges", f"{judgement['of']}: {judgement['assessment']}")
        for name in ("difference", "requirement", "method"):
            if judgement[name]:
                yield named(name, judgement[name])
