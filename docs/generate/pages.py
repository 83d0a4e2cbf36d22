"""All generated files, as a value: path below the project's root to text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docs.generate import commands, errors, files, schemas, strategies, transitions


def generated() -> dict[str, str]:
    """Every generated file as it should be now."""
    return {
        "docs/reference/cli.md": commands.page(),
        "docs/reference/errors.md": errors.page(),
        "docs/reference/files.md": files.page(),
        "docs/reference/strategies.md": strategies.page(),
        "docs/reference/transitions.md": transitions.page(),
        **{f"schemas/{name}": text for name, text in schemas.texts().items()},
    }


def stale(root: Path, pages: Mapping[str, str]) -> list[str]:
    """The paths of ``pages`` that are missing below ``root`` or hold something else."""
    return [path for path, text in pages.items() if _text(root / path) != text]


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
