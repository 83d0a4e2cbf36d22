"""The project's own files as they are now, work that is not committed included: what an artifact digest is made of.

Called by the workspace when a decision rests on it; the repository is only read, and no lock is taken. One Git program
lists, and only what differs from the index is read here. Entries are Git's own (mode and blob), so committing exactly
what is there changes none. No filter is run over what differs: where one would change a file on its way into Git (line
ends, large files), that file gets another entry once it is committed, which is safe: it calls for another look. What
compilers and test tools of the day leave beside the work, tracked or not, never counts.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from loopx.store.git.enclosing import asked
from loopx.store.git.format import FORMATS, SHA1, SHA256, ObjectFormat

_NEVER = (".loopx", ".local")
"""Folders at the top that LoopX keeps out of the project; another workspace's ``.loopx`` counts nowhere either."""
LEFT_BEHIND = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".coverage", ".DS_Store")
_NOT_THE_PROJECTS = frozenset({".loopx", *LEFT_BEHIND})
EXACT = ("-c", "core.fileMode=true", "-c", "core.fsmonitor=false")
"""Modes count as they are on disk whatever the repository is told, and no watching program is started."""
_LIST = ("ls-files", "-z", "-t", "-s", "-c", "-m", "-d", "-o", "--exclude-standard")
_OTHERS, _DIFFERING = b"?", (b"C", b"R")
_LINK, _NESTED = "120000", "160000"
_CHUNK = 1 << 20

Files = Mapping[str, str]
"""Path below the folder to ``mode object``."""


def project_files(folder: Path, patterns: Sequence[str] = (), plain: Sequence[str] = ()) -> dict[str, str] | None:
    """Every file Git tracks below ``folder`` or would add, as it is now. ``None`` where no repository can tell.

    ``patterns`` (``*``, ``?`` and ``[…]`` within a name, ``**`` for any folders; each takes in all that lies below) and
    the paths in ``plain`` say where to look; everywhere when both are empty. What Git ignores does not count. A
    repository inside (a submodule, or one nobody added) is one entry that stands for all its files.
    """
    output = asked(folder, *EXACT, *_LIST, "--", *bounds(patterns, plain))
    if output is None:
        return None
    indexed, differing = _listed(output)
    if not indexed and not differing and _is_ignored(folder):
        return None
    form = _format(folder, indexed) if differing else SHA1
    found = dict(_entries(folder, indexed, differing, form))
    # A repository nobody added is not listed by its own path.
    found.update((path, entry) for path in plain if (entry := _nested(folder / path)) is not None)
    return {path: entry for path, entry in found.items() if not is_ours(path)}


def changed_since(
    folder: Path, commit: str, patterns: Sequence[str] = (), plain: Sequence[str] = ()
) -> list[tuple[str, str]] | None:
    """What differs now from ``commit``, within the same bounds: pairs of Git's letter (``A``, ``M``, ``D``) and path.

    What nobody added is told as ``A``. ``None`` where the repository does not know the commit.
    """
    within = bounds(patterns, plain)
    told = ("diff", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", commit)
    output = asked(folder, *EXACT, *told, "--relative", "--", *within)
    others = asked(folder, *EXACT, "ls-files", "-z", "-o", "--exclude-standard", "--", *within)
    if output is None or others is None:
        return None
    words = output.split(b"\0")
    found = {_name(path): letter.decode("ascii") for letter, path in zip(words[::2], words[1::2], strict=False)}
    found.update((_name(path), "A") for path in others.split(b"\0") if path)
    return sorted((letter, path) for path, letter in found.items() if not is_ours(path))


def digest_of(files: Files) -> str:
    """SHA-256 (hex) of a listing."""
    told = sha256()
    for path in sorted(files):
        told.update(f"{files[path]}\t{path}\0".encode("utf-8", "surrogateescape"))
    return told.hexdigest()


def commit_of(folder: Path) -> str | None:
    """The commit that is checked out; ``None`` where there is no repository, or none was made yet."""
    output = asked(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return output.decode("ascii", "replace").strip() or None if output is not None else None


def remotes_of(folder: Path) -> list[str] | None:
    """Addresses of the repository's remotes; ``None`` where no repository can tell."""
    output = asked(folder, "config", "--local", "-z", "--get-regexp", r"^remote\..*\.url$", accept=(0, 1))
    if output is None:
        return None
    lines = output.decode("utf-8", "replace").split("\0")
    return [line.partition("\n")[2] for line in lines if line]


def submodules_of(folder: Path) -> list[str]:
    """Paths of the submodules that ``folder`` declares."""
    try:
        text = (folder / ".gitmodules").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    return re.findall(r"^\s*path\s*=\s*(\S.*?)\s*$", text, re.MULTILINE)


def bounds(patterns: Sequence[str], plain: Sequence[str]) -> list[str]:
    """What to look at, as Git is told it. What never counts is told apart here (:func:`is_ours`): given something to
    leave out beside a deep folder to look in, ``git ls-files`` leaves out everything."""
    return [*(spec for each in patterns for spec in _globs(each)), *(f":(literal){path}" for path in plain)]


def _globs(pattern: str) -> Iterator[str]:
    """A pattern as Git is told it: what it names, and what lies below."""
    parts = [part for part in pattern.strip().split("/") if part not in ("", ".")]
    while parts and parts[-1] == "**":  # whatever lies below is told anyway, and what is named itself too
        parts.pop()
    if not parts or ".." in parts:  # what leads out of the project is no bound within it
        yield ":(glob)**"
        return
    # Git lets several stars within a name reach into folders; only a name of two stars alone is meant to.
    path = "/".join(part if part == "**" else re.sub(r"\*{2,}", "*", part) for part in parts)
    told = re.sub(r"\[(?![^/]+\])", r"\\[", path.replace("\\", r"\\"))  # a bracket that closes nowhere is a bracket
    yield f":(glob){told}"
    yield f":(glob){told}/**"


def _listed(output: bytes) -> tuple[dict[bytes, tuple[str, str]], set[bytes]]:
    """Path to mode and object in the index; and the paths that are not as the index says."""
    indexed: dict[bytes, tuple[str, str]] = {}
    differing: set[bytes] = set()
    for line in output.split(b"\0"):
        tag, rest = line[:1], line[2:]
        if tag == _OTHERS:
            if not is_ours(_name(rest)):
                differing.add(rest)
        elif rest:
            described, _, path = rest.partition(b"\t")
            if is_ours(_name(path)):
                continue
            mode, oid, stage = described.decode("ascii").split(" ")
            indexed[path] = (mode, oid)
            if tag in _DIFFERING or stage != "0":
                differing.add(path)
    return indexed, differing


def _entries(
    folder: Path, indexed: Mapping[bytes, tuple[str, str]], differing: set[bytes], form: ObjectFormat
) -> Iterator[tuple[str, str]]:
    for path, (mode, oid) in indexed.items():
        if mode == _NESTED:
            yield _name(path), _nested(folder / _name(path)) or f"{mode} {oid}"
        elif path not in differing:
            yield _name(path), f"{mode} {oid}"
    for path in differing:
        if indexed.get(path, ("",))[0] != _NESTED:
            entry = _seen(folder / _name(path), form)
            if entry is not None:
                yield _name(path), entry


def _seen(file: Path, form: ObjectFormat) -> str | None:
    """The entry of what lies at ``file`` now; ``None`` for nothing that Git would keep."""
    try:
        found = file.lstat()
        if stat.S_ISLNK(found.st_mode):
            return f"{_LINK} {form.oid('blob', os.fsencode(os.readlink(file)))}"
        if stat.S_ISDIR(found.st_mode):
            return _nested(file)
        if not stat.S_ISREG(found.st_mode):
            return None
        return f"{'100755' if found.st_mode & stat.S_IXUSR else '100644'} {_blob(file, found, form)}"
    except (FileNotFoundError, NotADirectoryError):
        return None


def _blob(file: Path, found: os.stat_result, form: ObjectFormat) -> str:
    """The name of the blob that ``file`` is; for one that may not be read, what shows that it changed."""
    told = form.hasher(b"blob %d\0" % found.st_size)
    try:
        with open(file, "rb") as opened:
            while chunk := opened.read(_CHUNK):
                told.update(chunk)
    except PermissionError:
        return f"unread-{found.st_size}-{found.st_mtime_ns}"  # what cannot be read must not pass for unchanged
    return str(told.hexdigest())


def _nested(folder: Path) -> str | None:
    """The entry of a repository inside; ``None`` where nothing of it is checked out."""
    if not (folder / ".git").exists():
        return None
    files = project_files(folder)
    return None if files is None else f"{_NESTED} {digest_of(files)}"


def _format(folder: Path, indexed: Mapping[bytes, tuple[str, str]]) -> ObjectFormat:
    for _, oid in indexed.values():
        return SHA1 if len(oid) == SHA1.digits else SHA256
    output = asked(folder, "rev-parse", "--show-object-format")
    return FORMATS.get((output or b"").decode("ascii", "replace").strip(), SHA1)


def _is_ignored(folder: Path) -> bool:
    """Whether the repository around is told to ignore the whole folder, so that it knows nothing of its files."""
    return not (folder / ".git").exists() and asked(folder, "check-ignore", "-q", ".") is not None


def is_ours(path: str) -> bool:
    """Whether ``path`` is LoopX's own, or something that compilers and tests leave behind."""
    parts = path.split("/")
    return parts[0] in _NEVER or not _NOT_THE_PROJECTS.isdisjoint(parts)


def _name(path: bytes) -> str:
    return path.rstrip(b"/").decode("utf-8", "surrogateescape")
