"""``loopx web``: the live page in a browser. The daemon serves it; where none runs, it is started."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import common
from loopx.cli.request import Request
from loopx.errors import LoopxError

if TYPE_CHECKING:
    from loopx.workspace.places import Places


@click.command("web", cls=Verb, epilog="  loopx web\n  loopx web --print")
@click.option("--print", "only_print", is_flag=True, help="Print the link; open no browser.")
@common
def web(request: Request, only_print: bool) -> Answer:
    """Open the live page in a browser, and start the daemon that serves it when none runs."""
    from loopx.web import door
    from loopx.workspace.discovery import find
    from loopx.workspace.places import Places

    places = Places(find(request.around.folder, request.workspace, request.around.environ).root)
    link = door.link(places)
    is_started = link is None and _start(request, places)
    link = link or door.link(places)
    if link is None:
        raise LoopxError("web-failed", _why_none(places), hint="Look at `loopx daemon status`; then start it anew.")
    is_open = not only_print and _opened(link, request.around.environ)
    address = link.partition("/enter")[0]
    facts = {"address": address, "link": None if is_open else link, "opened": is_open, "started": is_started}
    return Answer(facts, lambda _screen: _lines(address, link, is_open, is_started))


def _lines(address: str, link: str, is_open: bool, is_started: bool) -> list[str]:
    started = ["watching now · loopx daemon stop ends it"] if is_started else []
    if is_open:
        return [*started, f"the page is open in your browser · {address}"]
    return [*started, "open this link in a browser; it works once, within five minutes:", f"  {link}"]


def _start(request: Request, places: Places) -> bool:
    """Start the daemon, unless one runs. Whether it was started here."""
    from loopx.cli.commands.daemon import start
    from loopx.daemon.single import owner

    if owner(places) is not None or start.callback is None:
        return False
    start.callback(request, no_page=False)
    return True


def _why_none(places: Places) -> str:
    from loopx.daemon.asking import health

    why = (health(places) or {}).get("page_why") or "it was started without one, or does not answer"
    return f"The daemon of this workspace serves no page: {why}."


def _opened(link: str, environ: Mapping[str, str]) -> bool:
    """Whether a browser with a window was asked to open the link."""
    has_window = sys.platform == "darwin" or any(
        environ.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not has_window:
        return False
    import webbrowser

    try:
        return webbrowser.open(link)
    except (webbrowser.Error, OSError):
        return False
