"""Nothing in the project speaks of the machine or the folder somebody happened to write it in."""

from __future__ import annotations

import re

import pytest

from tests.support.source import ROOT, tracked

# A letter of each stands in brackets, so that this file passes its own check.
PRIVATE = re.compile(r"(?<![\w.<>*-])/(?:wor[k]|far[m])/|\.\./share[d]|(?<![\w.])/tm[p]/m(?:/|\b)")


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    found = []
    for path in tracked():
        text = (ROOT / path).read_bytes().decode("utf-8", "replace")
        found += [f"{path}: {match.group()}" for match in PRIVATE.finditer(text)]
    assert found == []


@pytest.mark.parametrize("path", ["/wo" + "rk/x", "see ../sha" + "red/x", "'/tmp" + "/m/v'"])
def test_such_a_path_would_be_seen(path: str) -> None:
    assert PRIVATE.search(path)


@pytest.mark.parametrize("path", ["goals/work/todos", "/tmp/more", "<goal>/work/"])
def test_a_folder_of_that_name_inside_the_project_is_no_such_path(path: str) -> None:
    assert not PRIVATE.search(path)
