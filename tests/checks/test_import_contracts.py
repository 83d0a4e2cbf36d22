"""The rooms keep to their contracts: who may import whom, and which library belongs to which room."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from tests.support.source import ROOT, run_tool

CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
IMPORTED_AS = {"gitpython": "git", "markdown-it-py": "markdown_it", "ruamel.yaml": "ruamel"}


def test_every_room_imports_only_what_it_may() -> None:
    code, said = run_tool("lint-imports", "--no-cache")
    assert code == 0, said


def test_every_dependency_is_confined_to_one_room_by_a_contract() -> None:
    names = [re.split(r"[<>=]", each)[0] for each in CONFIGURATION["project"]["dependencies"]]
    contracts = CONFIGURATION["tool"]["importlinter"]["contracts"]
    confined = {module for contract in contracts for module in contract.get("forbidden_modules", ())}
    assert {IMPORTED_AS.get(name, name) for name in names} <= confined
