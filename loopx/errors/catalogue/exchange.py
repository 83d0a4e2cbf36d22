"""Codes of the kernel about monitors, effects, agents, proposals and handoffs."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

EXCHANGE: tuple[Entry, ...] = (
    Entry(
        "agent-unregistered",
        Exit.REFUSED,
        "The workspace knows no agent of this name, or the Goal names its agents and not this one.",
        "A person adds it with `loopx agent add`.",
    ),
    Entry(
        "agent-exists",
        Exit.REFUSED,
        "An agent of this name is there already, described otherwise.",
        "Change what is known of it with `loopx agent edit`.",
    ),
    Entry(
        "agent-last",
        Exit.REFUSED,
        "It is the only agent the Goal names; a Goal that names nobody takes any agent.",
        "Name another first, or pause the Goal.",
    ),
    Entry(
        "agent-still-named",
        Exit.DONE,
        "A Goal goes on naming only agents that are no longer registered, so that no agent takes part there.",
        "Name others with `loopx agent add … --goal …`.",
    ),
    Entry(
        "agents-named",
        Exit.DONE,
        "A Goal that took any agent names those that take part from now on.",
        "Add the others with `loopx agent add … --goal …` if they are to go on.",
    ),
    Entry(
        "effect-unknown",
        Exit.REFUSED,
        "No effect has this id.",
        "List them with `loopx effect list`.",
    ),
    Entry(
        "effect-not-now",
        Exit.REFUSED,
        "The work the effect is for may not be done now.",
        "Wait for what keeps it back, or ask a person.",
    ),
    Entry(
        "effect-unsettled",
        Exit.CONFLICT,
        "What became of an earlier effect on the same work is not known yet.",
        "Read that one back and settle it first.",
    ),
    Entry(
        "effect-unproven",
        Exit.REFUSED,
        "Nothing was cited that shows what became of the effect.",
        "Cite evidence, or say what was read back.",
    ),
    Entry(
        "effect-not-confirmed",
        Exit.REFUSED,
        "Only an effect that is known to have happened has postconditions to confirm.",
        "Settle the effect first.",
    ),
    Entry(
        "postcondition-unknown",
        Exit.REFUSED,
        "The effect has no postcondition of this number.",
        "Look at it with `loopx effect show`.",
    ),
    Entry(
        "postcondition-unproven",
        Exit.REFUSED,
        "An agent's own word does not show that a postcondition holds.",
        "Cite a validation or a read-back that LoopX made, or ask a person to confirm it.",
    ),
    Entry(
        "evidence-too-old",
        Exit.REFUSED,
        "The evidence was seen before what it is cited for.",
        "Look again, and cite what you see now.",
    ),
    Entry(
        "handoff-unknown",
        Exit.REFUSED,
        "No handoff has this id.",
        "List them with `loopx handoff list`.",
    ),
    Entry(
        "handoff-pending",
        Exit.CONFLICT,
        "The Todo is offered in another handoff that nobody answered yet.",
        "Wait for the answer, or take that one back with `loopx handoff decline`.",
    ),
    Entry(
        "handoff-to-yourself",
        Exit.REFUSED,
        "Whoever offers work cannot be the one it is for.",
        "Name another agent with --to, or leave --to out.",
    ),
    Entry(
        "handoff-too-large",
        Exit.REFUSED,
        "A handoff names a bounded number of things.",
        "Hand over less at once.",
    ),
    Entry(
        "handoff-not-now",
        Exit.REFUSED,
        "Today's guards keep the receiver from the work that was offered.",
        "Wait for what keeps it back, or decline the handoff.",
    ),
    Entry(
        "proposal-unknown",
        Exit.REFUSED,
        "No proposal has this id.",
        "List them with `loopx proposal list`.",
    ),
    Entry(
        "proposal-decided",
        Exit.REFUSED,
        "The proposal was accepted or rejected, and reads as it was decided on.",
        "Change the Todo it became, or make another proposal.",
    ),
    Entry(
        "text-credential",
        Exit.REFUSED,
        "A text holds what looks like a password, a token or a key.",
        "Take it out and name the place where it is kept; if it was real, change it there.",
    ),
    Entry(
        "text-private",
        Exit.REFUSED,
        "A text names a path of this machine or a private link, and the workspace is shared.",
        "Name it relative to the project, or leave it out and say how to get it.",
    ),
    Entry(
        "target-missing",
        Exit.REFUSED,
        "A monitor does not say what it watches.",
        "Give it a `target`.",
    ),
    Entry(
        "cadence-invalid",
        Exit.REFUSED,
        "A monitor does not say how often it is looked at, or not in a length of time.",
        "Give it a `cadence` such as 30m, 6h or 1d.",
    ),
    Entry(
        "monitor-incomplete",
        Exit.DONE,
        "A monitor made by hand leaves out what it watches, or how often.",
        "Add `target` and `cadence` to its file.",
    ),
    Entry(
        "todo-not-monitor",
        Exit.REFUSED,
        "Only a monitor is looked at, and the Todo is of another class.",
        "List monitors with `loopx monitor list`.",
    ),
    Entry(
        "monitor-expired",
        Exit.REFUSED,
        "The time for which the monitor was to watch is over.",
        "Close it, or set a later expires_at.",
    ),
    Entry(
        "monitor-target-mismatch",
        Exit.REFUSED,
        "Something else was looked at than what the monitor watches.",
        "Look at its target, or change the target with `loopx todo edit`.",
    ),
    Entry(
        "poll-contradiction",
        Exit.REFUSED,
        "What was said of a look at a monitor excludes itself.",
        "Say what was seen, or that nothing could be read, and what follows from it if anything does.",
    ),
    Entry(
        "monitor-successor-missing",
        Exit.REFUSED,
        "A monitor saw something that calls for work, and no work follows.",
        "Name what carries it on with --successor, or say with --no-follow-up why nothing does.",
    ),
    Entry(
        "monitor-early",
        Exit.DONE,
        "A monitor was looked at before it was due.",
        "Nothing needs doing; look again when it is due.",
    ),
)
