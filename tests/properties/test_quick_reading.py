"""The quick way of reading a header and the YAML library agree on every node and every span."""

from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.documents import emit
from loopx.documents.compose import compose
from loopx.documents.quick import read_plainly
from loopx.documents.source import open_source
from loopx.errors import LoopxError
from loopx.model.todo import Todo, Validation
from tests.properties.handwriting import TODO, Page, pages

PATH = "workspace.yaml"

values = st.sampled_from(
    [
        "",
        " ",
        " word",
        " two words",
        " a:b",
        " a: b",
        " a #b",
        " a#b",
        " a  # b",
        " #b",
        " 'it''s'",
        ' "x: y"',
        ' "a\\nb"',
        ' "a" b',
        " [a, b]",
        " [ 'a' , \"b\" ]",
        " []",
        " [a, b:c, d-e]",
        " [a: b]",
        " [a, [b]]",
        " [a, b",
        " {a: b}",
        " - x",
        " -1",
        " ?x",
        " x?",
        " |",
        " &a b",
        " *a",
        " !t x",
        " 12e3",
        " 文字 é",
        " x:",
        " \u2028x",
        " x\u00a0",
        " x\u00a0# y",
        "\tx",
        " ---",
        " ...",
        " %x",
        " ~",
        " a,b",
        " a [b] {c}",
        " [a b , c#d]",
        " ['a',b]",
        " [a,]",
        " [,a]",
        " 'a'#b",
        " <<",
        " =",
    ]
)
names = st.sampled_from(["a", "b", "c1", "d-e", "yes", "null", '"q"', "x y", "<<", "_z"])
indents = st.sampled_from(["", "", "", "  ", "  ", "    ", " "])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def lines(draw: st.DrawFn) -> str:
    shape = draw(st.integers(0, 9))
    indent = draw(indents)
    if shape == 0:
        return indent + draw(st.sampled_from(["", "# note", "#", "---", "...", "- ", "-", "  more"])) + draw(ends)
    dash = draw(st.sampled_from(["- ", "-  ", "- - "])) if shape <= 3 else ""
    name = draw(names) + ":" if shape not in (1, 2) else ""
    return indent + dash + name + draw(values) + draw(ends)


@settings(max_examples=600)
@given(st.lists(lines(), min_size=1, max_size=7), st.booleans())
def test_what_the_quick_way_understands_the_library_reads_alike(parts: list[str], cut: bool) -> None:
    text = "".join(parts)
    source = open_source(PATH, text[: -1 if cut else None].encode(), is_markdown=False)
    assert source.header is not None
    found = read_plainly(source.text, *source.header)
    if found is not None:
        assert found == compose(source)


@settings(max_examples=200)
@given(st.text(alphabet="ab:-# \n\r[]{},'\"|>&*!?%@`\t\\é\u2028~0", max_size=40))
def test_of_any_text_the_quick_way_reads_nothing_the_library_reads_otherwise(text: str) -> None:
    source = open_source(PATH, text.encode(), is_markdown=False)
    assert source.header is not None
    found = read_plainly(source.text, *source.header)
    if found is not None:
        assert found == compose(source)


@settings(max_examples=200)
@given(st.text(max_size=60) | st.text(alphabet="a:-# \n[]{}'\"|>&*!?%@\\uUx0F\t", max_size=60))
def test_the_library_never_raises_anything_but_a_located_error(text: str) -> None:
    with contextlib.suppress(LoopxError):
        source = open_source(PATH, text.encode("utf-8", "replace"), is_markdown=False)
        compose(source)


@settings(max_examples=150)
@given(pages())
def test_documents_as_hands_write_them_are_read_alike_both_ways(page: Page) -> None:
    source = open_source(TODO, page.data(), is_markdown=True)
    assert source.header is not None
    found = read_plainly(source.text, *source.header)
    if found is not None:
        assert found == compose(source)


def test_a_document_loopx_wrote_itself_is_read_the_quick_way() -> None:
    entity = Todo(
        id="t-4k9x2m7q",
        title="Fix: it",
        tags=("a", "yes"),
        validation=Validation(argv=("pytest", "-q")),
        goal="beta",
        body="Body\n",
    )
    source = open_source(TODO, emit(TODO, entity), is_markdown=True)
    assert source.header is not None
    assert read_plainly(source.text, *source.header) == compose(source)
