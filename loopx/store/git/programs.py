"""Starting Git programs: in a clean environment, in their own process group, with a time limit.

Called by every module that needs Git itself; nothing else starts a process. Imported only when one is needed, since a
read of loose objects needs none.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from loopx.errors import LoopxError
from loopx.model.defining import dataclass
from loopx.store.git.environment import IN_HOOK, STANDING, Limits, plumbing
from loopx.store.git.trouble import explained

# Who moved a reference stands in Git's own journal of moves and nowhere else. Without a name Git would look one up, or
# refuse where the person told it never to guess.
_NOBODY = {"GIT_COMMITTER_NAME": "LoopX", "GIT_COMMITTER_EMAIL": "loopx@agents.invalid"}


@dataclass(frozen=True, slots=True)
class Answer:
    """How a program ended. ``words`` is what it said on its error stream."""

    code: int
    output: bytes
    words: str


class Programs:
    """Git, run in one workspace. Git finds the repository itself, so that its check of the owner takes place."""

    def __init__(self, root: Path, *, durable: bool, run_hooks: bool, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._options = [*_quick(durable), *_hookless(run_hooks)]
        self._environment = plumbing(os.environ, str(root.parent))
        self._environment[IN_HOOK] = "1"

    def run(
        self,
        doing: str,
        *arguments: str,
        given: bytes = b"",
        seconds: float | None = None,
        accept: Collection[int] = (0,),
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run ``git arguments`` with ``given`` on its input.

        ``doing`` completes the sentence "Git failed to …". Raises what Git's words stand for when it ends with a
        status that is not in ``accept``, and ``git-failed`` when it takes longer than ``seconds``.
        """
        limit = self._limits.program if seconds is None else seconds
        process = start([*self._command(), *arguments], self._root, {**self._environment, **(environment or {})})
        answer = converse(process, given, limit)
        if answer is None:
            raise LoopxError("git-failed", f"Git took longer than {limit:g} s to {doing} and was ended.")
        if answer.code not in accept:
            raise explained(doing, answer.words)
        return answer

    def open(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a Git program that goes on answering until its input is closed."""
        environment = {**self._environment, **_NOBODY, STANDING: str(os.getpid())}
        return start([*self._command(), *arguments], self._root, environment)

    @property
    def seconds(self) -> float:
        """The time one answer may take."""
        return self._limits.program

    def _command(self) -> list[str]:
        return ["git", *self._options]


def start(command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own, so that no Ctrl-C at the terminal stops it half way."""
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        if not folder.is_dir():
            raise LoopxError("repository-broken", f"The folder {folder} is not there.") from error
        raise LoopxError("git-missing", "The program `git` was not found on the search path.") from error


def converse(process: subprocess.Popen[bytes], given: bytes, seconds: float) -> Answer | None:
    """Hand ``given`` to a program and wait for its end; ``None`` when it took too long and was killed."""
    with process:
        try:
            output, words = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            kill(process)
            return None
        except BaseException:
            kill(process)
            raise
    return Answer(process.returncode, output, words.decode("utf-8", "replace"))


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and everything it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _quick(durable: bool) -> list[str]:
    return [] if durable else ["-c", "core.fsync=none"]


def _hookless(run_hooks: bool) -> list[str]:
    return [] if run_hooks else ["-c", f"core.hooksPath={os.devnull}"]
