"""Paths outside ASCII: the same everywhere, in any locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopx.store.git.repository import GitStore
from tests.store.building import git, land, place

NAMES = ["goals/x/todos/t-1-写指南.md", "goals/x/todos/t-2-café.md", "goals/ünï/g 1.md", "a\tb", 'quo"te', "new\nline"]

ELSEWHERE = """
import json, sys
from pathlib import Path
from loopx.store.git.repository import GitStore
from tests.store.building import RealClock, land
store = GitStore(Path(sys.argv[1]), clock=RealClock())
names = json.loads(sys.argv[2])
written = land(store, {name: b"again" for name in names})
seen = {
    "listing": [entry.path for entry in store.listing(written.oid)],
    "changes": [change.path for change in next(store.history(written.oid, changes=True)).changes],
    "found": [store.find(written.oid, name) is not None for name in names],
    "patch": store.patch(None, written.oid, names[:1]).splitlines()[0],
    "hidden": store.hidden_paths(),
}
print(json.dumps(seen))
store.close()
"""


def test_G26_names_come_back_as_they_went_in_and_plain_git_agrees(repository: GitStore, root: Path) -> None:
    changes = dict.fromkeys(NAMES, b"x")
    written = land(repository, changes)
    place(root, changes)
    assert [entry.path for entry in repository.listing(written.oid)] == sorted(NAMES)
    assert git(root, "ls-files", "-z").split("\0")[:-1] == sorted(NAMES)
    assert git(root, "status", "--porcelain") == ""
    assert repository.fsck() == []


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "zh_CN.GBK", "de_DE.CP1252"])
def test_G26_names_are_the_same_in_every_locale(repository: GitStore, root: Path, locale: str) -> None:
    import json

    land(repository, dict.fromkeys(NAMES, b"x"))
    environment = {**os.environ, "LC_ALL": locale, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", ELSEWHERE, str(root), json.dumps(NAMES)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    seen = json.loads(done.stdout)
    assert seen["listing"] == sorted(NAMES)
    assert seen["changes"] == sorted(NAMES)
    assert all(seen["found"])
    assert seen["patch"] == f"diff --git a/{NAMES[0]} b/{NAMES[0]}"


def test_a_name_that_is_no_text_comes_back_as_it_went_in(repository: GitStore, root: Path) -> None:
    (Path(os.fsdecode(os.fsencode(root) + b"/latin-\xe9.md"))).write_bytes(b"x")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "latin")
    [entry] = repository.listing(repository.head() or "")
    assert entry.path == "latin-\udce9.md"
    land(repository, {entry.path: b"y", "b": b"1"})
    assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""
