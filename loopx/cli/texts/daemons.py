"""How a daemon is doing, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown
from loopx.cli.screen import Screen


def status_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """The lines of ``loopx daemon status``."""
    if not facts["running"]:
        yield "no daemon is running"
        yield "  start one: loopx daemon start"
        return
    yield screen.paint("watching", "green") + f" · process {facts.get('pid')} since {facts.get('since')}"
    if not facts["answers"]:
        yield screen.paint("it does not answer just now", "yellow")
        return
    why = f" ({shown(facts['why'])})" if facts["why"] else ""
    yield f"mode        {facts['mode']}{why}"
    yield f"page        {facts['page'] or 'none: ' + shown(facts['page_why'])}"
    yield f"last event  {facts['last_event_at'] or 'none yet'}"
    yield f"last look   {facts['last_look_at'] or 'none yet'} · {facts['last_look_ms']} ms"
    yield f"revision    {(facts['revision'] or 'none')[:10]}"
    yield f"next due    {facts['next_due_at'] or 'nothing'}" + (
        f" · {shown(facts['next_due'])}" if facts["next_due"] else ""
    )
    yield f"looks       {facts['looks']}, {facts['failures']} failed · {facts['refused']} edits refused"
    yield f"commands    {facts['served']} carried out"
    for why_not, count in facts["declined"].items():
        yield f"declined    {count} of them: {shown(why_not)}"
    for each in facts["problems"]:
        yield screen.paint(f"problem[{each['code']}]", "red") + f" {shown(each['message'])}"
        yield f"  hint: {shown(each['hint'])}"
