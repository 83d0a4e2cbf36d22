"""A project in memory, as decisions ask about it: change what lies in it and every answer follows."""

from __future__ import annotations

from dataclasses import dataclass, field

from loopx.kernel.scopes import covers


@dataclass
class Surroundings:
    """An :class:`loopx.kernel.environment.Environment` a test sets. Without a commit there is no repository."""

    commit: str | None = "c1"
    files: dict[str, str] = field(default_factory=lambda: {"src/app.py": "1", "docs/guide.md": "1"})
    variables: dict[str, str] = field(default_factory=dict)
    names: frozenset[str] | None = frozenset({"lab"})

    def artifact_revision(self) -> str | None:
        return self.commit

    def artifact(self, scopes: tuple[str, ...]) -> str | None:
        if self.commit is None:
            return None
        return repr(sorted(each for each in self.files.items() if not scopes or covers(scopes, each[0])))

    def file_digest(self, path: str) -> str | None:
        return self.files.get(path)

    def variable_digest(self, name: str) -> str | None:
        return self.variables.get(name)

    def repositories(self) -> frozenset[str] | None:
        return self.names
