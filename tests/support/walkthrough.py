"""Following a page of the documents to the letter: its commands typed, its files saved, its outputs compared.

What a page may hold, and what following it means:

- a ``console`` block: each line after ``$ `` is typed in a shell; ``# exits with N`` at its end says how it ends. The
  lines below are what it said, where they are given: ``…`` stands for anything in a line, alone for any lines, and
  columns may be wider or narrower.
- a block whose first line ends with ``file=PATH``: the file is saved with that text.
- a ``diff`` block with ``file=PATH``: its ``-`` lines become its ``+`` lines.

Ids and revisions differ from run to run. The first time a page shows one in an output, it is taken to stand for the one
really seen there, and from then on it does so everywhere on the page. Times stand for any time.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\bfile=(\S+)")
EXITS = re.compile(r"#\s*exits with (\d+)\s*$")
IDENTITY = r"\b(?:(?:t|g|e|x|p|op|turn|run|f)-[0-9a-z]{8}|k-[0-9a-z]{12})\b"
REVISION = r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7}\b"
TOKEN = re.compile(
    rf"(?P<own>{IDENTITY}|{REVISION})|(?P<time>\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\dZ)?)|(?P<any>…)|(?P<gap>\s\s+)"
)
ANY = "…"
SECONDS = 60.0
ADDS = "todo add"
"""After it the next second is waited for, as anybody who types does: Todos of one second have no order in a list."""


@dataclass(frozen=True, slots=True)
class Typed:
    """One command with what it says."""

    line: str
    ends: int
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A file saved, or (with ``before``) changed in one place."""

    path: str
    text: str
    before: str | None = None


Step = Typed | Written


def steps(page: str) -> Iterator[Step]:
    """What a reader of the Markdown text ``page`` does, in order."""
    for block in FENCE.finditer(page):
        info, text = block["info"], block["text"]
        file = FILE.search(info)
        if info.strip() == "console":
            yield from _typed(text)
        elif file and info.startswith("diff"):
            yield Written(file[1], _side(text, "+"), _side(text, "-"))
        elif file:
            yield Written(file[1], text)


def _typed(block: str) -> Iterator[Typed]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *says = part.replace("\\\n", "").splitlines()
        ends = EXITS.search(line)
        yield Typed(line, int(ends[1]) if ends else 0, tuple(says))


def _side(diff: str, sign: str) -> str:
    return "".join(f"{line[1:]}\n" for line in diff.splitlines() if line[:1] in (sign, " "))


@dataclass
class Walk:
    """One reader in one folder. ``meant`` maps what the page writes to what was really seen."""

    folder: Path
    meant: dict[str, str] = field(default_factory=dict)
    said: list[tuple[str, list[str]]] = field(default_factory=list)

    def follow(self, page: str) -> None:
        """Do everything ``page`` says; fails where something comes out otherwise."""
        for step in steps(page):
            if isinstance(step, Written):
                self._write(step)
            else:
                self._type(step)

    def real(self, text: str) -> str:
        """``text`` of the page with ids and revisions as they are here. Fails for one nobody saw."""
        text = re.sub(IDENTITY, lambda found: self._known(found[0]), text)
        return re.sub(REVISION, lambda found: self.meant.get(found[0], found[0]), text)

    def _known(self, shown: str) -> str:
        assert shown in self.meant, f"the page uses {shown}, which no output before it shows"
        return self.meant[shown]

    def _write(self, step: Written) -> None:
        target = self.folder / self.real(step.path)
        text = self.real(step.text)
        if step.before is not None:
            old, before = self.real(step.before), target.read_text(encoding="utf-8")
            assert before.count(old) == 1, f"{step.path} holds {old!r} {before.count(old)} times:\n{before}"
            text = before.replace(old, text)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def _type(self, step: Typed) -> None:
        line = self.real(step.line)
        code, said = self._run(line)
        self.said.append((step.line, said))
        if ADDS in line:
            time.sleep(1.0 - time.time() % 1.0)
        told = "\n".join([f"$ {line}", *said])
        assert code == step.ends, f"ended with {code}, not {step.ends}:\n{told}"
        if step.says:
            self._compare(step.says, said, told)

    def _run(self, line: str) -> tuple[int, list[str]]:
        """Type ``line`` where output goes to a terminal, and nobody answers questions. Where it leads to is kept."""
        ours, theirs = os.openpty()
        where, told_where = os.pipe()
        script = f"{line}\nstatus=$?; pwd -P >&{told_where}; exit $status"
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PAGER": "cat", "GIT_PAGER": "cat"},
            pass_fds=(told_where,),
            start_new_session=True,
        )
        os.close(theirs)
        os.close(told_where)
        watch = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        said = b"".join(_chunks(ours))
        code = process.wait()
        watch.cancel()
        folder = b"".join(_chunks(where)).decode().strip()
        self.folder = Path(folder) if folder else self.folder
        return code, said.decode().replace("\r\n", "\n").splitlines()

    def _compare(self, expected: Sequence[str], said: list[str], told: str) -> None:
        position, skips = 0, False
        for each in expected:
            if each.strip() == ANY:
                skips = True
                continue
            last = len(said) if skips else position + 1
            for position in range(position, last):  # noqa: B020  (goes on from where it stands)
                if position < len(said) and self._matches(each, said[position]):
                    break
            else:
                raise AssertionError(f"the page shows {each!r}, which does not come:\n{told}")
            position, skips = position + 1, False
        assert skips or position == len(said), f"the page ends before the output does:\n{told}"

    def _matches(self, expected: str, said: str) -> bool:
        """Whether a line of the page fits one of the output; what it shows for the first time is then known."""
        names: dict[str, str] = {}
        found = re.fullmatch("".join(self._pieces(expected.rstrip(), names)), said.rstrip())
        if found:
            self.meant |= {shown: found[group] for shown, group in names.items()}
        return found is not None

    def _pieces(self, expected: str, names: dict[str, str]) -> Iterator[str]:
        position = 0
        for token in TOKEN.finditer(expected):
            yield re.escape(expected[position : token.start()])
            yield self._piece(token, names)
            position = token.end()
        yield re.escape(expected[position:])

    def _piece(self, token: re.Match[str], names: dict[str, str]) -> str:
        if token["any"]:
            return ".*"
        if token["gap"]:
            return r"\s\s+"
        if token["time"]:
            return re.sub(r"\d", r"\\d", token["time"])
        shown = token["own"]
        if shown in self.meant:
            return re.escape(self.meant[shown])
        if shown in names:
            return rf"(?P={names[shown]})"
        names[shown] = f"own{len(names)}"
        return rf"(?P<{names[shown]}>{IDENTITY if '-' in shown else '[0-9a-f]{7}'})"


def _chunks(handle: int) -> Iterator[bytes]:
    """Everything that comes from ``handle`` until the other side is closed, which a terminal tells as an error."""
    try:
        while chunk := os.read(handle, 65536):
            yield chunk
    except OSError:
        pass
    finally:
        os.close(handle)
