"""``loopx demo``: a day's work in a few seconds, on a project made for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import common
from loopx.cli.request import Request
from loopx.cli.screen import Screen
from loopx.cli.usage import usage
from loopx.errors import LoopxError, Place

if TYPE_CHECKING:
    from loopx.cli.demo.beats import Beat

_FOLDER = "loopx-demo"


@click.command("demo", cls=Verb, epilog="  loopx demo\n  loopx demo ~/tmp/first-look")
@click.argument("folder", metavar="[DIR]", required=False)
@common
def demo(request: Request, folder: str | None) -> Answer:
    """Show the main job end to end on a small project made for it (default: ./loopx-demo)."""
    for option, given in (("--workspace", request.workspace), ("--actor", request.actor)):
        if given is not None:
            raise usage(f"The demo has a workspace and a cast of its own; {option} means nothing to it.", option)
    target = Path(request.around.folder, Path(folder or _FOLDER).expanduser())
    _make(target, folder or _FOLDER)
    # The steps run while they are told, so that a person sees each as it happens.
    return Answer(lambda: _facts(request, target), lambda screen: _lines(request, target, screen))


def _make(target: Path, typed: str) -> None:
    """Make the folder, or refuse one with something in it: the demo never mixes with what is there."""
    hint = "Name a folder that is empty or not there yet: `loopx demo DIR`."
    try:
        target.mkdir(parents=True, exist_ok=True)
        taken = next(target.iterdir(), None)
    except (FileExistsError, NotADirectoryError) as error:
        raise LoopxError("folder-taken", f"{typed} cannot be a folder: a file is there.", hint=hint) from error
    except OSError as error:
        raise LoopxError("file-failed", f"{typed} cannot be made: {error.strerror}.", place=Place(typed)) from error
    if taken is not None:
        raise LoopxError("folder-taken", f"{typed} is not empty.", place=Place(typed), hint=hint)


def _beats(request: Request, target: Path, screen: Screen) -> Iterator[Beat]:
    from loopx.cli.demo.stage import Stage
    from loopx.cli.demo.story import Story

    stage = Stage(target.resolve(), request.around, screen, request.verbose)
    return Story(stage, request.around.clock()).beats()


def _lines(request: Request, target: Path, screen: Screen) -> Iterator[str]:
    for beat in _beats(request, target, screen):
        yield from beat.lines(screen)


def _facts(request: Request, target: Path) -> dict[str, Any]:
    steps = [dict(facts) for beat in _beats(request, target, Screen()) if (facts := beat.facts())]
    return {"folder": str(target.resolve()), "steps": steps}
