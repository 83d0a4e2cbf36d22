"""The shape of the source: names, sizes, docstrings, and the one place where time and chance come in."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.support.source import functions, name_of, python_files, syntax

PRODUCT = ("loopx", "docs/generate")
EVERYTHING = (*PRODUCT, "tests")
VAGUE = re.compile(r"(?:^|_)(?:utils?|helpers?|common|core|managers?|misc|stuff)(?:_|$)")
OUTSIDE = re.compile(r"\b(?:datetime\.(?:now|utcnow|today)|date\.today|time\.(?:time|time_ns|sleep)|uuid\.?4)\b")
CLOCK = "loopx/workspace/clock.py"


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in python_files(*EVERYTHING) if any(map(VAGUE.search, _names(path)))] == []


def _names(path: Path) -> list[str]:
    return [path.stem, *Path(name_of(path)).parent.parts]


def test_every_module_says_what_lives_in_it() -> None:
    assert [name_of(path) for path in python_files(*EVERYTHING) if not ast.get_docstring(syntax(path))] == []


def test_no_file_is_over_400_lines() -> None:
    assert {name_of(path): lines(path) for path in python_files(*EVERYTHING) if lines(path) > 400} == {}


def test_no_function_is_over_60_lines() -> None:
    long = {
        f"{name_of(path)}:{node.lineno} {node.name}": length(node)
        for path in python_files(*PRODUCT)
        for node in functions(syntax(path))
        if length(node) > 60
    }
    assert long == {}


def test_nine_functions_in_ten_are_under_30_lines() -> None:
    lengths = sorted(length(node) for path in python_files(*PRODUCT) for node in functions(syntax(path)))
    assert lengths[len(lengths) * 9 // 10] < 30


def test_time_and_chance_come_in_by_one_door() -> None:
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files("loopx")
        if name_of(path) != CLOCK
        for node in ast.walk(syntax(path))
        if isinstance(node, (ast.Attribute, ast.ImportFrom)) and OUTSIDE.search(_spelled(node))
    ]
    assert found == []


def _spelled(node: ast.Attribute | ast.ImportFrom) -> str:
    if isinstance(node, ast.ImportFrom):
        return " ".join(f"{node.module}.{alias.name}" for alias in node.names)
    return ast.unparse(node)


def test_the_one_door_check_sees_every_spelling() -> None:
    for spelled in ("datetime.datetime.now", "time.sleep", "from time import sleep", "from uuid import uuid4"):
        node = ast.parse(spelled).body[0]
        seen = node if isinstance(node, ast.ImportFrom) else node.value  # type: ignore[attr-defined]
        assert OUTSIDE.search(_spelled(seen)), spelled
