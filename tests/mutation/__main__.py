"""Put every fault, one at a time, into a copy of the package and say whether the tests of the loop see it.

``python -m tests.mutation [--only WORD] [--jobs N]``. Run by hand: it takes a few minutes. The table it prints stands
in ``docs/explanation/mutations.md``. Ends with 1 where a fault survives or cannot be put in.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.fault import Fault
from tests.mutation.faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("tests/loop/recovery", "tests/loop/engine")
COPIED = ("loopx", "tests", "pyproject.toml")
_SECONDS = 300
"""A fault that makes the tests run longer than this is seen as well: something goes round in circles."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="faults whose area or description has this word")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    chosen = [each for each in FAULTS if asked.only in each.area or asked.only in each.what]
    if (code := tried(None)[0]) != "survived":
        print(f"without any fault the tests do not pass: {code}")
        return 1
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = list(pool.map(tried, chosen))
    print("| area | fault | outcome | seen first by |\n|---|---|---|---|")
    for fault, (outcome, by) in zip(chosen, found, strict=True):
        print(f"| {fault.area} | {fault.what} | {outcome} | {by} |")
    killed = sum(outcome == "killed" for outcome, _ in found)
    print(f"\n{killed} of {len(chosen)} killed")
    return 0 if killed == len(chosen) else 1


def tried(fault: Fault | None) -> tuple[str, str]:
    """What became of a fault, and the test that saw it."""
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
        return outcome_in(place)


def put_in(fault: Fault, place: Path) -> bool:
    """Replace the text; false when it does not stand there exactly once."""
    path = place / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return False
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    return True


def outcome_in(place: Path) -> tuple[str, str]:
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *TESTS]
    try:
        done = subprocess.run(argv, cwd=place, capture_output=True, encoding="utf-8", timeout=_SECONDS)
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
