"""Refusals change nothing: history, index, files and cache are the same afterwards, for every code there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loopx.errors import CATALOGUE, Exit
from loopx.errors.catalogue.deciding import DECIDING
from loopx.errors.catalogue.documents import DOCUMENTS
from loopx.errors.catalogue.ending import ENDING
from loopx.errors.catalogue.evidence import EVIDENCE
from loopx.errors.catalogue.exchange import EXCHANGE
from loopx.errors.catalogue.kernel import KERNEL
from loopx.errors.catalogue.leases import LEASES
from loopx.errors.catalogue.store import STORE
from loopx.errors.catalogue.turns import TURNS
from loopx.errors.catalogue.workspace import WORKSPACE
from tests.support.lab import Lab
from tests.support.source import ROOT
from tests.workspace.refusals import (  # noqa: F401  (their scenarios are entered by being loaded)
    evidence_and_turns,
    exchange,
    gates_and_documents,
    goals_and_todos,
    leases,
    runs,
    workspace_and_documents,
)
from tests.workspace.refusals.scene import SCENARIOS, Scene, Typed, shot

NEVER_BY_A_COMMAND = {
    "ids-exhausted": "The workspace draws ids until one is new, so the kernel never sees the same one twenty times.",
    "goal-unreadable": "Only damage from outside leaves a committed document nobody can read.",
    "check-failed": "The check ran: what it found is kept as evidence, which is the one thing that changes.",
    "check-timed-out": "As for check-failed.",
    "check-unavailable": "As for check-failed.",
}
"""Codes of the kernel that no request provokes without anything being written, and why."""

ELSEWHERE = {
    "workspace-missing": "There is no workspace that could change.",
    "workspace-foreign": "There is no workspace that could change.",
    "workspace-gone": "There is no workspace that could change: test_ground.",
    "plan-edit-waits": "A run does not begin over an edit that waits: test_run.",
    "workspace-version": "A newer LoopX wrote it: test_rollback.",
    "history-rewritten": "Somebody rewrote history with Git: test_rewritten_history.",
    "edit-displaced": "An editor saved in the instant of an exchange: test_displaced.",
    "file-failed": "The system refuses: test_cli_cases.",
    "rollback-mismatch": "A bug of ours.",
    "head-moved": "Another process moved the branch meanwhile, and the pass begins anew: test_git_race.",
    "lock-held": "Another process holds the lock: test_lock.",
    "repository-busy": "Git is at work in there: test_git_busy.",
    "repository-broken": "The repository is damaged: test_git_objects.",
    "repository-owner": "It belongs to somebody else: test_git_ownership.",
    "git-missing": "No Git is installed: test_git_setup.",
    "git-failed": "Git fails: test_git_history.",
    "identity-missing": "Git knows no name: test_identity.",
    "signing-failed": "A key is missing: test_git_signing.",
    "hook-refused": "A person's hook says no: test_git_hooks.",
    "disk-full": "The disk: test_git_objects.",
    "disk-refused": "The disk: test_git_objects.",
    "disk-failed": "The disk: test_git_objects.",
    "cache-busy": "Another process holds the cache: test_cache_database.",
    "cache-broken": "The cache is made anew: test_cache_database.",
    "document-encoding": "Bytes that are no text: test_platform_cases.",
}
"""Codes of the other rooms that come from the surroundings and not from what is asked, and who shows them."""

ALONE = frozenset(
    {
        "operator-required",
        "lease-file-edited",
        "guard-edit-waits",
        "mass-deletion",
        "document-link",
        "goal-none-active",
    }
)
"""What changes the workspace as a whole, or leaves an edit behind, gets a lab of its own."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One lab for all: a refusal changes nothing, so none of them can be in another's way."""
    made = Lab.make(tmp_path_factory.mktemp("refusals") / "lab")
    yield made
    made.close()


@pytest.mark.parametrize("code", sorted(SCENARIOS))
def test_a_refusal_changes_nothing(code: str, request: pytest.FixtureRequest) -> None:
    lab: Lab = request.getfixturevalue("lab" if code in ALONE else "shared")
    provocation = SCENARIOS[code](Scene.prepared(lab, f"for-{code}"))
    if code not in ALONE:
        assert lab.ws.edits() == []
    typed = provocation.path if isinstance(provocation, Typed) else None
    before = shot(lab, but=typed)
    assert provocation.provoke(Scene(lab, code)) == code
    assert shot(lab, but=typed) == before
    if typed is not None and code not in ALONE:
        provocation.tidy(lab)


def test_every_refusal_of_the_kernel_has_a_scenario_or_a_reason_why_not() -> None:
    tables = (*KERNEL, *LEASES, *EVIDENCE, *TURNS, *EXCHANGE, *DECIDING, *ENDING)
    refusals = {each.code for each in tables if each.exit is not Exit.DONE}
    assert refusals - SCENARIOS.keys() == NEVER_BY_A_COMMAND.keys()
    assert SCENARIOS.keys() <= CATALOGUE.keys()


def test_every_refusal_of_the_other_rooms_has_a_scenario_or_a_test_elsewhere() -> None:
    refusals = {each.code for each in (*DOCUMENTS, *STORE, *WORKSPACE) if each.exit is not Exit.DONE}
    assert refusals - SCENARIOS.keys() == ELSEWHERE.keys()
    for code, why in ELSEWHERE.items():
        named = why.rstrip(".").rpartition(": ")[2]
        if named.startswith("test_"):
            files = list((ROOT / "tests").rglob(f"{named}.py"))
            assert any(code in each.read_text("utf-8") for each in files), f"{named} does not name {code}"
