"""Making a workspace (``loopx init``): idempotent, refusing what belongs to others, touching two lines outside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from loopx.documents import emit
from loopx.errors import LoopxError
from loopx.kernel.outcome import Receipt
from loopx.model import ids
from loopx.model.actor import Actor, Origin
from loopx.model.clock import Clock, IdSource
from loopx.model.defining import dataclass
from loopx.model.layout import WORKSPACE_FILE
from loopx.model.workspace import SCHEMA_VERSION, WorkspaceConfig
from loopx.store.protocol import Draft, Signature, Store
from loopx.workspace import discovery, exclusion, trailers
from loopx.workspace.places import FOLDER, Places

_OTHERS = {
    "registry.json": "the public LoopX tool",
    "registry.yaml": "the public LoopX tool",
    "active_goal.json": "the public LoopX tool",
    "config.json": "another tool",
}


@dataclass(slots=True)
class Creation:
    """What ``init`` did: where, whether it made anything, and what a person should be told."""

    root: Path
    is_new: bool
    notes: list[str] = field(default_factory=list)


def target_folder(path: Path | None, start: Path) -> tuple[Path, list[str]]:
    """The project folder ``init`` is about: ``path``, the top of the repository around ``start``, or ``start``."""
    if path is not None:
        return path.expanduser().resolve(), []
    here = start.resolve()
    repository = discovery.enclosing_repository(here)
    if repository is None:
        return here, []
    top, common = repository
    main = common.parent if common.name == ".git" else top
    notes = [] if main == here else [f"made at the top of the project, {main}"]
    return main, notes


def create(
    project: Path,
    *,
    title: str | None,
    git_dir: Path | None,
    sign: bool,
    clock: Clock,
    ids_: IdSource,
    environ: Mapping[str, str],
) -> Creation:
    """Make the workspace of ``project``, or find it there. Raises ``workspace-foreign``, ``identity-missing``."""
    from loopx.store.git.setup import create as create_store
    from loopx.store.identity import human_identity

    root = project / FOLDER
    _refuse_foreign(root)
    made = Creation(root, is_new=not discovery.is_ours(root))
    person = human_identity(project if project.exists() else Path.cwd())
    project.mkdir(parents=True, exist_ok=True)
    store = create_store(root, clock=clock, git_dir=git_dir, sign=sign)
    try:
        places = Places(root.resolve())
        places.local.mkdir(exist_ok=True)
        if store.head() is None:
            _first_commit(store, places, title or project.name or "Workspace", person, clock, ids_)
            if sign:
                made.notes.append("every commit will be signed")
    finally:
        store.close()
    if exclusion.ensure(project):
        made.notes.append(f"`{FOLDER}/` and `.local/` are excluded in the project's private exclude file")
    if discovery.enclosing_repository(project) is None:
        made.notes.append("the project is no Git repository; that is fine")
    return made


def _refuse_foreign(root: Path) -> None:
    if not discovery.is_foreign(root):
        return
    names = sorted(each.name for each in root.iterdir())[:5] if root.is_dir() else []
    owner = next((_OTHERS[name] for name in names if name in _OTHERS), "something else")
    raise LoopxError(
        "workspace-foreign",
        f"{root} exists and belongs to {owner}" + (f" (it holds {', '.join(names)})" if names else ""),
        facts={"found": names},
    )


def _first_commit(store: Store, places: Places, title: str, person: Signature, clock: Clock, ids_: IdSource) -> None:
    now = clock.now()
    config = WorkspaceConfig(
        version=SCHEMA_VERSION, id=ids_.fresh(ids.WORKSPACE), rev=ids_.fresh(ids.REVISION), title=title, created_at=now
    )
    content = emit(WORKSPACE_FILE, config)
    receipt = Receipt(
        operation=ids_.fresh(ids.OPERATION),
        command="init",
        actor=Actor.parse(f"human:{person.name}"),
        origin=Origin.COMMAND,
        subject=f"workspace {config.id}",
        goal="",
        request="",
        at=now,
        result={"id": config.id},
    )
    message = trailers.message(receipt, f'workspace: init "{title}"')
    [written] = store.write(None, [Draft({WORKSPACE_FILE: content}, message, person, person, now)])
    file = places.file(WORKSPACE_FILE)
    if not file.exists():
        fresh = file.with_name(f".{file.name}.init.loopx-tmp")
        fresh.write_bytes(content)
        os.replace(fresh, file)
    index = store.lock_index(written.blobs, 5.0)
    store.publish(written.oid, None)
    index.commit()
    store.admit(written.oid)
