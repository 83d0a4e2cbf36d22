"""Codes of the kernel: proposals that are refused, and why."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

KERNEL: tuple[Entry, ...] = (
    # who may
    Entry(
        "actor-not-permitted",
        Exit.REFUSED,
        "An agent proposed something only a person may do.",
        "Ask a person; a Gate opened with `loopx gate open` puts the question to them.",
    ),
    Entry(
        "operator-required",
        Exit.REFUSED,
        "The workspace names its operators, and this person is none of them.",
        "Ask one of the operators named.",
    ),
    Entry(
        "record-machine-owned",
        Exit.REFUSED,
        "A file only LoopX writes was edited by hand.",
        "Drop the edit with `loopx edit discard`; records change through commands.",
    ),
    Entry(
        "field-machine-owned",
        Exit.REFUSED,
        "A field only LoopX writes was changed by hand.",
        "Put the old value back, or drop the edit with `loopx edit discard`.",
    ),
    Entry(
        "field-by-command",
        Exit.REFUSED,
        "A field changes through a command of its own, not by setting it.",
        "Use the command named.",
    ),
    Entry(
        "field-name-unknown",
        Exit.REFUSED,
        "A document of this kind has no field of that name.",
        "Use one of the names listed.",
    ),
    # names and ids
    Entry(
        "id-ambiguous",
        Exit.REFUSED,
        "A shortened id fits more than one document.",
        "Type more characters of the one you mean.",
    ),
    Entry(
        "id-duplicate",
        Exit.REFUSED,
        "Two documents have the same id.",
        "Remove the `id` line from the newer file; LoopX gives it a fresh one.",
    ),
    Entry(
        "id-reused",
        Exit.REFUSED,
        "An id typed by hand belonged to another document before.",
        "Remove the `id` line; LoopX gives the file a fresh one.",
    ),
    Entry(
        "ids-exhausted",
        Exit.BUG,
        "The source of fresh ids returned only ids that are taken.",
        "Please report it; nothing was written.",
    ),
    Entry(
        "agent-invalid",
        Exit.REFUSED,
        "A text is not an agent's name.",
        "Use lower-case letters, digits, dots and dashes.",
    ),
    # goals and criteria
    Entry("goal-unknown", Exit.REFUSED, "No Goal has that name.", "List them with `loopx goal`."),
    Entry(
        "goal-id-invalid",
        Exit.REFUSED,
        "A text cannot be a Goal's name.",
        "Use lower-case letters, digits and dashes, 64 characters at most.",
    ),
    Entry(
        "goal-exists", Exit.REFUSED, "A Goal of that name is there already.", "Choose another name, or edit the Goal."
    ),
    Entry(
        "goal-closed",
        Exit.REFUSED,
        "The Goal is stopped or closed and takes no new work.",
        "Activate a stopped Goal first, or use another Goal.",
    ),
    Entry(
        "criterion-unknown",
        Exit.REFUSED,
        "The Goal has no acceptance criterion of that name.",
        "Look at the Goal with `loopx goal show`.",
    ),
    Entry(
        "criterion-duplicate",
        Exit.REFUSED,
        "Two acceptance criteria of one Goal have the same id.",
        "Give each criterion an id of its own.",
    ),
    Entry(
        "criterion-evidence-insufficient",
        Exit.REFUSED,
        "What was cited does not show that a criterion is met.",
        "Cite a passed validation, a read-back or a validated Todo, or let a person confirm it in words.",
    ),
    Entry(
        "criterion-dangling",
        Exit.DONE,
        "Todos still name a criterion the Goal no longer has.",
        "Edit the Todos named, or put the criterion back.",
    ),
    # todos
    Entry("todo-unknown", Exit.REFUSED, "No Todo has that id.", "List them with `loopx todo`."),
    Entry(
        "todo-closed",
        Exit.REFUSED,
        "The Todo is done, superseded or cancelled.",
        "A person can reopen it with `loopx todo reopen`.",
    ),
    Entry(
        "todo-not-open",
        Exit.REFUSED,
        "The Todo is blocked or deferred.",
        "Put it back to work with `loopx todo resume` first.",
    ),
    Entry("todo-not-closed", Exit.REFUSED, "Only a closed Todo can be archived.", "Finish or cancel it first."),
    Entry(
        "todo-claimed",
        Exit.CONFLICT,
        "Somebody else has claimed the Todo.",
        "Agree with the holder named, who can `loopx todo unclaim` it.",
    ),
    Entry(
        "claim-required",
        Exit.REFUSED,
        "This workspace lets only the holder of a claim complete a Todo.",
        "Claim it first with `loopx todo claim`.",
    ),
    Entry("agent-excluded", Exit.REFUSED, "The Todo excludes this agent.", "Leave it to another agent or to a person."),
    Entry(
        "dependency-unmet", Exit.REFUSED, "Todos that must be done first are not done.", "Finish the Todos named first."
    ),
    Entry(
        "dependency-cycle",
        Exit.REFUSED,
        "Todos would wait for each other in a circle.",
        "Take one of the dependencies named away.",
    ),
    Entry(
        "dependency-dead",
        Exit.DONE,
        "Open Todos wait for one that was cancelled.",
        "Edit what they depend on, or cancel them too.",
    ),
    Entry(
        "supersede-cycle",
        Exit.REFUSED,
        "A Todo would replace itself by way of others.",
        "Name a Todo that does not lead back.",
    ),
    Entry(
        "condition-invalid",
        Exit.REFUSED,
        "A wake condition cannot be understood or can never come true.",
        "Use one of the forms listed.",
    ),
    Entry(
        "condition-dead",
        Exit.DONE,
        "A Todo waits for something that can no longer come true.",
        "Edit what it waits for, or cancel it.",
    ),
    Entry("reason-missing", Exit.REFUSED, "This change needs a reason and none was given.", "Say why, in one line."),
    Entry(
        "completion-contradiction",
        Exit.REFUSED,
        "It was said that nothing follows and that something does.",
        "Give successors, or say that nothing follows, or neither.",
    ),
    Entry(
        "validation-required",
        Exit.REFUSED,
        "The Todo declares a validation, and none has passed on it as it is now.",
        "Finish it with `loopx todo done`, which runs the validation.",
    ),
    Entry(
        "validation-failed",
        Exit.FAILED,
        "The declared validation ran and failed.",
        "Read its output, mend the work, then finish the Todo again.",
    ),
    Entry(
        "validation-unavailable",
        Exit.UNAVAILABLE,
        "The declared validation could not be started.",
        "Make the program available, or let a person correct the validation.",
    ),
    Entry(
        "validation-timed-out",
        Exit.FAILED,
        "The declared validation ran longer than its time limit.",
        "Make it quicker, or let a person raise its time limit.",
    ),
    Entry(
        "title-equal",
        Exit.DONE,
        "Two open Todos of one Goal have the same title.",
        "Rename one of them if they are not meant to be two.",
    ),
    # gates
    Entry("gate-unknown", Exit.REFUSED, "No Gate has that id.", "List them with `loopx gate`."),
    Entry(
        "scope-invalid",
        Exit.REFUSED,
        "A text is not a decision scope.",
        "Write kind:granularity:key, such as production:goal:deploy.",
    ),
    Entry(
        "instant-invalid",
        Exit.REFUSED,
        "A text is not a time with an offset.",
        "Write it like 2026-01-02T03:04:05Z or 2026-01-02T03:04:05+05:30.",
    ),
    Entry(
        "gate-required",
        Exit.REFUSED,
        "A decision the Todo requires has not been asked for.",
        "Open a Gate for the scope named.",
    ),
    Entry(
        "gate-pending",
        Exit.REFUSED,
        "A decision the Todo requires has been asked for and not been made.",
        "A person answers the Gate named.",
    ),
    Entry(
        "gate-not-by-hand",
        Exit.REFUSED,
        "A Gate's answer was typed into its file.",
        "Answer it with `loopx gate approve`, `reject` or `defer`.",
    ),
    Entry(
        "gate-own-question",
        Exit.REFUSED,
        "The agent that asked wants to answer its own question.",
        "Leave the answer to a person.",
    ),
    Entry(
        "gate-unconfirmed",
        Exit.REFUSED,
        "A Gate was answered from a script without confirming which one.",
        "Name the Gate again with --confirm GATE-ID.",
    ),
    Entry(
        "gate-expired",
        Exit.REFUSED,
        "The time until which an approval would count is already over.",
        "Let a person set a later `valid_until` on the Gate first.",
    ),
    Entry(
        "gate-approval-lapsed",
        Exit.DONE,
        "A Gate was changed after its approval, which therefore covers nothing any more.",
        "Let a person approve the Gate as it now reads.",
    ),
    Entry("option-missing", Exit.REFUSED, "The Gate offers options and none was chosen.", "Choose one with --option."),
    Entry("option-unknown", Exit.REFUSED, "The Gate offers no such option.", "Choose one of the options listed."),
    # evidence and visions
    Entry("evidence-unknown", Exit.REFUSED, "No evidence has that id.", "Look up what was recorded with `loopx log`."),
    Entry(
        "vision-unknown", Exit.REFUSED, "The agent has no Vision for this Goal.", "Write one with `loopx vision set`."
    ),
    Entry(
        "vision-over-budget",
        Exit.REFUSED,
        "A Vision is longer than its budget of characters.",
        "Shorten the field named; nothing is ever cut for you.",
    ),
    # any document
    Entry(
        "transition-illegal",
        Exit.REFUSED,
        "The document's status cannot change that way.",
        "Take one of the ways named.",
    ),
    Entry(
        "document-referenced",
        Exit.REFUSED,
        "A document others refer to cannot be deleted.",
        "Bring the file back, or change the documents named first.",
    ),
    Entry(
        "document-closed",
        Exit.REFUSED,
        "A document with a recorded history cannot be deleted or moved.",
        "Bring the file back; `loopx todo archive` puts closed work aside.",
    ),
)
