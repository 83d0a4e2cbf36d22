"""The reference page of error codes, from :data:`loopx.errors.CATALOGUE`: one heading a code, in catalogue order."""

from __future__ import annotations

from docs.generate.markdown import document, table
from loopx.errors import CATALOGUE, Entry, Exit

_INTRODUCTION = """\
Whatever goes wrong has a code. It stands in the message on the terminal, in `error.code` of the JSON envelope, and as a
heading here. A code never changes its meaning. With it come a sentence, the place (`path:line:column` where there is
one), the next thing to do, and in JSON the facts as data.

The exit status follows the kind of ending, never the command. It speaks of the request just made: broken files of other
people are warnings, except for `loopx status`, `loopx check` and `loopx edit`, whose subject they are."""

_ENDINGS: dict[Exit, str] = {
    Exit.DONE: "done, or there was nothing to do; a code with this status is a notice and stops nothing",
    Exit.REFUSED: "refused: the rules, or the file as it stands, do not allow it",
    Exit.USAGE: "the command line was not understood",
    Exit.CONFLICT: "somebody was first; the same command may work when tried again",
    Exit.UNAVAILABLE: "Git, the disk or a program could not do its part",
    Exit.FAILED: "a validation or step ran and failed",
    Exit.UNKNOWN: "it is not known whether it happened; read it back under the same operation id",
    Exit.BUG: "LoopX itself failed; please report it",
    Exit.INTERRUPTED: "interrupted from the keyboard",
}


def page() -> str:
    """The page's text."""
    endings = table(["exit status", "how the request ended"], ([str(int(each)), _ENDINGS[each]] for each in Exit))
    return document("Errors", _INTRODUCTION, endings, *(_section(each) for each in CATALOGUE.values()))


def _section(entry: Entry) -> str:
    return f"## {entry.code}\n\n{entry.meaning}\n\n*Exit status* {int(entry.exit)} · *What to do* {entry.remedy}"
