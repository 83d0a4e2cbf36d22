"""Codes about plans, runs and steps."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

LOOP: tuple[Entry, ...] = (
    Entry(
        "transition-not-permitted",
        Exit.REFUSED,
        "A step was to be moved by somebody whose role does not move it there.",
        "The table of steps says who may; nothing was changed.",
    ),
    Entry(
        "run-transition-illegal",
        Exit.REFUSED,
        "A run was to turn to a state that does not follow from the one it is in.",
        "Look at it with `loopx run --dry-run`; nothing was changed.",
    ),
    Entry(
        "run-unknown",
        Exit.REFUSED,
        "No run has this id.",
        "List them with `loopx plan list`.",
    ),
    Entry(
        "run-moved",
        Exit.CONFLICT,
        "Somebody else recorded this run since it was read.",
        "Read it again; whoever holds the lease goes on.",
    ),
    Entry(
        "run-begun",
        Exit.REFUSED,
        "The run was begun before.",
        "Go on with it by `loopx run`, or lay out another plan.",
    ),
    Entry(
        "run-underway",
        Exit.REFUSED,
        "Another run of the Todo has not ended.",
        "Go on with that one, or let it end first.",
    ),
    Entry(
        "run-over",
        Exit.REFUSED,
        "The run has ended, and stays as it is.",
        "Lay out another plan with `loopx plan new`.",
    ),
    Entry(
        "plan-invalid",
        Exit.REFUSED,
        "The steps make no plan that can be carried out.",
        "Put right what the message names; nothing was changed.",
    ),
    Entry(
        "plan-step-begun",
        Exit.REFUSED,
        "A step that is done, or was begun, was to be changed or removed.",
        "Add another step instead; what happened stays as it is.",
    ),
    Entry(
        "run-record-untrue",
        Exit.REFUSED,
        "A record of a run says something its trace does not.",
        "This is a mistake of LoopX or of a component; nothing was changed.",
    ),
    Entry(
        "component-missing",
        Exit.USAGE,
        "A run has a phase switched on and nobody to carry it out.",
        "Give the component, or switch the phase off in the plan's settings.",
    ),
    Entry(
        "handler-missing",
        Exit.USAGE,
        "A recovery ladder names a strategy nobody can carry out.",
        "Register a handler for it, or take it out of the ladder.",
    ),
    Entry(
        "answer-not-awaited",
        Exit.REFUSED,
        "A run was answered that asks nothing, no longer asks, or asked until a time that is over.",
        "Look at what it waits for with `loopx run --dry-run`.",
    ),
    Entry(
        "answer-unknown",
        Exit.USAGE,
        "A run was answered with something it did not offer.",
        "Choose one of the options its Gate lists.",
    ),
    Entry(
        "answer-impossible",
        Exit.REFUSED,
        "What was answered cannot be done, for the reason that is named.",
        "Choose another option; the run still waits.",
    ),
    Entry(
        "tool-unknown",
        Exit.USAGE,
        "A step names a tool or model that workspace.yaml does not.",
        "Add it there, or name another in the plan.",
    ),
    Entry(
        "action-invalid",
        Exit.USAGE,
        "A step lacks what its kind of actor needs.",
        "Complete its action in the plan.",
    ),
    Entry(
        "callable-unknown",
        Exit.USAGE,
        "A plan names a Python callable nobody registered.",
        "Register it where the run is started, or name another.",
    ),
    Entry(
        "judge-invalid",
        Exit.USAGE,
        "A judge of a step cannot be used as it is written.",
        "Correct its pattern, schema or program in the plan; nothing was judged.",
    ),
    Entry(
        "judge-broken",
        Exit.UNAVAILABLE,
        "A judge could not come to a verdict.",
        "See why it broke; that says nothing about the step.",
    ),
    Entry(
        "verify-missing",
        Exit.USAGE,
        "A step is to be verified and names no independent judgement.",
        "Give it `verify`, or set `enable_verification: false` for the run.",
    ),
    Entry(
        "checkout-missing",
        Exit.UNAVAILABLE,
        "A clean checkout is wanted and no snapshot of the files was taken.",
        "Run it in a workspace, with write scopes on the step.",
    ),
    Entry(
        "probe-broken",
        Exit.UNAVAILABLE,
        "A probe could not tell whether something happened.",
        "Look for yourself; it must end with 0 when it happened and 1 when it did not.",
    ),
    Entry(
        "plan-by-hand",
        Exit.REFUSED,
        "A plan written by hand was to be revised by a planner.",
        "Edit the plan, or configure a planner.",
    ),
    Entry(
        "planner-failed",
        Exit.FAILED,
        "The planner's program did not come to an answer.",
        "Run it by hand with a request to see why.",
    ),
    Entry(
        "planner-output",
        Exit.FAILED,
        "The planner's answer is not of the form it must have.",
        "The message names the field; correct what the program writes.",
    ),
    Entry(
        "snapshot-unknown",
        Exit.REFUSED,
        "There is no such snapshot of the project's files.",
        "Snapshots are dropped after their time; restore from the project's own repository.",
    ),
    Entry(
        "snapshot-overwrites",
        Exit.CONFLICT,
        "Restoring would overwrite changes somebody else made.",
        "Keep or commit those changes first, or say that they may be overwritten.",
    ),
    Entry(
        "snapshot-blocked",
        Exit.UNAVAILABLE,
        "Something in the way keeps files from being restored.",
        "Move away what the message names; nothing was changed.",
    ),
)
