"""What the documents and the help tell a reader to type exists: every command line in them, word by word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from docs.generate.commands import commands
from tests.support.source import ROOT

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = dict(commands())


def typed_lines() -> Iterator[tuple[str, str]]:
    """Where it stands, and the line, for every ``loopx …`` in a block of shell."""
    for page in PAGES:
        for block in SHELL.findall(page.read_text(encoding="utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                for part in re.split(r"\s(?:&&|\|\|?|;)\s", line.removeprefix("$ ")):
                    command = part.strip().removeprefix(".venv/bin/")
                    if command.startswith("loopx "):
                        yield page.relative_to(ROOT).as_posix(), command


def mistakes(line: str) -> list[str]:
    """What is wrong with a command line: no such command, or options it does not have."""
    words = shlex.split(line, comments=True)
    path, command = "loopx", None
    while len(words) > 1 and f"{path} {words[1]}" in COMMANDS:
        path = f"{path} {words.pop(1)}"
        command = COMMANDS[path]
    bare = getattr(command, "bare", None)
    if isinstance(command, click.Group) and bare:
        command = COMMANDS[f"{path} {bare}"]
    options = [word.split("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)]
    if command is None:
        known = {"--help", "--version"}
        return [] if options and set(options) <= known else [f"no such command: {line}"]
    known = {name for each in command.params for name in each.opts} | {"--help", "-h"}
    return [f"{path} has no {option}" for option in options if option not in known]


@pytest.mark.parametrize(("page", "line"), sorted(set(typed_lines())))
def test_the_line_can_be_typed(page: str, line: str) -> None:
    assert mistakes(line) == []


@pytest.mark.parametrize("line", ["loopx tidy", "loopx todo add X --gaol beta", "loopx todo --colour"])
def test_a_line_that_cannot_be_typed_would_be_seen(line: str) -> None:
    assert mistakes(line) != []


def test_the_readme_holds_the_two_commands_between_their_markers() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = {name: re.search(rf"<!-- {name} command -->\n```sh\n([^\n]+)\n```", text) for name in ("demo", "test")}
    assert blocks["demo"] and "loopx demo" in blocks["demo"][1]
    assert blocks["test"] and "pytest" in blocks["test"][1]
