"""Having the daemon answer, where one runs: the request is handed over before anything of LoopX is loaded.

Silent in every way of not getting an answer: the command is then carried out here, as if there were no daemon. Where an
answer may have been lost it is carried out under the same operation id, under which no write ever happens twice.
"""

from __future__ import annotations

import os

from loopx.cli.served import is_served

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OFF_VARIABLE = "LOOPX_DAEMON"
_LETTERS = "abcdefghjkmnpqrstvwxyz"
_ACCEPT_SECONDS = 0.5
"""How long a daemon may take to begin; one that is busy for longer is done without."""
_ANSWER_SECONDS = 60.0


def ask(arguments: Sequence[str]) -> tuple[int | None, str]:
    """The exit status of a request the daemon answered, else ``None``; then the operation id it may run under."""
    environ = os.environ
    if environ.get(OFF_VARIABLE) == "off" or "_LOOPX_COMPLETE" in environ or not is_served(arguments):
        return None, ""
    try:
        here = os.getcwd()
        folder = _local_folder(arguments, here)
        if folder is None:
            return None, ""
        return _asked(arguments, here, folder)
    except (OSError, ValueError):
        return None, ""


def _asked(arguments: Sequence[str], here: str, folder: str) -> tuple[int | None, str]:
    from loopx.daemon import line

    peer: Any = line.connect(folder)
    try:
        operation = "op-" + "".join(_LETTERS[each % len(_LETTERS)] for each in os.urandom(10))
        terminals = "".join(name for name, fd in (("i", 0), ("o", 1), ("e", 2)) if os.isatty(fd))
        facts = line.told(_version(), _home(), umask=_umask(), terminals=terminals)
        asked = line.Asked(line.RUN, facts, operation, here, tuple(arguments), _environ(terminals))
        peer.settimeout(_ACCEPT_SECONDS)
        peer.sendall(line.encoded(asked))
        try:
            told = _answer(peer)
        except (OSError, ValueError):
            return None, operation
    finally:
        peer.close()
    if told is None:
        return None, ""
    return _written(told), operation


def _answer(peer: Any) -> list[tuple[bytes, bytes]] | None:
    """All frames of an answer; ``None`` when the daemon would rather not. Raises :class:`OSError` when it is lost."""
    from loopx.daemon import line

    received, told = b"", []
    while True:
        said = peer.recv(1 << 16)
        if not said:
            raise OSError("lost")
        found, received = line.frames(received + said)
        for letter, content in found:
            if letter == line.DECLINED:
                return None
            if letter == line.ACCEPTED:
                peer.settimeout(_ANSWER_SECONDS)
            told.append((letter, content))
            if letter == line.ENDED:
                return told


def _written(told: Sequence[tuple[bytes, bytes]]) -> int:
    """Write an answer out, and return its exit status. A reader that went away changes nothing."""
    status = int(told[-1][1])
    for letter, content in told:
        if letter not in (b"1", b"2"):
            continue
        try:
            _write(1 if letter == b"1" else 2, content)
        except BrokenPipeError:
            continue
        except OSError as error:
            if letter == b"1":
                from loopx.cli.output import Outlet, unwritten

                return int(Outlet(False, os.environ).problem(unwritten(error)))
    return status


def _write(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]


def _environ(terminals: str) -> dict[str, str]:
    """The whole environment: what a piece of evidence rests on may be any of it. With the width of the terminal."""
    found = dict(os.environ)
    if "o" in terminals and not found.get("COLUMNS"):
        found["COLUMNS"] = str(os.get_terminal_size(1).columns or 80)
    return found


def _local_folder(arguments: Sequence[str], here: str) -> str | None:
    """The folder a daemon's socket would lie in, found as the workspace is; the daemon checks that it is this one."""
    named = _option(arguments) or os.environ.get("LOOPX_WORKSPACE")
    if named:
        named = os.path.abspath(os.path.expanduser(named))
        found = f"{named}/.loopx" if os.path.exists(f"{named}/.loopx") else named
        return _with_socket(found)
    while True:
        for each in (here, _main_worktree(here)):
            if each is not None and os.path.exists(f"{each}/.loopx/.git"):
                return _with_socket(f"{each}/.loopx")
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def _with_socket(root: str) -> str | None:
    return f"{root}/local" if os.path.exists(f"{root}/local/daemon.sock") else None


def _option(arguments: Sequence[str]) -> str | None:
    for number, each in enumerate(arguments):
        if each == "--workspace":
            return arguments[number + 1] if number + 1 < len(arguments) else None
        if each.startswith("--workspace="):
            return each.partition("=")[2]
    return None


def _main_worktree(folder: str) -> str | None:
    marker = f"{folder}/.git"
    if not os.path.isfile(marker):
        return None
    with open(marker, encoding="utf-8") as file:
        git_dir = os.path.join(folder, file.read().removeprefix("gitdir:").strip())
    try:
        with open(f"{git_dir}/commondir", encoding="utf-8") as file:
            common = os.path.realpath(os.path.join(git_dir, file.read().strip()))
    except OSError:
        return None
    return os.path.dirname(common) if os.path.basename(common) == ".git" else None


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def _version() -> str:
    from loopx import __version__

    return __version__


def _home() -> str:
    import loopx

    return os.path.dirname(loopx.__file__)
