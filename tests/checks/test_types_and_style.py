"""Types are checked strictly, and one formatter decides how the source looks."""

from __future__ import annotations

from tests.support.source import run_tool


def test_types_are_right() -> None:
    code, said = run_tool("mypy", "--cache-dir=/dev/null")
    assert code == 0, said


def test_the_linter_finds_nothing() -> None:
    code, said = run_tool("ruff", "check", "--no-cache", "--output-format=concise", ".")
    assert code == 0, said


def test_the_source_is_formatted() -> None:
    code, said = run_tool("ruff", "format", "--no-cache", "--check", ".")
    assert code == 0, said
