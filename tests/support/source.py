"""The project's own source as a subject of tests: its files, its syntax trees, the texts in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def tracked() -> tuple[str, ...]:
    """Every file under version control that is still there, relative to the project's root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
    return tuple(path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file())


def python_files(*folders: str) -> list[Path]:
    """Every Python file below ``folders`` of the project's root, in path order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def syntax(path: Path) -> ast.Module:
    """The parsed module at ``path``."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name_of(path: Path) -> str:
    """``path`` as failure messages name it."""
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a module."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every text of a module that a program could show somebody: all string constants that stand in no docstring."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node


def run_tool(*argv: str) -> tuple[int, str]:
    """Run a development tool, installed beside this interpreter, in the project's root; its exit status and output."""
    program = Path(sys.executable).with_name(argv[0])
    done = subprocess.run([program, *argv[1:]], cwd=ROOT, capture_output=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr
