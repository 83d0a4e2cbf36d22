"""A command pays only for what it needs: what real processes load, and what modules load when imported."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import Project

HEAVY = frozenset({"git", "gitdb", "ruamel", "pydantic", "pydantic_core", "rich", "jinja2", "markdown_it", "watchdog"})
"""Libraries that cost a start of their own; a read answered from the cache needs none of them."""


def loaded(cwd: Path, *arguments: str) -> set[str]:
    """The modules a fresh interpreter has imported after running with ``arguments``."""
    argv = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(argv, cwd=cwd, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s*(\S+)$", done.stderr, re.MULTILINE))


def heavy(modules: set[str]) -> set[str]:
    return {module.split(".")[0] for module in modules} & HEAVY


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A workspace with one Goal and one Todo, its cache caught up and its pages written. Only reads are made in it."""
    project = Project.make(tmp_path_factory.mktemp("start-up") / "lab")
    project.loopx("init").expect()
    project.loopx("goal", "new", "beta", "--title", "Ship the beta").expect()
    project.loopx("todo", "add", "Write the guide", "--goal", "beta", "--render").expect()
    project.loopx("plan", "new", "t-", "--step", "a: true").expect()
    project.loopx("todo", "list").expect()
    return project


@pytest.fixture
def changeable(workspace: Project, tmp_path: Path) -> Project:
    """A copy of :func:`workspace` to write in, its cache caught up."""
    copied = Project(shutil.copytree(workspace.root, tmp_path / "copied", symlinks=True))
    copied.loopx("todo", "list").expect()
    return copied


@pytest.mark.parametrize(
    "module",
    [
        "loopx",
        "loopx.cli.root",
        "loopx.cli.commands.todo",
        "loopx.documents",
        "loopx.kernel",
        "loopx.model.entities",
        "loopx.store.git",
        "loopx.workspace",
    ],
)
def test_importing_what_a_read_needs_loads_no_heavy_library(tmp_path: Path, module: str) -> None:
    assert heavy(loaded(tmp_path, "-c", f"import {module}")) == set()


def test_a_heavy_library_would_be_seen(tmp_path: Path) -> None:
    assert heavy(loaded(tmp_path, "-c", "import loopx.model.validation")) == {"pydantic", "pydantic_core"}


def test_the_version_is_told_without_loading_anything_else_of_ours(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "-m", "loopx", "--version")
    assert "click" not in modules
    assert {module for module in modules if module.startswith("loopx")} <= {"loopx", "loopx.__main__", "loopx.cli"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["todo", "list"],
        ["todo", "list", "--goal", "beta", "--json"],
        ["goal"],
        ["status", "--json"],
        ["where"],
        ["plan", "list"],
        ["plan", "show", "t-", "--json"],
        ["step", "list"],
        ["trace", "list"],
        ["log"],
        ["next"],
        ["next", "--goal", "beta", "--json"],
        ["quota", "should-run", "--goal", "beta", "--explain"],
    ],
    ids=" ".join,
)
def test_a_read_from_the_cache_loads_no_heavy_library(workspace: Project, arguments: list[str]) -> None:
    assert heavy(loaded(workspace.root, "-m", "loopx", *arguments)) == set()


@pytest.mark.parametrize(
    "arguments",
    [["todo", "add", "Record the demo", "--goal", "beta"], ["goal", "new", "gamma", "--title", "Ship the rest"]],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_write_that_parses_no_text_loads_no_heavy_library(changeable: Project, arguments: list[str]) -> None:
    assert heavy(loaded(changeable.root, "-m", "loopx", *arguments)) == set()
