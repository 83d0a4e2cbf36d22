"""``python -m docs.generate`` writes every generated file; with ``--check`` it only says which are stale (exit 1)."""

from __future__ import annotations

import argparse
from pathlib import Path

from docs.generate.pages import generated, stale

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is stale")
    is_check = parser.parse_args().check
    pages = generated()
    differing = stale(ROOT, pages)
    for path in differing:
        print(f"{'stale' if is_check else 'written'}: {path}")
        if not is_check:
            (ROOT / path).write_text(pages[path], encoding="utf-8")
    return 1 if is_check and differing else 0


raise SystemExit(main())
