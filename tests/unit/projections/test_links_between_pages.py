"""Every link on every page leads somewhere: to another page, or to the file it speaks of."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

import pytest

from loopx.projections.links import is_safe, to_page, to_source
from loopx.projections.pages import render
from tests.unit.projections.reading import Document, links
from tests.unit.projections.sample import BETA, PROBLEM, PROOF, READER, SMALL, TIMELINE, WORK

ODD = "goals/reader/todos/读 我 (copy) #1 50% \"a\" & 'b'.md"


def sources() -> set[str]:
    """Every file the sample's pages may lead to."""
    found = {each.path for one in (READER, BETA) for each in (one, *one.todos, *one.gates, *one.visions)}
    found |= {
        each.path for each in (*WORK.turns, *WORK.runs, *WORK.monitors, *WORK.effects, *WORK.handoffs, *WORK.proposals)
    }
    return found | {PROOF.path, PROBLEM.path, ODD, "goals/reader/survey.md", "goals/reader/notes.md"}


def everywhere() -> Iterator[tuple[str, str]]:
    """(page, link) for every link of every page, with one file under an odd name."""
    odd = replace(READER.todos[0], path=ODD)
    shown = replace(SMALL, goals=(replace(READER, todos=(odd, *READER.todos[1:])), BETA))
    for page, text in render(shown, TIMELINE).items():
        if not page.endswith(".json"):
            yield from ((page, href) for href in (links(text) if page.endswith(".md") else Document(text).links))


def test_every_relative_link_leads_to_a_page_or_a_source_file() -> None:
    pages = {posixpath.join("status", page) for page in render(SMALL, TIMELINE)}
    found = list(everywhere())
    assert len(found) > 80
    for page, href in found:
        path, _, _ = href.partition("#")
        if not path or path.startswith(("https:", "data:")):
            continue
        target = posixpath.normpath(posixpath.join("status", posixpath.dirname(page), unquote(path)))
        assert target in pages | sources(), (page, href)


def test_every_todo_and_gate_is_linked_from_its_goal_page_and_the_board() -> None:
    for page in ("goals/reader.md", "board.html"):
        here = {href for each, href in everywhere() if each == page}
        for path in [ODD, *(each.path for each in (*READER.todos[1:], *READER.gates))]:
            assert to_source(page, path) in here


def test_the_way_between_two_pages_is_relative() -> None:
    assert to_page("goals/a.md", "README.md") == "../README.md"
    assert to_page("README.md", "goals/a.md") == "goals/a.md"
    assert to_source("goals/a.md", "goals/a/goal.md") == "../../goals/a/goal.md"
    assert to_source("README.md", "") == ""


@pytest.mark.parametrize("href", ["https://a", "HTTP://a", "mailto:a@b", "a/b.md", "../x", "#here", ""])
def test_links_people_may_follow(href: str) -> None:
    assert is_safe(href)


@pytest.mark.parametrize(
    "href", ["javascript:x", "JAVASCRIPT:x", "data:x", "file:///x", "//host/x", "\\\\host", "x-y:z"]
)
def test_links_nobody_should_follow(href: str) -> None:
    assert not is_safe(href)
