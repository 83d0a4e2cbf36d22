"""Documents as hands write them: the same fields in random order, quoting, spacing, line ends, with comments between.

Each comes with the lines every field occupies, so that a test can say which bytes an edit may touch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from loopx.documents.notation import double_quoted, is_plain
from loopx.model.todo import Priority, TodoStatus, Validation

TODO = "goals/beta/todos/t-4k9x2m7q-x.md"

LETTERS = "aZ09 .,:;#'\"\\-_?!&*@%`|><[]{}()~=+/$^äß文字\u00a0\u3000\u0301\U0001f600"
prose = st.text(LETTERS, min_size=1, max_size=16).filter(lambda text: text.strip() != "")
awkward = st.sampled_from(
    [
        "a: b",
        "yes",
        "12",
        "1e5",
        "#x",
        "a #b",
        "- a",
        "[a]",
        "it's",
        'say "x"',
        "x:",
        "~",
        "a, b",
        "测试",
        " lead",
        "b\\n",
        "*",
    ]
)
line = prose | awkward
todo_id = st.text(alphabet="0123456789abcdefghjkmnpqrstvwxyz", min_size=8, max_size=8).map("t-".__add__)
instant = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1)).map(
    lambda at: at.replace(microsecond=0, tzinfo=UTC)
)
unique = {"unique": True, "max_size": 4}

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "title": line,
    "status": st.sampled_from(TodoStatus),
    "priority": st.sampled_from(Priority),
    "tags": st.lists(line, **unique).map(tuple),  # type: ignore[arg-type]
    "depends_on": st.lists(todo_id, **unique).map(tuple),  # type: ignore[arg-type]
    "reason": line,
    "validation": st.builds(
        Validation,
        argv=st.lists(prose, max_size=3).map(tuple),
        label=st.none() | line,
        timeout_seconds=st.integers(1, 9999),
    ),
    "write_scopes": st.lists(prose, **unique).map(tuple),  # type: ignore[arg-type]
    "watch_only": st.booleans(),
    "expires_at": instant,
}
"""What each field a test may change can hold. All but ``title`` may be absent."""

FOREIGN = [
    "x-team: blue",
    "x-map: {a: [1, 2], b: ~}",
    "x-block: |\n  some text\n    # no comment\n\n  more",
    "x-list:\n- 1\n-   two\n# between\n- # nothing",
    "prioritty: 9",
    "x-ref: &r {deep: {er: 1}}\nx-use: [*r, *r]",
    '"quoted key": yes',
    "x-long: " + "word " * 40 + "end",
    "x-wrapped: one\n  two\n  three",
]
comments = st.sampled_from(["# a remark", "#", "# title: not a field", "# 注释"])


@dataclass(slots=True)
class Page:
    """A document under construction, and the span of lines of each field (comments above it apart)."""

    values: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)
    has_bom: bool = False
    is_cut: bool = False
    """Without its last line break."""

    def text(self) -> str:
        joined = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        return joined.removesuffix("\n").removesuffix("\r") if self.is_cut else joined

    def data(self) -> bytes:
        return (b"\xef\xbb\xbf" if self.has_bom else b"") + self.text().encode()

    def span(self, name: str) -> tuple[int, int]:
        """The field's lines as byte offsets."""
        first, last = self.spans[name]
        sizes = [len((line + end).encode()) for line, end in zip(self.lines, self.ends, strict=True)]
        start = (3 if self.has_bom else 0) + sum(sizes[:first])
        return start, start + sum(sizes[first:last])


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """A Todo's document in some hand, and what it says."""
    names = draw(st.lists(st.sampled_from([name for name in VALUES if name != "title"]), unique=True, max_size=6))
    page = Page({name: draw(VALUES[name]) for name in ["title", *names]})
    entries: list[str] = draw(
        st.permutations(["id", *page.values, *draw(st.lists(st.sampled_from(FOREIGN), max_size=2, unique=True))])
    )
    page.lines.append("---" + draw(st.sampled_from(["", "", " "])))
    for entry in entries:
        page.lines += draw(st.lists(comments | st.just(""), max_size=2))
        written = _entry(draw, entry, page.values)
        if entry in page.values:
            page.spans[entry] = (len(page.lines), len(page.lines) + len(written))
        page.lines += written
    page.lines += [*draw(st.lists(comments | st.just(""), max_size=1)), "---"]
    page.lines += draw(
        st.lists(st.sampled_from(["", "text", "---", "# Heading", "- [ ] box  ", "key: value", "\tx"]), max_size=5)
    )
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    is_mixed = draw(st.booleans())
    page.ends = [draw(st.sampled_from(["\n", "\r\n"])) if is_mixed else newline for _ in page.lines]
    page.has_bom, page.is_cut = draw(st.booleans()), draw(st.booleans())
    return page


def _entry(draw: st.DrawFn, name: str, values: dict[str, Any]) -> list[str]:
    if name == "id":
        return [draw(st.sampled_from(["id: t-4k9x2m7q", 'id: "t-4k9x2m7q"', "id:   't-4k9x2m7q'  # mine"]))]
    if name not in values:
        return name.split("\n")
    value = values[name]
    if isinstance(value, Validation):
        return _validation(draw, value)
    if isinstance(value, tuple):
        return _list(draw, name, value, "")
    gap, tail = draw(st.sampled_from([" ", "  "])), draw(st.sampled_from(["", "", "  # kept"]))
    return [f"{name}:{gap}{_scalar(draw, value)}{tail}"]


def _validation(draw: st.DrawFn, value: Validation) -> list[str]:
    inner = [_list(draw, "argv", value.argv, "  ")]
    inner += [[f"  label: {_scalar(draw, value.label)}"]] if value.label is not None else []
    inner += [[f"  timeout_seconds: {value.timeout_seconds}"], ["  x-own: 1  # kept"]]
    return ["validation:", *(line for part in draw(st.permutations(inner)) for line in part)]


def _list(draw: st.DrawFn, name: str, items: tuple[str, ...], indent: str) -> list[str]:
    if not items or draw(st.booleans()):
        comma = draw(st.sampled_from([", ", " , "]))
        return [f"{indent}{name}: [{comma.join(_scalar(draw, item, in_flow=True) for item in items)}]"]
    dash = indent + draw(st.sampled_from(["- ", "  - ", "  -   "]))
    lines = [f"{indent}{name}:"]
    for item in items:
        lines += [f"{indent}    # about it"] if draw(st.integers(0, 4)) == 0 else []
        lines.append(dash + _scalar(draw, item) + draw(st.sampled_from(["", "", " # c"])))
    return lines


def _scalar(draw: st.DrawFn, value: Any, *, in_flow: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return draw(st.sampled_from([f"{value:%Y-%m-%dT%H:%M:%SZ}", f"'{value:%Y-%m-%d %H:%M:%S}+00:00'"]))
    text = str(value)
    styles = [double_quoted(text), "'" + text.replace("'", "''") + "'"]
    styles += [text, text] if is_plain(text, in_flow=in_flow) else []
    return draw(st.sampled_from(styles))
