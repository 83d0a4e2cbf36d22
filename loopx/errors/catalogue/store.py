"""Codes of the store: Git, disk, locks and the cache."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

STORE: tuple[Entry, ...] = (
    Entry(
        "head-moved", Exit.CONFLICT, "Another process committed first.", "Run the command again; nothing was written."
    ),
    Entry(
        "lock-held",
        Exit.CONFLICT,
        "Another command holds the workspace lock.",
        "Wait for it to end, or look at the process named.",
    ),
    Entry(
        "repository-busy",
        Exit.UNAVAILABLE,
        "Git has an operation in progress in `.loopx/.git`, or its index is locked.",
        "Finish or abort the operation named, then try again.",
    ),
    Entry(
        "repository-broken",
        Exit.UNAVAILABLE,
        "Git cannot read `.loopx/.git`.",
        "Run `git -C .loopx fsck` to see what is damaged.",
    ),
    Entry(
        "repository-owner",
        Exit.UNAVAILABLE,
        "`.loopx/.git` belongs to another user and Git refuses it.",
        "Add the folder to Git's safe.directory setting, or change its owner.",
    ),
    Entry(
        "git-missing", Exit.UNAVAILABLE, "The git program was not found, or is too old.", "Install Git 2.36 or later."
    ),
    Entry("git-failed", Exit.UNAVAILABLE, "A git program ended with an error.", "Read the message Git gave."),
    Entry(
        "identity-missing",
        Exit.REFUSED,
        "Git has no name and e-mail address for you.",
        "Set user.name and user.email with git config.",
    ),
    Entry(
        "signing-failed",
        Exit.UNAVAILABLE,
        "A commit was to be signed and could not be.",
        "Make the signing program work, or switch signing off in `.loopx/.git/config`.",
    ),
    Entry(
        "hook-refused",
        Exit.REFUSED,
        "A hook of `.loopx/.git` refused the commit, or took too long.",
        "Fix what the hook says, or set `policies.hooks: skip` in workspace.yaml.",
    ),
    Entry("disk-full", Exit.UNAVAILABLE, "The disk has no room.", "Free some space; nothing was changed."),
    Entry(
        "disk-refused",
        Exit.UNAVAILABLE,
        "The file system does not let a file be read or written.",
        "Check the owner and permissions of the path named, and whether its disk is read-only.",
    ),
    Entry(
        "disk-failed",
        Exit.UNAVAILABLE,
        "The disk could not read or write a file.",
        "Look at the path named and at the system's log; nothing was published.",
    ),
    Entry(
        "cache-busy",
        Exit.CONFLICT,
        "Another process is writing the cache.",
        "Run the command again; nothing was written.",
    ),
    Entry(
        "cache-broken",
        Exit.UNAVAILABLE,
        "The cache cannot be read.",
        "Delete `local/cache.sqlite`; it is made anew from the history.",
    ),
    Entry(
        "revision-unknown",
        Exit.REFUSED,
        "No commit of this workspace answers to the name given.",
        "Look it up with `loopx log`.",
    ),
)
