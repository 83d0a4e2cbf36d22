"""One request: the options every command has, and the way to the workspace they name.

Opens the workspace when a verb first needs it and closes it afterwards. Decides nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.surroundings import Surroundings
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.kernel.refusal import Refused
    from loopx.model.actor import Actor
    from loopx.workspace import Workspace
    from loopx.workspace.results import View

T = TypeVar("T")


@dataclass
class Request:
    """What was asked beyond the verb's own arguments."""

    around: Surroundings
    as_json: bool = False
    workspace: str | None = None
    actor: str | None = None
    verbose: bool = False
    at: str | None = None
    no_take_in: bool = False
    op: str | None = None
    expect_revision: str | None = None
    render: bool = False

    @classmethod
    def taken_from(cls, given: Mapping[str, Any], around: Surroundings) -> Request:
        """The request whose shared options click parsed into ``given``."""
        request = cls(around, **given)
        request.claimed_actor  # noqa: B018  (a malformed --actor is refused before anything is opened)
        return request

    @cached_property
    def door(self) -> Workspace:
        """The workspace; raises ``workspace-missing`` and kin."""
        opened = self.use(self.around.find(self.around.folder, workspace=self.workspace, environ=self.around.environ))
        if self.verbose:
            sys.stderr.write(f"workspace {opened.places.root}\n")
        return opened

    def use(self, workspace: Workspace) -> Workspace:
        """Take ``workspace`` as this request's, to be closed when the answer is written."""
        from loopx.cli.progress import TakingIn

        self.around.opened.append(workspace)
        workspace.progress = TakingIn()
        return workspace

    def view(self) -> View:
        """The state to read, at the revision asked for, with hand edits taken in unless told otherwise."""
        return self.door.read(at=self.at, take_in=not self.no_take_in and self.at is None)

    def path_below(self, typed: str) -> str:
        """A path as typed (from here, absolute, or below ``.loopx/``) as one below ``.loopx/``."""
        root = self.door.places.root
        here = Path(os.path.normpath(self.around.folder.resolve() / typed))
        return here.relative_to(root).as_posix() if here.is_relative_to(root) else typed

    @cached_property
    def claimed_actor(self) -> Actor | None:
        """The actor named by ``--actor`` or ``LOOPX_ACTOR``; ``None`` when neither names one."""
        from loopx.workspace.actors import People, choose_actor

        if self.actor is None and not self.around.environ.get("LOOPX_ACTOR"):
            return None
        return choose_actor(self.actor, self.around.environ, People(self.around.folder))

    @cached_property
    def who(self) -> Actor:
        """The actor of a write: the one claimed, else the person Git is configured for."""
        from loopx.workspace import default_actor

        return self.claimed_actor or default_actor(self.door)


def found(answer: T | Refused) -> T:
    """What a look-up of the kernel found; raises what it says of an unknown or ambiguous id.

    For reads only: the rules of a write look up what they are given themselves.
    """
    from loopx.errors import LoopxError
    from loopx.kernel.refusal import Refused

    if isinstance(answer, Refused):
        raise LoopxError.of(answer.problem)
    return answer
