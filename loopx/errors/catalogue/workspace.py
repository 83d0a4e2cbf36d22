"""Codes of the workspace: finding it, taking in edits, recovering, rolling back."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

WORKSPACE: tuple[Entry, ...] = (
    Entry(
        "workspace-missing",
        Exit.REFUSED,
        "No workspace was found here or in any folder above.",
        "Run `loopx init`, or name one with --workspace.",
    ),
    Entry(
        "workspace-foreign",
        Exit.REFUSED,
        "The `.loopx` folder found belongs to another tool or is something else.",
        "Move that folder away, or choose another project folder.",
    ),
    Entry(
        "workspace-version",
        Exit.REFUSED,
        "The workspace was written by a newer LoopX.",
        "Upgrade LoopX; nothing was changed.",
    ),
    Entry(
        "workspace-tracked",
        Exit.DONE,
        "The project's own repository tracks files of the workspace.",
        "Remove them from the project's index with git rm --cached.",
    ),
    Entry(
        "history-rewritten",
        Exit.REFUSED,
        "The branch no longer contains the last accepted commit.",
        "Look at both with `loopx log`, then run `loopx history keep old` or `loopx history keep new`.",
    ),
    Entry(
        "revision-conflict",
        Exit.CONFLICT,
        "The workspace, a lease, or what a validation ran on is not at the revision the request was based on.",
        "Read again, and repeat the request on what you then see.",
    ),
    Entry(
        "operation-reused",
        Exit.REFUSED,
        "An operation id was used for a different request before.",
        "Use a new operation id, or repeat the original request exactly.",
    ),
    Entry(
        "edits-pending",
        Exit.DONE,
        "Files were edited that could not be taken in just now.",
        "Run any command again when the workspace is free.",
    ),
    Entry(
        "edit-settling",
        Exit.DONE,
        "A file was saved a moment ago and is not taken in yet.",
        "Run any command in two seconds.",
    ),
    Entry(
        "edit-is-old-version",
        Exit.REFUSED,
        "A file equals an older version as a whole, and nobody can tell an undo from a stale save.",
        "Take it with `loopx edit accept PATH`, or drop it with `loopx edit discard PATH`.",
    ),
    Entry(
        "edit-reverts",
        Exit.DONE,
        "A hand edit undoes a change somebody else made.",
        "Look at the commit named if that was not meant.",
    ),
    Entry(
        "edit-waits",
        Exit.DONE,
        "A command changed a document whose file holds an edit that is not accepted; the file was left as it is.",
        "Mend or discard the edit; both changes are then merged.",
    ),
    Entry(
        "plan-edit-waits",
        Exit.REFUSED,
        "The plan that is to be carried out was edited, and the edit is not accepted.",
        "Mend it as `loopx edit list` says, or drop it with `loopx edit discard PATH`.",
    ),
    Entry(
        "edit-unknown", Exit.REFUSED, "The path named holds no unaccepted edit.", "List them with `loopx edit list`."
    ),
    Entry(
        "edit-displaced",
        Exit.REFUSED,
        "Text was typed into a file while it was being replaced, and it cannot be merged.",
        "Read the copy named, put what matters into the document, then `loopx edit discard` it.",
    ),
    Entry(
        "document-absent",
        Exit.DONE,
        "A document's file is gone.",
        "If that was meant, run `loopx edit accept PATH`; to have it back, `loopx edit discard PATH`.",
    ),
    Entry(
        "mass-deletion",
        Exit.REFUSED,
        "A large share of all documents is missing at once, which looks like an accident.",
        "Bring the files back, or confirm each with `loopx edit accept PATH`.",
    ),
    Entry(
        "document-link",
        Exit.REFUSED,
        "A document's file, or a folder on the way to it, is a symbolic link.",
        "Replace the link with what it names.",
    ),
    Entry(
        "document-conflict-copy",
        Exit.REFUSED,
        "A file looks like a second copy made by a synchronising tool.",
        "Keep one of the two, delete the other.",
    ),
    Entry(
        "document-stray",
        Exit.DONE,
        "A file lies among the documents where LoopX reads none.",
        "Rename or move it if it is meant to be read; otherwise leave it.",
    ),
    Entry(
        "document-name",
        Exit.DONE,
        "A document's file name and the id inside it disagree.",
        "Nothing needs doing; the id inside counts.",
    ),
    Entry(
        "staged-replaced",
        Exit.DONE,
        "A version of a document that was only staged in `.loopx/` gave way to the one written; a copy was kept.",
        "Compare the copy named with the document, if it still matters.",
    ),
    Entry(
        "document-name-clash",
        Exit.DONE,
        "Two files have names that are one and the same on some systems.",
        "Rename one of them; the id inside keeps its identity.",
    ),
    Entry(
        "file-shared",
        Exit.DONE,
        "A document's file has another name elsewhere, a hard link, that will not follow its changes.",
        "Link to the document from there instead.",
    ),
    Entry(
        "file-hidden",
        Exit.DONE,
        "A document carries a flag that makes Git hide its changes.",
        "Clear it with git update-index --no-skip-worktree --no-assume-unchanged.",
    ),
    Entry(
        "file-read-only",
        Exit.REFUSED,
        "A document's file is write-protected.",
        "Make it writable, then run the command again.",
    ),
    Entry(
        "file-failed",
        Exit.UNAVAILABLE,
        "The system refused to read or write a file.",
        "Look at the file's permissions and the disk.",
    ),
    Entry("rollback-nothing", Exit.DONE, "The documents chosen already equal that revision.", "Nothing needs doing."),
    Entry(
        "rollback-mismatch",
        Exit.BUG,
        "After a rollback the documents do not equal the revision asked for.",
        "Please report it; the history before is untouched.",
    ),
    Entry(
        "undo-built-upon",
        Exit.REFUSED,
        "Later operations changed what this operation wrote.",
        "Undo those first, or name them too with --and.",
    ),
    Entry("undo-nothing", Exit.REFUSED, "There is no operation that can be undone.", "Look at `loopx log`."),
    Entry("operation-unknown", Exit.REFUSED, "No operation of that id is recorded.", "Look at `loopx log`."),
    Entry(
        "pages-failed",
        Exit.DONE,
        "The pages could not be written; the change itself is committed.",
        "Run `loopx status --render` when the folder can be written.",
    ),
    Entry(
        "workspace-gone",
        Exit.REFUSED,
        "The folder of an open workspace was moved away, unmounted or replaced.",
        "Put it back, and watching goes on; or stop the daemon.",
    ),
)
