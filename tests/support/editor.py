"""A person's editor as a process of its own: adds a line to a file and saves it, again and again.

Run as ``python -m tests.support.editor STYLE FILE COUNT PAUSE_EVERY RELOADS``; the style is how it saves. Line *n* it
adds reads ``line STYLE n.``. One that reloads reads the file before each save; one that does not goes on saving the
buffer it once loaded. Neither waits for anybody.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

STYLES = ("rename", "truncate", "in-place")


def line(style: str, number: int) -> bytes:
    """The line an editor of this style adds with save ``number``."""
    return f"line {style} {number}.\n".encode()


def start(style: str, file: Path, count: int, pause_every: int = 0, *, reloads: bool = True) -> subprocess.Popen[bytes]:
    """Start the editor on ``file``."""
    root = Path(__file__).parents[2]
    argv = [sys.executable, "-m", "tests.support.editor", style, str(file), str(count)]
    argv += [str(pause_every), str(int(reloads))]
    return subprocess.Popen(argv, cwd=root)


def save(style: str, file: Path, content: bytes) -> None:
    """Save ``content`` the way editors of this style do."""
    if style == "rename":
        fresh = file.with_name(f".{file.name}.swp")
        fresh.write_bytes(content)
        os.replace(fresh, file)
    elif style == "truncate":
        file.write_bytes(content)
    else:
        with open(file, "r+b") as opened:
            opened.write(content)
            opened.truncate()


def main(style: str, file: Path, count: int, pause_every: int, reloads: bool) -> None:
    chance = random.Random(style)
    buffer = file.read_bytes()
    for number in range(count):
        if reloads:
            try:
                buffer = file.read_bytes()
            except FileNotFoundError:
                pass
        buffer += line(style, number)
        save(style, file, buffer)
        time.sleep(0.35 if pause_every and number % pause_every == pause_every - 1 else chance.random() * 0.001)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "1")
