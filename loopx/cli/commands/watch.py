"""``loopx watch``: what happens in the workspace, as it happens, for a person at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import click

from loopx.cli.answer import Answer
from loopx.cli.columns import shown
from loopx.cli.grammar import Verb
from loopx.cli.options import common
from loopx.cli.request import Request
from loopx.cli.screen import Screen
from loopx.cli.usage import usage

_STYLES = {"accepted": "green", "refused": "red", "health": "yellow", "pages": "dim", "due": "cyan"}


@click.command("watch", cls=Verb, epilog="  loopx watch\n  loopx watch --count 1 --json")
@click.option("--count", metavar="N", type=click.IntRange(min=1), help="End after so many happenings.")
@click.option("--pages", is_flag=True, help="Tell of pages too.")
@common
def watch(request: Request, count: int | None, pages: bool) -> Answer:
    """Follow what changes, and what was refused and why, as it happens."""
    from loopx.daemon.asking import happenings, missing
    from loopx.daemon.single import owner
    from loopx.workspace.discovery import find
    from loopx.workspace.places import Places

    if request.as_json and count is None:
        raise usage("With --json a number of happenings is needed, since one envelope is printed.", "--count")
    places = Places(find(request.around.folder, request.workspace, request.around.environ).root)
    if owner(places) is None:
        raise missing(places)
    wanted = (each for each in happenings(places) if pages or each["kind"] != "pages")
    heard = islice(wanted, count)
    return Answer(lambda: {"happenings": list(heard)}, lambda screen: _lines(heard, screen))


def _lines(heard: Iterator[dict[str, Any]], screen: Screen) -> Iterator[str]:
    for each in heard:
        yield _line(each, screen)
        sys.stdout.flush()


def _line(each: dict[str, Any], screen: Screen) -> str:
    word = screen.paint(f"{each['kind']:<8}", _STYLES.get(each["kind"], "dim"))
    revision = f" {each['revision'][:10]}" if each["revision"] and each["kind"] == "accepted" else ""
    return f"{each['at'][11:19]} {word} {shown(each['text'])}{revision}"
