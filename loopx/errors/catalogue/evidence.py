"""Codes of the kernel about evidence and what it is bound to."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

EVIDENCE: tuple[Entry, ...] = (
    Entry(
        "readback-stale",
        Exit.REFUSED,
        "The outside fact a criterion rests on was not read back lately enough.",
        "Read it back: run the criterion's check, or let a person say what they saw.",
    ),
    Entry(
        "evidence-about-unclear",
        Exit.REFUSED,
        "What the evidence is about could not be told.",
        "Name a Todo, a Gate or an effect by its id, or a criterion as GOAL/CRITERION.",
    ),
    Entry(
        "evidence-kind-reserved",
        Exit.REFUSED,
        "Evidence of this kind is recorded by LoopX itself, or there is no such kind.",
        "Let LoopX see it: `loopx todo done` runs a validation, `loopx goal check` a criterion's check.",
    ),
    Entry(
        "evidence-input-unknown",
        Exit.REFUSED,
        "Something evidence was made on cannot be looked at here and now.",
        "Name files of the project and variables that are set, and judge where the project can be read.",
    ),
    Entry(
        "evidence-superseded",
        Exit.REFUSED,
        "The evidence is superseded by what happened since, so no judgement can make it apply.",
        "Make new evidence: validate or check again.",
    ),
    Entry(
        "reassessment-of-judgement",
        Exit.REFUSED,
        "What was to be judged is itself a judgement on other evidence.",
        "Judge the evidence it speaks of.",
    ),
    Entry(
        "reassessment-own-work",
        Exit.REFUSED,
        "An agent would settle alone, in its own favour, what its own work is still worth.",
        "Validate or check again, or let a person or another agent judge.",
    ),
    Entry(
        "reassessment-unfounded",
        Exit.REFUSED,
        "That evidence still applies was said without what changed, the requirement looked at, or how it was checked.",
        "Say each of them: --difference, --requirement and --checked.",
    ),
    Entry(
        "check-missing",
        Exit.REFUSED,
        "The criterion declares no check that LoopX could run.",
        "Declare one with `loopx goal edit`, or let a person say what they saw with `loopx goal meet`.",
    ),
    Entry(
        "check-failed",
        Exit.FAILED,
        "The check of a criterion ran and failed.",
        "Read its output, mend the work, then check again.",
    ),
    Entry(
        "check-timed-out",
        Exit.FAILED,
        "The check of a criterion ran longer than its time limit.",
        "Make it quicker, then check again.",
    ),
    Entry(
        "check-unavailable",
        Exit.UNAVAILABLE,
        "The check of a criterion could not be started.",
        "Make the program available, or let a person correct the check.",
    ),
)
