"""Sure repairs, and the many that are not."""

from __future__ import annotations

import pytest

from loopx.documents import read, repairs
from loopx.model.todo import Todo
from tests.unit.documents.pages import TODO, todo


@pytest.mark.parametrize(
    ("line", "code", "value"),
    [
        ("title: Parser: keep going", "document-syntax", "Parser: keep going"),
        ("title: [draft] intro", "document-syntax", "[draft] intro"),
        ("title: @ops ping", "document-syntax", "@ops ping"),
        ("title: *later", "document-syntax", "*later"),
        ("title: - dash", "document-syntax", "- dash"),
        ("title: &soon", "field-missing", "&soon"),
        ("title: !urgent fix", "field-type", "!urgent fix"),
        ("title: 007", "field-type", "007"),
        ("title: true  ", "field-type", "true"),
        ('title: C:\\dir: "x"', "document-syntax", 'C:\\dir: "x"'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_plain_title_is_quoted(line: str, code: str, value: str, newline: str) -> None:
    text = todo(f"{line}\nprioritty: 1").replace(b"\n", newline.encode())
    found = repairs(TODO, text)
    assert [each.code for each in found] == [code]
    assert "title" in found[0].about
    entity = read(TODO, found[0].data).entity
    assert isinstance(entity, Todo)
    assert entity.title == value
    at = text.index(line.rstrip().partition(": ")[2].encode())
    assert found[0].data.startswith(text[:at] + b'"')
    assert found[0].data.endswith(text[at + len(line.rstrip().partition(": ")[2]) :])


def test_repairs_build_on_one_another() -> None:
    found = repairs(TODO, todo("title: A: b\nreason: @c\nresume_when: 12"))
    assert [each.code for each in found] == ["document-syntax", "document-syntax", "field-type"]
    assert found[-1].data == todo('title: "A: b"\nreason: "@c"\nresume_when: "12"')


def test_what_is_sure_is_repaired_though_something_else_stays_wrong() -> None:
    found = repairs(TODO, todo("title: A: b\npriority: p9"))
    assert [each.data for each in found] == [todo('title: "A: b"\npriority: p9')]


@pytest.mark.parametrize(
    "header",
    [
        "title: x",
        "title: A: b #c",
        "title: #1 priority",
        "title: 'it's ok'",
        'title: "a',
        "title: x\nrev: 61e9540",
        "title: x\npriority: 1",
        "title: x\ntags: urgent",
        "title: x\nx-own: a: b",
        "title: x\nvalidation:\n\targv: [a]",
        "title: x\nstatus: open\nstatus: done",
        "title: |\n  a: b\n c",
    ],
)
def test_what_is_not_sure_is_left_to_the_person(header: str) -> None:
    assert repairs(TODO, todo(header)) == []


@pytest.mark.parametrize("data", [b"", b"---\ntitle: x\n", b"---\ntitle: caf\xe9: x\n---\n", b"x\0y"])
def test_texts_that_are_no_documents_are_left_alone(data: bytes) -> None:
    assert repairs(TODO, data) == []
