"""Codes of the kernel about turns, Visions and quota."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

TURNS: tuple[Entry, ...] = (
    Entry(
        "turn-unknown",
        Exit.REFUSED,
        "No turn has this id.",
        "List them with `loopx turn list`.",
    ),
    Entry(
        "turn-subject-missing",
        Exit.REFUSED,
        "A turn works on one Todo or discharges one obligation, and this names none of them, or both.",
        "Name one with --todo or --obligation; `loopx next` says which.",
    ),
    Entry(
        "turn-open-already",
        Exit.REFUSED,
        "The agent has a turn open in this Goal, and takes one after the other.",
        "Go on with it and settle it with `loopx refresh-state`, or end it with `loopx turn void`.",
    ),
    Entry(
        "goal-not-active",
        Exit.REFUSED,
        "The Goal is a draft, paused or stopped, and no work begins in it.",
        "A person makes it active with `loopx goal activate`.",
    ),
    Entry(
        "quota-used-up",
        Exit.REFUSED,
        "The slots that the Goal's quota allows in its window are spent.",
        "Wait until the time named, or let a person raise the quota.",
    ),
    Entry(
        "todo-not-runnable",
        Exit.REFUSED,
        "The Todo may not be worked on now.",
        "See every reason with `loopx why`, and what may be done instead with `loopx next`.",
    ),
    Entry(
        "obligation-unknown",
        Exit.REFUSED,
        "No obligation of this id is armed, or it is owed by somebody else.",
        "See what is owed with `loopx next`; one that was discharged needs no turn.",
    ),
    Entry(
        "turn-settled",
        Exit.REFUSED,
        "The turn was settled before, with something else.",
        "What is new goes into another turn; `loopx turn show` tells what this one holds.",
    ),
    Entry(
        "turn-voided",
        Exit.REFUSED,
        "The turn was ended without a delivery.",
        "Open another one with `loopx turn open`.",
    ),
    Entry(
        "turn-mismatch",
        Exit.REFUSED,
        "What is settled is not what the turn was opened for.",
        "Settle what it was opened for, or end it with `loopx turn void` and open one for the other work.",
    ),
    Entry(
        "todo-already-done",
        Exit.REFUSED,
        "The Todo of the turn was finished before, by somebody else or before the turn opened.",
        "Settle the turn without `--done`, or end it with `loopx turn void`.",
    ),
    Entry(
        "turn-fenced",
        Exit.CONFLICT,
        "The lease that the turn was opened under has passed to another execution.",
        "Write nothing more for it: end it with `loopx turn void`, and look with `loopx next` what may be done now.",
    ),
    Entry(
        "settlement-contradiction",
        Exit.REFUSED,
        "A turn was settled in ways that exclude each other.",
        "Say one thing of the Todo, and one of the Vision.",
    ),
    Entry(
        "check-required",
        Exit.REFUSED,
        "The criterion has a check, and nothing cited shows that it is met.",
        "Settle the turn with `loopx refresh-state`, which runs the check.",
    ),
    Entry(
        "vision-premise-changed",
        Exit.REFUSED,
        "The Vision cannot be called unchanged: what it was written on changed since, or a replan is due.",
        "Say what it is now with `--vision-summary` or another `--vision-…` option.",
    ),
    Entry(
        "spend-not-validated",
        Exit.REFUSED,
        "Slots are spent on a validated delivery only.",
        "Settle the turn with `--spend 0`, or deliver first.",
    ),
)
