"""The repository's own settings, read by hand.

Called for the object format, signing and hooks. Only ``.git/config`` counts: a person's global settings must not
change what a workspace does. What plain reading cannot tell (includes, escapes) is asked of Git once.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.store.git.format import FORMATS, SHA1, ObjectFormat

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.store.git.programs import Programs

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"([^"]*)")?\s*\]')
_TRUE = frozenset({"true", "yes", "on", "1", ""})


class Settings:
    """Keys (``section.name``, lower case; ``section.sub.name`` with the middle as written) to values."""

    def __init__(self, git_dir: Path, programs: Callable[[], Programs]) -> None:
        self._path = git_dir / "config"
        self._programs = programs
        self._stamp: tuple[int, int, int] | None = None
        self._values: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The value of ``key``, read again whenever the file has changed."""
        section, _, rest = key.partition(".")
        middle, dot, name = rest.rpartition(".")
        return self._current().get(f"{section.lower()}.{middle}{dot}{name.lower()}")

    def is_on(self, key: str) -> bool:
        """Whether ``key`` is set to something Git takes for true."""
        value = self.get(key)
        return value is not None and value.lower() in _TRUE

    def object_format(self) -> ObjectFormat:
        return FORMATS.get(self.get("extensions.objectformat") or "", SHA1)

    def _current(self) -> dict[str, str]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return {}
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp != self._stamp:
            text = self._path.read_text(encoding="utf-8", errors="replace")
            self._values = self._asked() if _is_involved(text) else parsed(text)
            self._stamp = stamp
        return self._values

    def _asked(self) -> dict[str, str]:
        answer = self._programs().run("read its settings", "config", "--local", "--includes", "-z", "--list")
        pairs = (item.partition("\n") for item in answer.output.decode("utf-8", "replace").split("\0") if item)
        return {key: value if newline else "true" for key, newline, value in pairs}


def parsed(text: str) -> dict[str, str]:
    """The values of a settings text that has neither includes nor escapes."""
    values: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        heading = _SECTION.match(stripped)
        if heading:
            section = heading[1].lower() + (f".{heading[2]}" if heading[2] is not None else "")
            stripped = stripped[heading.end() :].strip()
        if not stripped or stripped[0] in "#;":
            continue
        name, equals, value = stripped.partition("=")
        values[f"{section}.{name.strip().lower()}"] = _bare(value) if equals else "true"
    return values


def _bare(value: str) -> str:
    value = value.strip()
    if value.startswith('"') and value.endswith('"') and value.count('"') == 2:
        return value[1:-1]
    return re.split(r"\s*[#;]", value, maxsplit=1)[0]


def _is_involved(text: str) -> bool:
    return "\\" in text or "[include" in text.lower()
