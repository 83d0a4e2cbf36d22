"""A small program around executions: it starts an actor's command, keeps what it says, and notes how it ended.

Run by path (``python -I -S attempting.py …``) so that it starts in a moment, and it outlives whoever started it: when
the runner is killed, the end of the command still goes on record. It imports nothing but what the interpreter holds
already, and the rest only while the command runs or nobody waits. One execution comes after the other: a runner hands
the next one over when the end of the one before is on file, and a keeper whose runner has ended takes none.
:mod:`loopx.loop.components.keepers` starts it, :mod:`loopx.loop.keeping.attempts` reads what is written here.

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


READY, LEAVING = b"r", b"l"
"""What a keeper says once an end is on file: that it waits for the next execution, or that it goes."""
HEAD = 16
"""Bytes before a job: how long its fields are and how long the input is, eight hexadecimal digits each."""
_LOOK_SECONDS = 1.0
"""How often a keeper that waits looks whether its runner is still there, though somebody may hold its pipe open."""


class Job:
    """One execution as it is handed over on standard input: nothing of it is seen in a list of processes."""

    def __init__(self, fields: bytes, given: bytes) -> None:
        attempt, file, streams, flushing, self.folder, count, *rest = fields.split(b"\0")
        self.attempt, self.file = _decoded(attempt), _decoded(file)
        self.is_apart, self.is_durable = streams == b"apart", flushing == b"durable"
        self.argv, pairs = rest[: int(count)], rest[int(count) :]
        self.environ = {name: value for name, _, value in (pair.partition(b"=") for pair in pairs)}
        self.given = given


def main(arguments: list[str]) -> int:
    """``STARTER HINTS PATTERNS``: the starter by its number, hints and patterns one a line. Jobs come one after the
    other on standard input, and what became of each is told on standard output. It goes when the input ends."""
    starter, hints, patterns = arguments
    mask = Mask(hints.splitlines(), patterns.splitlines())
    status, said = 0, READY
    head = _read_whole(0, HEAD)
    while head is not None:
        fields, given = _read_whole(0, int(head[:8], 16)), _read_whole(0, int(head[8:], 16))
        if fields is None or given is None:
            break
        status, said = _carry_out(Job(fields, given), int(starter), mask)
        try:
            os.write(1, said)
        except OSError:
            break
        head = _next(int(starter)) if said == READY else None
    return status


def _carry_out(job: Job, starter: int, mask: Mask) -> tuple[int, bytes]:
    """Start the command and put on file that it began and how it ended; a status, and whether another may follow."""
    record = Record(job.file, job.is_durable)
    out = os.pipe()
    errors = os.pipe() if job.is_apart else out
    refusal, ready, go = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(job, out[1], errors[1], ready, go, refusal)
    for end in {out[1], errors[1], ready[1], go[0]}:
        os.close(end)
    os.read(ready[0], 1)  # whoever reads the record may end the group, so there must be one
    record.write(_beginning(job.attempt, pid))
    is_runner_there = os.getppid() == starter
    if is_runner_there:  # else its successor may have looked before there was a record, and begins anew
        _let_go(go[1])
    else:
        os.write(refusal[1], b"its runner had ended (%s)" % job.argv[0])
    for end in (go[1], refusal[1]):
        os.close(end)
    refused = _read_all(refusal[0])
    for end in (ready[0], refusal[0]):
        os.close(end)
    if refused:
        os.waitpid(pid, 0)
        for end in {out[0], errors[0]}:
            os.close(end)
        record.write({"not_started": refused.decode("utf-8", "replace")})
        record.close()
        return CANNOT_START, READY if is_runner_there else LEAVING
    tails = [Tail(out[0])] if errors is out else [Tail(out[0]), Tail(errors[0])]
    record.write(_ending(pid, tails, mask, {_decoded(name): _decoded(job.environ[name]) for name in job.environ}))
    record.close()
    return 0, READY if all(each.is_over for each in tails) else LEAVING


def _next(starter: int) -> bytes | None:
    """Wait for the head of the next job; ``None`` once the runner has ended."""
    import select
    import warnings  # noqa: F401  (what the next execution needs is loaded while nobody waits for it)

    while not select.select([0], [], [], _LOOK_SECONDS)[0]:
        if os.getppid() != starter:
            return None
    return _read_whole(0, HEAD)


def _read_whole(fd: int, size: int) -> bytes | None:
    """``size`` bytes; ``None`` where the input ends before."""
    found = b""
    while len(found) < size:
        chunk = os.read(fd, size - len(found))
        if not chunk:
            return None
        found += chunk
    return found


def _read_all(fd: int) -> bytes:
    found = b""
    while chunk := os.read(fd, _READ):
        found += chunk
    return found


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


class Record:
    """The file of one attempt: a line for each thing that comes to be known, flushed where that is wanted.

    A line that is not whole says nothing. Before the first is on disk nothing may begin, so one that was cut off means
    that nothing has."""

    def __init__(self, file: str, is_durable: bool) -> None:
        self._file = file
        self._is_durable = is_durable
        self._fd = -1

    def write(self, facts: Mapping[str, Any]) -> None:
        """Add ``facts`` to what stands there; the first ones make the file."""
        is_new = self._fd < 0
        if is_new:
            self._fd = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        content = memoryview(_as_json(facts).encode())
        while content:
            content = content[os.write(self._fd, content) :]
        if not self._is_durable:
            return
        os.fsync(self._fd)
        if is_new:
            folder = os.open(os.path.dirname(self._file), os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def close(self) -> None:
        os.close(self._fd)


class Tail:
    """The end of an output and a digest of all of it, read by a thread of its own until nobody holds it open."""

    def __init__(self, fd: int) -> None:
        import _thread

        self.kept = b""
        self.size = 0
        self._fd = fd
        self._digest = _sha256()
        self.is_over = False
        self._reading = _thread.allocate_lock()
        self._reading.acquire()
        _thread.start_new_thread(self._read, ())

    def _read(self) -> None:
        while chunk := os.read(self._fd, _READ):
            self._digest.update(chunk)
            self.size += len(chunk)
            self.kept = (self.kept + chunk)[-KEPT - _SLACK :]
        os.close(self._fd)
        self._reading.release()

    def wait(self, seconds: float) -> None:
        self.is_over = self._reading.acquire(timeout=seconds)

    def digest(self) -> str:
        return str(self._digest.hexdigest())

    def text(self, mask: Mask, environ: Mapping[str, str]) -> str:
        """What is kept, with secrets masked; a first line says where the front is missing."""
        found = self.kept
        text = mask.over(found.decode("utf-8", "replace"), environ) if found else ""
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
    job: Job, out: int, errors: int, ready: tuple[int, int], go: tuple[int, int], refusal: tuple[int, int]
) -> None:
    """In the child: wait until the record is on disk, then be the command, in a session of its own."""
    import _signal  # type: ignore[import-not-found]  # the module without its enumerations, which take long to load

    what = job.argv[0]
    try:
        os.setsid()
        os.dup2(_input(job) if job.given else os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(errors, 2)
        os.write(ready[1], b"r")
        os.close(go[1])
        if os.read(go[0], 1):
            for name in ("SIGPIPE", "SIGXFSZ"):
                _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
            what = job.folder
            os.chdir(what)
            what = job.argv[0]
            os.execvpe(job.argv[0], job.argv, job.environ)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it could not be started"
        os.write(refusal[1], b"%s (%s)" % (why.encode(), what))
    finally:
        os._exit(CANNOT_START)


def _let_go(go: int) -> None:
    try:
        os.write(go, b"g")
    except OSError:
        pass  # it has ended already: what it said, or its status, tells why


def _input(job: Job) -> int:
    """The command's standard input: a file nobody else can see, so that it is there whole whatever becomes of us."""
    path = f"{job.file}.given"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.unlink(path)
    content = memoryview(job.given)
    while content:
        content = content[os.write(fd, content) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _beginning(attempt: str, pid: int) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "pid": pid,
        "boot": boot(),
        "process_started": process_started(pid),
        "keeper": os.getpid(),
        "keeper_started": process_started(os.getpid()),
    }


def _ending(pid: int, tails: list[Tail], mask: Mask, environ: Mapping[str, str]) -> dict[str, Any]:
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
        "output": tails[0].text(mask, environ),
        "errors": tails[1].text(mask, environ) if len(tails) > 1 else "",
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
    os._exit(main(sys.argv[1:]))
