"""Pages read back as a viewer would: tables, links and raw HTML of Markdown; cards, links and scripts of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

_VIEWER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
"""A viewer that would obey everything."""


def tokens(page: str) -> Iterator[Token]:
    """Every token of a Markdown page, those inside paragraphs and cells too."""
    for token in _VIEWER.parse(page):
        yield token
        yield from token.children or ()


def tables(page: str) -> list[list[list[str]]]:
    """Every table as rows of cells, as plain text; the first row is the heading."""
    found: list[list[list[str]]] = []
    is_cell = False
    for token in _VIEWER.parse(page):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("td_open", "th_open"):
            is_cell = True
        elif token.type == "inline" and is_cell:
            found[-1][-1].append("".join(each.content for each in token.children or ()))
            is_cell = False
    return found


def table(page: str, heading: str) -> list[dict[str, str]]:
    """The table below ``heading``, as rows by column name; empty where there is none."""
    below = page.split(f"\n{heading}", 1)[1].split("\n#", 1)[0]
    first, *rest = tables(below) or [[[]]]
    return [dict(zip(first[0], row, strict=True)) for row in first[1:]] if not rest else []


def links(page: str) -> list[str]:
    """Where every link of a Markdown page leads."""
    return [str(token.attrGet("href")) for token in tokens(page) if token.type == "link_open"]


class Document(HTMLParser):
    """What a page of HTML holds. ``cards``: ids of the Todos shown; ``scripts``: texts by type."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.cards: list[str] = []
        self.titles: dict[str, str] = {}
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.scripts: dict[str, str] = {}
        self.style = ""
        self.policy = ""
        self._within = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes |= given.keys()
        if given.get("href"):
            self.links.append(str(given["href"]))
        if given.get("class") == "card-title" and given.get("data-todo"):
            self.cards.append(str(given["data-todo"]))
            self.titles[self.cards[-1]] = ""
            self._within = f"card {self.cards[-1]}"
        elif tag == "script":
            self._within = f"script {given.get('type') or ''}"
        elif tag == "style":
            self._within = "style"
        elif given.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(given["content"])

    def handle_endtag(self, tag: str) -> None:
        if tag in ("a", "script", "style"):
            self._within = ""

    def handle_data(self, data: str) -> None:
        kind, _, name = self._within.partition(" ")
        if kind == "card":
            self.titles[name] += data
        elif kind == "script":
            self.scripts[name] = self.scripts.get(name, "") + data
        elif kind == "style":
            self.style += data
