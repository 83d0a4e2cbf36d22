"""The few checks of texts that every command needs, made without a validation library: lines, reasons, times, scopes.

A command that only adds or finishes work loads no pydantic; the rules read the same marks pydantic is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import get_args

from loopx.kernel.refusal import Refused
from loopx.kernel.wording import quoted, refuse
from loopx.model.forms import AgentId, Line, TextForm
from loopx.model.gate import DecisionScope
from loopx.model.times import parse_instant


def bad_line(text: str, field: str) -> Refused | None:
    """The refusal of a text that is not one line, or blank, or too long; ``None`` when it is fine."""
    if fits(text, Line):
        return None
    form = _form(Line)
    if len(text) > (form.at_most or len(text)):
        return refuse("field-value", f"{field} is longer than {form.at_most} characters.", "Shorten it.", field=field)
    if not text.strip():
        return refuse("field-missing", f"{field} is blank.", field=field)
    return refuse("field-value", f"{field} must be one line of text.", "Put the rest into the body.", field=field)


def bad_lines(texts: Iterable[str], field: str) -> Refused | None:
    """The first refusal among ``texts``."""
    return next((found for each in texts if (found := bad_line(each, field))), None)


def bad_reason(reason: str | None) -> Refused | None:
    """The refusal of a reason that is missing, blank or more than one line."""
    if reason is None or not reason.strip():
        return refuse("reason-missing", "No reason was given.", field="reason")
    return bad_line(reason, "reason")


def bad_agent(name: str) -> Refused | None:
    """The refusal of a text that is no agent's name."""
    if fits(name, AgentId):
        return None
    return refuse("agent-invalid", f"{quoted(name)} is not an agent's name.", field="agent")


def fits(text: str, form: object) -> bool:
    """Whether ``text`` keeps the rule of one of the forms in :mod:`loopx.model.forms`."""
    found = _form(form)
    if not found.at_least <= len(text) <= (found.at_most or len(text)):
        return False
    return found.pattern is None or re.fullmatch(found.pattern, text) is not None


def read_instant(text: str | None, field: str) -> datetime | Refused | None:
    """The instant ``text`` names; a text without an offset is refused, never guessed at."""
    if text is None:
        return None
    try:
        return parse_instant(text)
    except ValueError:
        return refuse("instant-invalid", f"{field}: {quoted(text)} is not a time with an offset.", field=field)


def read_scope(text: str, field: str) -> DecisionScope | Refused:
    """The decision scope ``text`` names."""
    try:
        return DecisionScope.parse(folded_scope(text))
    except ValueError as error:
        return refuse("scope-invalid", f"{error}.", field=field, scope=text)


def folded_scope(text: str) -> str:
    """A scope as typed, with its kind and granularity in lower case; the key keeps its case."""
    kind, colon, rest = text.strip().partition(":")
    granularity, second, key = rest.partition(":")
    return f"{kind.lower()}{colon}{granularity.lower()}{second}{key}"


def read_scopes(texts: Iterable[str], field: str) -> tuple[str, ...] | Refused:
    """Decision scopes in their written form, each once, in the order given."""
    found: dict[str, None] = {}
    for each in texts:
        scope = read_scope(each, field)
        if isinstance(scope, Refused):
            return scope
        found[str(scope)] = None
    return tuple(found)


def _form(form: object) -> TextForm:
    found = get_args(form)[1]
    assert isinstance(found, TextForm)
    return found
