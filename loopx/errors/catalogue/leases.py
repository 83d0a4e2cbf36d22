"""Codes of the kernel about Leases and claims."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

LEASES: tuple[Entry, ...] = (
    Entry(
        "lease-required",
        Exit.REFUSED,
        "Here a Todo is ended only by whoever holds its live lease.",
        "Take it with `loopx lease acquire`, then pass its key with --lease.",
    ),
    Entry(
        "lease-held",
        Exit.CONFLICT,
        "Somebody else executes the Todo under a lease that is still live.",
        "Wait until it ends, ask the holder to hand it over, or let an operator end it with `loopx lease release`.",
    ),
    Entry(
        "lease-held-by-you",
        Exit.REFUSED,
        "You hold the lease of the Todo yourself, under another key or by a claim that goes with it.",
        "Go on under the key you have; `loopx lease acquire --take-over` makes a new one where it is lost.",
    ),
    Entry(
        "lease-missing",
        Exit.REFUSED,
        "You hold no lease of the Todo.",
        "Take it with `loopx lease acquire`.",
    ),
    Entry(
        "lease-expired",
        Exit.REFUSED,
        "Your lease of the Todo has expired and proves nothing any more.",
        "Stop what runs under it; `loopx lease acquire` with a new key begins anew, if nobody else has.",
    ),
    Entry(
        "lease-key-missing",
        Exit.REFUSED,
        "This takes the execution key of your lease, and none was given.",
        "Pass it with --lease, or with --key to a verb of `loopx lease`.",
    ),
    Entry(
        "lease-key-wrong",
        Exit.REFUSED,
        "The execution key given is not that of the lease.",
        "Use the key the lease was acquired with; `loopx lease acquire --take-over` makes a new one where it is lost.",
    ),
    Entry(
        "lease-key-reused",
        Exit.REFUSED,
        "An execution key stands for one holder, one Todo and one set of terms, and was used for others before.",
        "Ask again exactly as before, or take a key nobody has used.",
    ),
    Entry(
        "lease-key-retired",
        Exit.REFUSED,
        "The execution key belongs to an execution that has ended.",
        "Stop what runs under it; `loopx lease acquire` with a new key begins anew.",
    ),
    Entry(
        "lease-key-invalid",
        Exit.REFUSED,
        "A text cannot be an execution key.",
        "Use letters, digits, dots, dashes and colons, at most 127, or leave it out to have one made.",
    ),
    Entry(
        "lease-ttl-invalid",
        Exit.REFUSED,
        "A lease lives for a second at least and for 24 hours at most.",
        "Ask for a length within that, and renew the lease while you work.",
    ),
    Entry(
        "lease-file-edited",
        Exit.REFUSED,
        "The file of the lease was changed or deleted by hand, and what it fences cannot be relied on until that is "
        "settled.",
        "A person puts the accepted version back with `loopx edit discard`.",
    ),
    Entry(
        "write-scope-conflict",
        Exit.CONFLICT,
        "Another Todo of the Goal is executed under a live lease that may write the same paths.",
        "Wait until that one ends, or ask for write scopes that do not overlap.",
    ),
    Entry(
        "guard-edit-waits",
        Exit.REFUSED,
        "A field that guards work was edited by hand while an agent works in the Goal, and a file cannot say who typed "
        "it.",
        "An operator takes it in with `loopx edit accept`, or drops it with `loopx edit discard`.",
    ),
)
