"""The template engine, set up so that what a template puts out is inert unless it says otherwise.

HTML templates escape as HTML, and take control characters out of every text. Markdown templates escape as Markdown:
every value that is not :class:`~.escape.Raw` goes through :func:`~.escape.markdown`, so no title can be forgotten.
Templates are package data; reading them is the only reading this room does. Loads jinja2.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined

from loopx.model.times import format_instant
from loopx.projections import escape, words


@cache
def _loader() -> BaseLoader:
    return PackageLoader("loopx.projections", "templates")


@cache
def _markdown() -> Environment:
    return _equipped(Environment(loader=_loader(), finalize=_inert, autoescape=False, **_HABITS))


@cache
def _html() -> Environment:
    return _equipped(Environment(loader=_loader(), finalize=_plain, autoescape=True, **_HABITS))


def markdown_page(template: str, **context: Any) -> str:
    """The Markdown page that ``templates/<template>`` makes of ``context``."""
    return _markdown().get_template(template).render(context)


def html_page(template: str, **context: Any) -> str:
    """The HTML page that ``templates/<template>`` makes of ``context``."""
    return _html().get_template(template).render(context)


def source(name: str) -> str:
    """The text of ``templates/<name>`` as it stands."""
    return _loader().get_source(_html(), name)[0]


_HABITS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}


def _equipped(environment: Environment) -> Environment:
    environment.filters.update(
        anchor=lambda text: escape.Raw(escape.address(text)),
        code=escape.code,
        codes=lambda found: escape.Raw(" ".join(map(escape.code, found))),
        cut=escape.cut,
        line=escape.one_line,
        moment=words.moment,
        day=words.day,
        clock=words.clock,
        person=words.person,
        raw=escape.Raw,
        short=words.short,
        instant=lambda at: "" if at is None else format_instant(at),
    )
    environment.globals.update(link=escape.link, plural=words.plural, closed_otherwise=words.closed_otherwise)
    return environment


def _plain(value: Any) -> Any:
    return escape.one_line(value) if type(value) is str else value


def _inert(value: Any) -> Any:
    if isinstance(value, escape.Raw | int):
        return value
    return "" if value is None else escape.markdown(str(value))
