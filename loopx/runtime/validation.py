"""Running the validation a Todo declares: what it ran on, how it ended, and the Evidence that says so.

Nothing is written here; :mod:`loopx.runtime.completion` decides what becomes of the Evidence.
"""

from __future__ import annotations

from loopx.kernel.bindings import artifact_scopes, bindings_of, declared_bindings
from loopx.kernel.digest import validation_inputs
from loopx.kernel.privacy import is_shared
from loopx.kernel.state import State
from loopx.model.defining import dataclass
from loopx.model.ids import EVIDENCE
from loopx.model.records import Evidence, EvidenceKind
from loopx.model.todo import Todo, Validation
from loopx.runtime.bench import Bench, Finding, Job, carry_out

SOURCE = "loopx:validation"


@dataclass(frozen=True, slots=True)
class Validated:
    """A validation that ran, or could not, with the Evidence that tells of it."""

    evidence: Evidence
    finding: Finding


def validate(state: State, todo: Todo, validation: Validation, bench: Bench) -> Validated:
    """Run the declared command to its end, and bind what was seen to the project and to what the Todo declares.

    ``state`` is the state the Todo was read from; its environment tells of declared files and variables before the run.
    """
    goal = state.goal(todo.goal)
    scopes = artifact_scopes(todo, goal)
    named = (each for each in bindings_of(state, todo.goal, todo.id) if each.what != "validation")
    bound = (*named, *declared_bindings(state, validation))
    finding = carry_out(
        Job(
            argv=validation.argv,
            name=validation.label or validation.argv[0],
            timeout_seconds=validation.timeout_seconds,
            scopes=scopes,
            told={"LOOPX_TODO": todo.id, "LOOPX_GOAL": todo.goal},
            is_shared=is_shared(state),
        ),
        bench,
    )
    evidence = Evidence(
        id=bench.ids.fresh(EVIDENCE),
        kind=EvidenceKind.VALIDATION,
        subject=todo.id,
        source=SOURCE,
        observed_at=bench.clock.now().replace(microsecond=0),
        inputs=validation_inputs(todo, goal),
        artifact=finding.artifact,
        artifact_scopes=scopes,
        bound=bound,
        goal=todo.goal,
        **finding.seen,
    )
    return Validated(evidence, finding)
