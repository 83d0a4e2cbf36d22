"""Codes of the documents room: texts that cannot be read, bound or edited."""

from loopx.errors.catalogue.entry import Entry
from loopx.errors.exits import Exit

DOCUMENTS: tuple[Entry, ...] = (
    Entry(
        "document-syntax",
        Exit.REFUSED,
        "The YAML of a document cannot be parsed.",
        "Fix the text at the place named; quoting the value is most often enough.",
    ),
    Entry(
        "document-empty",
        Exit.REFUSED,
        "A document holds nothing, or its header holds no fields.",
        "Write at least a title, or delete the file.",
    ),
    Entry(
        "document-root",
        Exit.REFUSED,
        "A document's fields are not a mapping of names to values.",
        "Write the header as `name: value` lines.",
    ),
    Entry(
        "document-fence-open",
        Exit.REFUSED,
        "The header starts with `---` but never ends.",
        "Add a line that is exactly `---` after the last field.",
    ),
    Entry("document-encoding", Exit.REFUSED, "A document is not UTF-8 text.", "Save the file as UTF-8."),
    Entry(
        "document-too-large",
        Exit.REFUSED,
        "A document is larger than 1 MiB.",
        "Split it, or move large material out of the workspace.",
    ),
    Entry(
        "document-too-complex",
        Exit.REFUSED,
        "A document nests too deep, has too many values, or expands aliases too far.",
        "Simplify the header; write repeated values out.",
    ),
    Entry(
        "document-merge-markers",
        Exit.REFUSED,
        "A document holds the marks of an unresolved Git merge.",
        "Keep one side and delete the three marker lines.",
    ),
    Entry(
        "document-duplicate-key", Exit.REFUSED, "A field is written twice in one mapping.", "Keep one of the two lines."
    ),
    Entry(
        "document-merge-key",
        Exit.REFUSED,
        "A header uses the `<<` merge key, which is not supported.",
        "Write the merged fields out.",
    ),
    Entry("field-missing", Exit.REFUSED, "A required field is missing or empty.", "Add the field named."),
    Entry(
        "field-type",
        Exit.REFUSED,
        "A field's value has the wrong type.",
        "Quote the value, or write it in the form named.",
    ),
    Entry("field-value", Exit.REFUSED, "A field's value is not one that is allowed.", "Use one of the values named."),
    Entry(
        "field-unknown",
        Exit.DONE,
        "A field is not one LoopX knows; it is kept and ignored.",
        "Correct its spelling, or prefix it with `x-` to say it is yours.",
    ),
    Entry(
        "field-cut",
        Exit.DONE,
        "A `#` after a space cut an unquoted value short.",
        "Quote the whole value if the rest belongs to it.",
    ),
    Entry(
        "field-not-editable",
        Exit.REFUSED,
        "A field cannot be changed in place because of how it is written.",
        "Rewrite the field by hand in plain form.",
    ),
    Entry(
        "merge-conflict",
        Exit.REFUSED,
        "A hand edit and an accepted change touch the same thing differently.",
        "Put both into the file by hand, then save; or discard the edit.",
    ),
)
