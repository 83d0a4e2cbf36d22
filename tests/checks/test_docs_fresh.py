"""The documents agree with the package and with one another."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from docs.generate.pages import generated, stale
from tests.support.source import ROOT

LINK = re.compile(r"(?<!\\)\]\((?!https?://|mailto:)([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@cache
def anchors(page: Path) -> frozenset[str]:
    """The fragments headings of ``page`` answer to, by GitHub's rule."""
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads)


def test_generated_files_are_fresh() -> None:
    assert stale(ROOT, generated()) == [], "run `python -m docs.generate`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (fragment and fragment not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_the_list_of_decisions_names_every_record_by_its_title() -> None:
    folder = ROOT / "docs/decisions"
    records = [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]
    titles = [
        (path.name, *path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").split(" · "))
        for path in records
    ]
    lines = [f"| [{number}]({name}) | {title} |" for name, number, title in titles]
    assert re.findall(r"^\| \[.+$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE) == lines


def test_a_missing_or_changed_page_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "same.md").write_text("same", encoding="utf-8")
    (tmp_path / "changed.md").write_text("old", encoding="utf-8")
    assert stale(tmp_path, {"same.md": "same", "changed.md": "new", "missing.md": ""}) == ["changed.md", "missing.md"]
