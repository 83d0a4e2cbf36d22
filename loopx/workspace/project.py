"""The project around a workspace, as decisions ask about it: its commit, its files, its variables, its names.

Made for every state that is read or written from. Nothing is looked up until it is asked for, each answer is looked up
once and then kept, and the project is only ever read: a state that lives on is made anew with a new one. It always
speaks of the project as it is now, also beside a state of the past, since LoopX keeps no copy of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_WILD = frozenset("*?[")


class ProjectEnvironment:
    """An :class:`loopx.kernel.environment.Environment` over a project folder and the variables of one process."""

    def __init__(self, project: Path, variables: Mapping[str, str]) -> None:
        self._project = project
        self._variables = variables
        self._known: dict[tuple[str, ...], object] = {}

    def artifact_revision(self) -> str | None:
        """The commit the project's repository is at; ``None`` without one."""
        return self._once(("revision",), self._revision)

    def artifact(self, scopes: tuple[str, ...]) -> str | None:
        """Digest of :meth:`files`; ``None`` where no repository can tell."""
        return self._once(("artifact", *scopes), lambda: self._digest(scopes))

    def files(self, scopes: tuple[str, ...]) -> Mapping[str, str] | None:
        """Path to content of every file in ``scopes`` (all when empty) that Git tracks or would add, as it is now.

        Committing exactly what is there changes none of it. What Git ignores, ``.loopx/`` and ``.local/``, and what
        compilers and test tools leave behind never count.
        """
        return self._once(("files", *scopes), lambda: self._files(scopes))

    def changed_since(self, commit: str, scopes: tuple[str, ...]) -> list[tuple[str, str]] | None:
        """Pairs of letter (``A``, ``M``, ``D``) and path of what differs in ``scopes`` from ``commit`` to now.

        ``None`` where no repository knows the commit.
        """
        return self._once(("changed", commit, *scopes), lambda: self._changed(commit, scopes))

    def file_digest(self, path: str) -> str | None:
        """SHA-256 (hex) of one file of the project, given by its path below it."""
        return self._once(("file", path), lambda: self._file(path))

    def variable_digest(self, name: str) -> str | None:
        """SHA-256 (hex) of a variable's name and value; ``None`` when it is not set."""
        value = self._variables.get(name)
        return None if value is None else sha256(f"{name}={value}".encode("utf-8", "surrogateescape")).hexdigest()

    def repositories(self) -> frozenset[str] | None:
        """The folder's name, and each remote as ``owner/name`` and as ``name``; ``None`` when Git cannot tell."""
        return self._once(("repositories",), self._names)

    def _once(self, key: tuple[str, ...], look: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = look()
        return self._known[key]  # type: ignore[return-value]

    def _revision(self) -> str | None:
        if not self._has_repository():
            return None
        from loopx.store.git.artifact import commit_of

        return commit_of(self._project)

    def _digest(self, scopes: tuple[str, ...]) -> str | None:
        files = self.files(scopes)
        if files is None:
            return None
        from loopx.store.git.artifact import digest_of

        return digest_of(files)

    def _files(self, scopes: tuple[str, ...]) -> Mapping[str, str] | None:
        if not self._has_repository():
            return None
        from loopx.store.git.artifact import project_files

        return project_files(self._project, scopes, inner_repositories(self._project, scopes))

    def _changed(self, commit: str, scopes: tuple[str, ...]) -> list[tuple[str, str]] | None:
        if not self._has_repository():
            return None
        from loopx.store.git.artifact import changed_since

        return changed_since(self._project, commit, scopes, inner_repositories(self._project, scopes))

    def _has_repository(self) -> bool:
        from loopx.workspace.discovery import enclosing_repository

        return enclosing_repository(self._project) is not None

    def _file(self, path: str) -> str | None:
        try:
            file = (self._project / path).resolve()
            if not (file.is_relative_to(self._project.resolve()) and file.is_file()):
                return None
            return sha256(file.read_bytes()).hexdigest()
        except (OSError, ValueError):
            return None

    def _names(self) -> frozenset[str] | None:
        if not self._has_repository():
            return frozenset({self._project.name})
        from loopx.store.git.artifact import remotes_of

        remotes = remotes_of(self._project)
        if remotes is None:
            return None
        return frozenset({self._project.name, *(name for each in remotes for name in repository_names(each))})


def inner_repositories(project: Path, scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Repositories inside the project that ``scopes`` reach into: Git lists each as one entry, under its own path.

    These are submodules, and whatever repository the plain folders at the beginning of a scope lead into.
    """
    if not scopes:
        return ()
    from loopx.kernel.scopes import overlap
    from loopx.store.git.artifact import submodules_of

    declared = (path for path in submodules_of(project) if overlap(scopes, (f"{path}/**",)))
    led_into = (path for each in scopes if (path := _led_into(project, each)))
    return tuple(dict.fromkeys((*declared, *led_into)))


def repository_names(address: str) -> tuple[str, ...]:
    """``owner/name`` and ``name`` of a remote's address, as far as it tells them."""
    parts = [part for part in address.replace(":", "/").split("/") if part]
    if not parts:
        return ()
    name = parts[-1].removesuffix(".git")
    return (name, f"{parts[-2]}/{name}") if len(parts) > 1 else (name,)


def _led_into(project: Path, scope: str) -> str:
    path = ""
    for part in scope.removeprefix("./").strip("/").split("/"):
        if _WILD & set(part) or part in ("", "."):
            break
        path = f"{path}/{part}" if path else part
        if (project / path / ".git").exists():
            return path
    return ""
