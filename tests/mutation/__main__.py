"""Put every fault, one at a time, into a copy of the package and say whether the tests of the loop see it.

``python -m tests.mutation [--only WORD] [--jobs N]``. Run by hand: it takes some minutes. The table it prints stands
in ``docs/explanation/mutations.md``. Ends with 1 where a fault survives or cannot be put in.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.fault import Fault
from tests.mutation.faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("loopx", "docs", "tests", "README.md", "pyproject.toml")
_SECONDS = 300
"""A fault that makes the tests run longer than this is seen as well: something goes round in circles."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="faults whose area or description has this word")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    chosen = [each for each in FAULTS if asked.only in each.area or asked.only in each.what]
    for tests in dict.fromkeys(each.tests for each in chosen):
        outcome, by = tried(None, tests)
        if outcome != "survived":
            print(f"without any fault the tests do not pass: {by}")
            return 1
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = list(pool.map(lambda each: tried(each, each.tests), chosen))
    print("| area | fault | outcome | seen first by |\n|---|---|---|---|")
    for fault, (outcome, by) in zip(chosen, found, strict=True):
        print(f"| {fault.area} | {fault.what} | {outcome} | {by} |")
    killed = sum(outcome == "killed" for outcome, _ in found)
    print(f"\n{killed} of {len(chosen)} killed")
    return 0 if killed == len(chosen) else 1


def tried(fault: Fault | None, tests: Sequence[str]) -> tuple[str, str]:
    """What became of a fault, and the first of ``tests`` that saw it."""
    with tempfile.TemporaryDirectory(prefix="loopx-mutation-") as folder:
        place = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__", "real_input"))
            else:
                shutil.copy(source, place / name)
        if fault is not None and not put_in(fault, place):
            return "misplaced", ""
        return outcome_in(place, tests)


def put_in(fault: Fault, place: Path) -> bool:
    """Replace the text; false when it does not stand there exactly once."""
    path = place / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return False
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    return True


def outcome_in(place: Path, tests: Sequence[str]) -> tuple[str, str]:
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "PYTHONPATH": str(place)}
    try:
        done = subprocess.run(argv, cwd=place, env=env, capture_output=True, encoding="utf-8", timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return "killed", "time"
    if done.returncode == 0:
        return "survived", ""
    named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return "killed", f"`{_test(named[0])}`" if named else f"`{done.stdout.strip().splitlines()[-1][:60]}`"


def _test(line: str) -> str:
    """The test's name, from pytest's line about it."""
    return line.split(" ")[1].rpartition("::")[2].partition("[")[0]


if __name__ == "__main__":
    sys.exit(main())
