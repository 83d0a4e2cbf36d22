"""``loopx daemon``: watching a workspace beside an editor, in the foreground or as a process of its own."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Noun, Verb
from loopx.cli.options import common
from loopx.cli.request import Request
from loopx.cli.texts.daemons import status_lines
from loopx.errors import LoopxError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.workspace.places import Places

_STARTING_SECONDS = 20.0
_STEP_SECONDS = 0.05


@click.group("daemon", cls=Noun, bare="run", epilog="  loopx daemon start\n  loopx daemon status\n  loopx daemon stop")
def daemon() -> None:
    """Watch the workspace beside an editor: take in what is saved, keep time, keep pages fresh."""


@daemon.command("run", cls=Verb)
@click.option("--log", metavar="PATH", help="Write what it tells to this file instead of the terminal.")
@click.option("--no-page", is_flag=True, help="Serve no live page.")
@common
def run(request: Request, log: str | None, no_page: bool) -> Answer:
    """Watch in the foreground, until interrupted."""
    from loopx.cli.lending import carry_out
    from loopx.daemon.running import Daemon

    root = _places(request).root
    made = Daemon(
        root,
        environ=dict(request.around.environ),
        clock=request.around.clock(),
        say=_teller(log, request.as_json),
        answering=carry_out,
        has_page=not no_page,
    )
    made.run()
    facts = {"root": str(root), "looks": made.health.looks, "served": made.health.served}
    return Answer(facts, lambda _screen: ["stopped"])


@daemon.command("start", cls=Verb)
@click.option("--no-page", is_flag=True, help="Serve no live page.")
@common
def start(request: Request, no_page: bool) -> Answer:
    """Watch in the background."""
    from loopx.daemon.asking import health
    from loopx.daemon.single import owner

    places = _places(request)
    if owner(places) is not None:
        found = health(places) or owner(places) or {}
        return _told(found, "already watching", is_new=False)
    log = places.local / "daemon.log"
    words = [sys.executable, "-m", "loopx", "daemon", "run", "--workspace", str(places.root), "--log", str(log)]
    with open(log, "ab") as said:
        process = subprocess.Popen(
            [*words, *(["--no-page"] if no_page else [])],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd="/",
            start_new_session=True,
        )
    clock = request.around.clock()
    for _ in range(int(_STARTING_SECONDS / _STEP_SECONDS)):
        if process.poll() is not None:
            break
        found = health(places) or {}
        if found:
            process.returncode = 0  # it is nobody's child from here on
            return _told(found, "watching", is_new=True)
        clock.wait(_STEP_SECONDS)
    process.poll()
    raise LoopxError("daemon-failed", "The daemon did not start.", facts={"output": _tail(log), "log": str(log)})


@daemon.command("stop", cls=Verb)
@common
def stop(request: Request) -> Answer:
    """End the daemon of this workspace."""
    from loopx.daemon.asking import end

    pid = end(_places(request), request.around.clock())
    said = "no daemon was running" if pid is None else f"stopped · process {pid}"
    return Answer({"stopped": pid is not None, "pid": pid}, lambda _screen: [said])


@daemon.command("status", cls=Verb)
@common
def status(request: Request) -> Answer:
    """Show whether a daemon watches this workspace, and how it is doing."""
    from loopx import __version__
    from loopx.daemon.asking import health
    from loopx.daemon.single import owner

    places = _places(request)
    noted = owner(places)
    found = (health(places) if noted is not None else None) or {}
    warnings: tuple[Problem, ...] = ()
    if found and found["version"] != __version__:
        message = f"The daemon runs LoopX {found['version']}, this command is {__version__}."
        warnings = (Problem("daemon-outdated", message),)
    facts = {"running": noted is not None, "answers": bool(found), **(noted or {}), **found}
    return Answer(facts, lambda screen: status_lines(facts, screen), facts.get("revision"), warnings)


@daemon.command("install", cls=Verb)
@click.option("--print", "only_print", is_flag=True, help="Print the unit file; write nothing.")
@common
def install(request: Request, only_print: bool) -> Answer:
    """Write the unit file of a user service that keeps the daemon running."""
    from loopx.daemon.service import unit

    places = _places(request)
    program = (sys.executable, "-m", "loopx")
    environ = request.around.environ
    made = unit(platform.system(), places.root, program, environ, Path(os.path.expanduser("~")))
    if made is None:
        raise LoopxError("service-unknown", f"No kind of user service is known on {platform.system()}.")
    facts = {"path": str(made.path), "unit": made.text, "enable": made.enable, "disable": made.disable}
    if only_print:
        return Answer({**facts, "written": False}, lambda _screen: made.text.splitlines())
    made.path.parent.mkdir(parents=True, exist_ok=True)
    made.path.write_text(made.text, encoding="utf-8")
    lines = [f"wrote {made.path}", f"  turn it on:  {made.enable}", f"  turn it off: {made.disable}"]
    return Answer({**facts, "written": True}, lambda _screen: lines)


def _places(request: Request) -> Places:
    """Where the workspace lies; nothing of it is opened."""
    from loopx.workspace.discovery import find
    from loopx.workspace.places import Places

    return Places(find(request.around.folder, request.workspace, request.around.environ).root)


def _teller(log: str | None, as_json: bool) -> Callable[[str], None]:
    if log is not None:
        from loopx.daemon.logbook import Logbook

        return Logbook(Path(log)).write

    def tell(text: str) -> None:
        stream = sys.stderr if as_json else sys.stdout
        try:
            stream.write(f"{text}\n")
            stream.flush()
        except OSError:
            return  # nobody reads any more; the daemon goes on

    return tell


def _told(found: dict[str, Any], verb: str, *, is_new: bool) -> Answer:
    lines = [f"{verb} · process {found.get('pid')}"]
    if found.get("page"):
        lines.append(f"page: {found['page']}")
    return Answer({**found, "started": is_new}, lambda _screen: lines, found.get("revision"))


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text("utf-8", "replace").splitlines()[-5:])
    except OSError:
        return ""
