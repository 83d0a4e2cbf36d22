"""A report file for what LoopX itself got wrong: everything a maintainer needs, nothing on the person's screen."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from loopx.errors import Problem


def report(error: BaseException, arguments: Sequence[str], root: Path | None) -> Problem:
    """Write the report below the workspace's ``local/`` (else the temporary folder) and return the problem to tell.

    ``arguments`` say what was asked: those of the command line, or where else it went wrong.
    """
    text = _text(error, arguments)
    kept = _keep(text, root)
    message = f"LoopX failed with {type(error).__name__}."
    if kept is None:
        return Problem("bug", message, hint="The report could not be written; run again with a writable TMPDIR.")
    return Problem("bug", message, hint=f"Please report it with the text in {kept}.", facts={"report": str(kept)})


def _keep(text: str, root: Path | None) -> Path | None:
    folders = [root / "local" / "bugs"] if root is not None else []
    for folder in (*folders, Path(tempfile.gettempdir())):
        try:
            folder.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="loopx-bug-", suffix=".txt", dir=folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


def _text(error: BaseException, arguments: Sequence[str]) -> str:
    from loopx import __version__

    head = f"loopx {__version__}\npython {sys.version}\nplatform {platform.platform()}\narguments {list(arguments)}\n\n"
    return head + "".join(traceback.format_exception(error))
