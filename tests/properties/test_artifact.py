"""The digest of a project's files: the same for the same files however they got into Git, another one otherwise."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.kernel.scopes import covers
from loopx.workspace.project import ProjectEnvironment
from tests.support.project import Project

PATHS = ("a", "b c.py", "d/e.md", "d/é ü/[f]*", 'q"\\', "d/deep/er/g.md", "~")
CONTENTS = ("", "x\n", "x\r\n", "y\n")
OUTSIDE = ("elsewhere/h", "i.txt")

Item = tuple[str, str]
"""What a file is (plain, executable, link) and what it holds."""

_items = st.tuples(st.sampled_from(["plain", "executable", "link"]), st.sampled_from(CONTENTS[1:]))
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(PATHS), _items),
        st.tuples(st.just("delete"), st.sampled_from(PATHS)),
        st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
        st.tuples(st.just("outside"), st.sampled_from(OUTSIDE), st.sampled_from(CONTENTS)),
        st.tuples(st.sampled_from(["stage", "commit", "reset", "intend"])),
    ),
    min_size=4,
    max_size=14,
)


@contextmanager
def fresh_project() -> Iterator[Project]:
    with tempfile.TemporaryDirectory() as folder:
        yield Project.make(Path(folder) / "lab")


class Tree:
    """A project beside a plain picture of what lies in it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.files: dict[str, Item] = {}

    def take(self, step: tuple) -> None:  # type: ignore[type-arg]
        getattr(self, step[0])(*step[1:])

    def write(self, path: str, item: Item) -> None:
        kind, text = item
        target = self.project.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if kind == "link":
            target.symlink_to(text.strip())
        else:
            target.write_bytes(text.encode())
            target.chmod(0o755 if kind == "executable" else 0o644)
        self.files[path] = (kind, text.strip() if kind == "link" else text)

    def delete(self, path: str) -> None:
        (self.project.root / path).unlink(missing_ok=True)
        self.files.pop(path, None)

    def rename(self, old: str, new: str) -> None:
        if old in self.files and old != new:
            (self.project.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.project.root / old).rename(self.project.root / new)
            self.files[new] = self.files.pop(old)

    def outside(self, path: str, text: str) -> None:
        self.project.write(path, text)

    def stage(self) -> None:
        self.project.git("add", "--all")

    def commit(self) -> None:
        self.project.git("add", "--all")
        self.project.git("commit", "--quiet", "--allow-empty", "--message=work")

    def reset(self) -> None:
        """What was staged is not any more; files stay."""
        self.project.git("reset", "--quiet")

    def intend(self) -> None:
        self.project.git("add", "--intent-to-add", ".")


@settings(max_examples=25)
@given(_steps)
def test_the_digest_is_that_of_the_files_whatever_git_was_told(steps: list[tuple]) -> None:  # type: ignore[type-arg]
    scopes = ("a", "b c.py", "d/**", 'q"\\', "~")
    seen: dict[str, object] = {}
    with fresh_project() as project:
        tree = Tree(project)
        for step in steps:
            tree.take(step)
            digest = ProjectEnvironment(project.root, {}).artifact(scopes)
            assert digest is not None
            picture = dict(tree.files)
            assert seen.setdefault(digest, picture) == picture
            assert [each for each, known in seen.items() if known == picture] == [digest]


@pytest.fixture(scope="module")
def planted() -> Iterator[Project]:
    with fresh_project() as project:
        for path in ("a", "ab", "a.b/a", "a.b/ab/a", "b/a/ab.a", "b/b/b/b", "ba/.a"):
            project.write(path, path)
        project.git("add", "--all", "b")
        yield project


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "*", "?", ".", "/", "**/", "/**"]), min_size=1), min_size=1))
def test_a_scope_takes_in_what_leases_say_it_takes_in(planted: Project, drawn: list[list[str]]) -> None:
    scopes = tuple("".join(each) for each in drawn)
    if any(part == ".." for each in scopes for part in each.split("/")):
        return
    every = ProjectEnvironment(planted.root, {}).files(())
    found = ProjectEnvironment(planted.root, {}).files(scopes)
    assert every is not None and found is not None
    assert sorted(found) == sorted(path for path in every if covers(scopes, path))
