"""What the kernel may ask about the project around a workspace: looked up when asked, so that most reads pay nothing.

The workspace answers from the project's own Git repository and files; tests answer from memory. ``None`` means *not
known*, which is never read as *unchanged* or as zero.
"""

from __future__ import annotations

from typing import Protocol


class Environment(Protocol):
    """The project's side of a decision. Answers stay the same while one decision is made."""

    def artifact_revision(self) -> str | None:
        """The project's Git commit; ``None`` where there is no repository."""
        ...

    def artifact(self, scopes: tuple[str, ...]) -> str | None:
        """Digest of the project's files that match ``scopes`` (all when empty), uncommitted changes included."""
        ...

    def file_digest(self, path: str) -> str | None:
        """Digest of one file of the project; ``None`` when it cannot be read."""
        ...

    def variable_digest(self, name: str) -> str | None:
        """Digest of an environment variable's value; ``None`` when it is not set."""
        ...

    def repositories(self) -> frozenset[str] | None:
        """Names this project goes by (folder, remotes as owner/name); ``None`` when that is not known."""
        ...


class Unknown:
    """An environment nothing is known of."""

    def artifact_revision(self) -> str | None:
        return None

    def artifact(self, scopes: tuple[str, ...]) -> str | None:
        return None

    def file_digest(self, path: str) -> str | None:
        return None

    def variable_digest(self, name: str) -> str | None:
        return None

    def repositories(self) -> frozenset[str] | None:
        return None


UNKNOWN = Unknown()
