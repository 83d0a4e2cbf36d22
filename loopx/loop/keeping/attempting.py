"""A small program around one execution: it starts the actor's command, keeps what it says, and notes how it ended.

Run by path (``python -I -S attempting.py …``) so that it starts in a moment, and it outlives whoever started it: when
the runner is killed, the end of the command still goes on record. It imports nothing but what the interpreter holds
already, and the rest only while the command runs. :mod:`loopx.loop.keeping.attempts` reads what is written here.

The record is on disk before the command begins, and its end is on disk before anybody is told. Secrets are masked
before anything is kept.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as type checkers read it; the module of that name takes as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

KEPT = 65536
"""Bytes kept of an output, from its end."""
_SLACK = 4096
"""Bytes kept beyond that while it runs, so that a secret is masked whole before its front is cut off."""
_READ = 65536
_DRAIN_SECONDS = 0.2
"""How long the output is waited for once the command has ended; somebody who left its group may hold it open."""
MASK = "***"
_SECRET_NAMES = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENT")
_SHORTEST_SECRET = 8
CANNOT_START = 127


def main(arguments: list[str]) -> int:
    """``FILE ATTEMPT STARTER apart|together durable|fast HINTS PATTERNS PROGRAM ARGUMENT…``: the starter by its number,
    hints and patterns one a line."""
    file, attempt, starter, streams, flushing, hints, patterns, *argv = arguments
    record = Record(file, flushing == "durable")
    out = os.pipe()
    errors = os.pipe() if streams == "apart" else out
    refusal, ready, go = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(argv, out[1], errors[1], ready, go, refusal)
    for end in {out[1], errors[1], ready[1], go[0]}:
        os.close(end)
    os.read(ready[0], 1)  # whoever reads the record may end the group, so there must be one
    record.write(_beginning(attempt, pid))
    if os.getppid() == int(starter):  # else its successor may have looked before there was a record, and begins anew
        os.write(go[1], b"g")
    else:
        os.write(refusal[1], b"its runner had ended")
    for end in (go[1], refusal[1]):
        os.close(end)
    refused = os.read(refusal[0], 4096)
    if refused:
        os.waitpid(pid, 0)
        record.write({"not_started": f"{refused.decode('utf-8', 'replace')} ({argv[0]})"})
        return CANNOT_START
    tails = [Tail(out[0])] if errors is out else [Tail(out[0]), Tail(errors[0])]
    record.write(_ending(pid, tails, Mask(hints.splitlines(), patterns.splitlines())))
    return 0


class Record:
    """The file of one attempt: written whole each time, flushed where that is wanted."""

    def __init__(self, file: str, is_durable: bool) -> None:
        self._file = file
        self._is_durable = is_durable
        self._facts: dict[str, Any] = {}

    def write(self, facts: Mapping[str, Any]) -> None:
        """Add ``facts`` to what stands there."""
        self._facts.update(facts)
        fresh = f"{self._file}.new"
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            content = memoryview(_as_json(self._facts).encode())
            while content:
                content = content[os.write(fd, content) :]
            if self._is_durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(fresh, self._file)
        if self._is_durable:
            folder = os.open(os.path.dirname(self._file), os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


class Tail:
    """The end of an output and a digest of all of it, read by a thread of its own until nobody holds it open."""

    def __init__(self, fd: int) -> None:
        import _thread

        self.kept = b""
        self.size = 0
        self._fd = fd
        self._digest = _sha256()
        self._reading = _thread.allocate_lock()
        self._reading.acquire()
        _thread.start_new_thread(self._read, ())

    def _read(self) -> None:
        while chunk := os.read(self._fd, _READ):
            self._digest.update(chunk)
            self.size += len(chunk)
            self.kept = (self.kept + chunk)[-KEPT - _SLACK :]
        self._reading.release()

    def wait(self, seconds: float) -> None:
        self._reading.acquire(timeout=seconds)

    def digest(self) -> str:
        return str(self._digest.hexdigest())

    def text(self, mask: Mask) -> str:
        """What is kept, with secrets masked; a first line says where the front is missing."""
        found = self.kept
        text = mask.over(found.decode("utf-8", "replace"), os.environ) if found else ""
        if self.size > KEPT:
            text = f"… {self.size - KEPT} bytes before this are not kept\n{text[-KEPT:]}"
        return text


class Mask:
    """Puts secrets out of sight: what matches a pattern (a regular expression), and what variables named like secrets
    hold. Every match has one of the hints in it, in small letters, so that most texts need no regular expressions."""

    def __init__(self, hints: Sequence[str], patterns: Sequence[str]) -> None:
        self._hints = hints
        self._patterns = patterns

    def over(self, text: str, environ: Mapping[str, str]) -> str:
        for name, value in environ.items():
            if len(value) >= _SHORTEST_SECRET and value in text and is_secret_name(name):
                text = text.replace(value, MASK)
        small = text.lower()
        if any(each in small for each in self._hints):
            import re

            for pattern in self._patterns:
                text = re.sub(pattern, lambda found: (found.groupdict().get("kept") or "") + MASK, text)
        return text


def is_secret_name(name: str) -> bool:
    """Whether a variable is named like one that holds a secret."""
    return any(each in name.upper() for each in _SECRET_NAMES)


def boot() -> str:
    """What tells this boot of the machine from every other; empty where the system does not say."""
    try:
        return _text_of("/proc/sys/kernel/random/boot_id").strip()
    except OSError:
        return _said("sysctl", "-n", "kern.boottime")


def process_started(pid: int) -> str:
    """When process ``pid`` was started, in the system's own words; empty where it is not there or has ended."""
    if os.path.exists("/proc/self/stat"):
        row = stat_row(pid)
        return "" if row is None or row[0] in "ZX" else row[19]
    return _said("ps", "-o", "lstart=", "-p", str(pid))


def stat_row(pid: int) -> list[str] | None:
    """What Linux tells of process ``pid`` after its name: state, parent, group, session, …"""
    try:
        return _text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return None


def _text_of(path: str) -> str:
    """What a small file of the system says."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 4096).decode("utf-8", "replace")
    finally:
        os.close(fd)


def _become(
    argv: list[str], out: int, errors: int, ready: tuple[int, int], go: tuple[int, int], refusal: tuple[int, int]
) -> None:
    """In the child: wait until the record is on disk, then be the command, in a session of its own."""
    import _signal  # type: ignore[import-not-found]  # the module without its enumerations, which take long to load

    try:
        os.setsid()
        os.write(ready[1], b"r")
        os.dup2(out, 1)
        os.dup2(errors, 2)
        os.close(go[1])
        if os.read(go[0], 1):
            for name in ("SIGPIPE", "SIGXFSZ"):
                _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
            os.execvpe(argv[0], argv, os.environ)
    except OSError as error:
        os.write(refusal[1], (error.strerror or "it could not be started").encode())
    finally:
        os._exit(CANNOT_START)


def _beginning(attempt: str, pid: int) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "pid": pid,
        "boot": boot(),
        "process_started": process_started(pid),
        "keeper": os.getpid(),
        "keeper_started": process_started(os.getpid()),
    }


def _ending(pid: int, tails: list[Tail], mask: Mask) -> dict[str, Any]:
    """Wait for the end of the command, end what it left behind in its group, and say what is known."""
    if hasattr(os, "waitid"):  # while it is not reaped, its number and its group's are nobody else's
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        end_group(pid)
    _, status = os.waitpid(pid, 0)
    for tail in tails:
        tail.wait(_DRAIN_SECONDS)
    return {
        "exit_status": os.waitstatus_to_exitcode(status),
        "output_digest": tails[0].digest(),
        "output_size": tails[0].size,
        "output": tails[0].text(mask),
        "errors": tails[1].text(mask) if len(tails) > 1 else "",
    }


def end_group(group: int, signal: int = 9) -> bool:
    """Send ``signal`` to a process group; false when there is none any more."""
    try:
        os.killpg(group, signal)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _sha256() -> Any:
    """SHA-256 without loading a library for it, where the interpreter has one built in."""
    for name in ("_sha2", "_sha256"):
        try:
            return __import__(name).sha256()
        except ImportError:
            continue
    import hashlib

    return hashlib.sha256()


def _as_json(facts: Mapping[str, Any]) -> str:
    try:
        from _json import encode_basestring_ascii as quoted
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as quoted
    rows = (f"{quoted(key)}: {quoted(value) if isinstance(value, str) else value}" for key, value in facts.items())
    return "{" + ", ".join(rows) + "}\n"


def _said(*argv: str) -> str:
    import subprocess

    try:
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
