"""Bodies people wrote in Markdown: as safe HTML for the board, and as a quotation for Markdown pages.

Nothing typed reaches a reader as raw HTML; links lead only to the web, to mail or to files; pictures are named, never
fetched. Relative links are turned so that they lead from the page to where they led from the file. Loads markdown-it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from loopx.projections.escape import joined_surrogates
from loopx.projections.links import is_safe, moved

BODY_LIMIT = 20_000
"""Characters of one body that are shown; the file has the rest."""

_FIRST_HEADING = 4
"""A body stands below the page's own headings."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def html(body: str, source: str, page: str) -> Markup:
    """``body``, typed in the file ``source``, as HTML for ``page``."""
    parser = _parser()
    tokens = parser.parse(_shown(body))
    for token in _all(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _FIRST_HEADING - 1)}"
        elif token.type == "link_open":
            _point(token, source, page)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def served_html(body: str) -> Markup:
    """``body`` as HTML for a page that a server shows: links to the web stay, those to files are told and lead nowhere,
    since no file is served."""
    parser = _parser()
    tokens = parser.parse(_shown(body))
    for token in _all(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _FIRST_HEADING - 1)}"
        for opening, closing in _links(token.children or ()):
            _let_lead_out(opening, closing)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def quotation(body: str, source: str, page: str) -> str:
    """``body`` as quoted Markdown for ``page``: whatever it leaves open ends with the quotation.

    A body that holds HTML or a link no one should follow is quoted with every ``<`` and ``[`` made inert.
    """
    text = _shown(body)
    if not text.strip():
        return ""
    tokens = list(_all(_probe().parse(text)))
    if any(_is_unsafe(token) for token in tokens):
        text = text.replace("<", "&lt;").replace("[", "&#91;")
    else:
        for href in sorted({str(token.attrGet("href")) for token in tokens if token.type == "link_open"}):
            text = _repointed(text, href, moved(href, source, page))
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _shown(body: str) -> str:
    lines = joined_surrogates(body).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", lines).strip("\n")
    return text if len(text) <= BODY_LIMIT else text[:BODY_LIMIT].rstrip() + "\n\n…"


def _point(token: Token, source: str, page: str) -> None:
    href = moved(str(token.attrGet("href") or ""), source, page)
    token.attrSet("href", href)
    if ":" in href:
        token.attrSet("rel", "noopener noreferrer")


def _links(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Each link's opening token with its closing one."""
    opened: list[Token] = []
    for token in tokens:
        if token.type == "link_open":
            opened.append(token)
        elif token.type == "link_close":
            yield opened.pop(), token


def _let_lead_out(opening: Token, closing: Token) -> None:
    href = str(opening.attrGet("href") or "")
    if ":" in href.partition("/")[0]:
        opening.attrSet("rel", "noopener noreferrer")
        return
    opening.tag = closing.tag = "span"
    opening.attrs = {"class": "elsewhere", "title": href}


def _repointed(text: str, href: str, to: str) -> str:
    if href == to:
        return text
    typed = f"(?:{re.escape(href)}|{re.escape(unquote(href))})"
    inline = re.sub(rf"(\]\(\s*<?){typed}(?=[>\s)])", lambda found: found[1] + to, text)
    return re.sub(rf"(?m)^( {{0,3}}\[[^\]\n]+\]:\s*<?){typed}(?=>|\s|$)", lambda found: found[1] + to, inline)


def _is_unsafe(token: Token) -> bool:
    if token.type in ("html_block", "html_inline"):
        return True
    targets = (token.attrGet("href"), token.attrGet("src"))
    return any(target is not None and not is_safe(str(target)) for target in targets)


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


class _Strict(MarkdownIt):
    """Takes for a link only what may be followed."""

    def validateLink(self, url: str) -> bool:
        return is_safe(url)


class _Probe(MarkdownIt):
    """Takes everything for what it might be, to see what a viewer could make of a text."""

    def validateLink(self, url: str) -> bool:
        return True


@cache
def _parser() -> MarkdownIt:
    parser = _Strict("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _named_picture)
    return parser


@cache
def _probe() -> MarkdownIt:
    return _Probe("commonmark").enable(["table", "strikethrough"])


def _named_picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    name = tokens[index].content or str(tokens[index].attrGet("src") or "")
    return f'<span class="picture">picture: {escape(name)}</span>'
