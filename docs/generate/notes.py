"""The sentences that stand below an assignment in the source: what a member of an enum or a table means."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from itertools import pairwise
from types import ModuleType


@cache
def notes(owner: type | ModuleType) -> dict[str, str]:
    """Name to sentence for every assignment of ``owner`` (a class or module) that is followed by one."""
    tree = ast.parse(inspect.getsource(owner))
    body = tree.body if isinstance(owner, ModuleType) else _class_body(tree)
    found: dict[str, str] = {}
    for assignment, note in pairwise(body):
        name, text = _assigned(assignment), _text(note)
        if name and text:
            found[name] = " ".join(text.split()).replace("``", "`")
    return found


def _class_body(tree: ast.Module) -> list[ast.stmt]:
    found = tree.body[0]
    if not isinstance(found, ast.ClassDef):
        raise TypeError("not the source of a class")
    return found.body


def _assigned(node: ast.stmt) -> str | None:
    target = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    )
    return target.id if isinstance(target, ast.Name) else None


def _text(node: ast.stmt) -> str | None:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return node.value.value if is_text else None  # type: ignore[attr-defined]
