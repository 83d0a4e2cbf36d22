"""Refusals about leases, and of guards edited by hand while an agent works."""

from __future__ import annotations

from loopx.kernel import commands as c
from tests.support.lab import BOT
from tests.workspace.refusals.scene import REX, Asked, Provocation, Scene, provokes


@provokes("lease-required")
def _(scene: Scene) -> Provocation:
    scene.policy(ownership="lease")
    return Asked(c.CompleteTodo(todo=scene.todo()), BOT)


@provokes("lease-held")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.leased("k-held"), key="k-held-2"), REX)


@provokes("lease-held-by-you")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.leased("k-yours"), key="k-yours-2"), BOT)


@provokes("lease-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.RenewLease(todo=scene.todo(), key="k-missing", version=1), BOT)


@provokes("lease-expired")
def _(scene: Scene) -> Provocation:
    todo = scene.leased("k-expired", ttl_seconds=60)
    scene.lab.clock.wait(61)
    return Asked(c.RenewLease(todo=todo, key="k-expired", version=1), BOT)


@provokes("lease-key-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.ReleaseLease(todo=scene.leased("k-no-key")), BOT)


@provokes("lease-key-wrong")
def _(scene: Scene) -> Provocation:
    return Asked(c.RenewLease(todo=scene.leased("k-right"), key="k-wrong", version=1), BOT)


@provokes("lease-key-reused")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.leased("k-twice"), key="k-twice", ttl_seconds=77), BOT)


@provokes("lease-key-retired")
def _(scene: Scene) -> Provocation:
    todo = scene.leased("k-retired")
    scene.do(c.ReleaseLease(todo=todo, key="k-retired"), BOT)
    return Asked(c.AcquireLease(todo=todo, key="k-retired"), BOT)


@provokes("lease-key-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.todo(), key="no key"), BOT)


@provokes("lease-ttl-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.todo(), key="k-for-ever", ttl_seconds=10**9), BOT)


@provokes("write-scope-conflict")
def _(scene: Scene) -> Provocation:
    scene.leased("k-docs", write_scopes=("docs/**",))
    return Asked(c.AcquireLease(todo=scene.todo(), key="k-page", write_scopes=("docs/page.md",)), REX)


@provokes("lease-file-edited")
def _(scene: Scene) -> Provocation:
    todo = scene.leased("k-edited")
    edit = scene.typed(scene.file("leases/*.yaml"), "epoch: 1", "epoch: 7")
    scene.lab.save(edit.path, edit.content or "")
    scene.lab.look()
    return Asked(c.RenewLease(todo=todo, key="k-edited", version=1), BOT)


@provokes("guard-edit-waits")
def _(scene: Scene) -> Provocation:
    todo = scene.leased("k-at-work")
    return scene.typed(scene.path(todo), "status: open", "status: open\nwrite_scopes: [docs/**]")
