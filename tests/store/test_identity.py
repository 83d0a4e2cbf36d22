"""Commits are by somebody who exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from loopx.store.identity import agent_identity, human_identity
from loopx.store.protocol import Draft, Signature
from tests.store.building import git
from tests.support.clock import START
from tests.support.environment import EMAIL, PERSON


def test_a_person_is_who_gits_configuration_says(tmp_path: Path) -> None:
    assert human_identity(tmp_path) == Signature(PERSON, EMAIL)


def test_a_projects_own_configuration_goes_first(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.email", "at-work@example.invalid")
    (tmp_path / "deep").mkdir()
    assert human_identity(tmp_path / "deep") == Signature(PERSON, "at-work@example.invalid")


@pytest.mark.usefixtures("no_git_identity")
def test_G24_without_a_configured_person_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Made Up")
    monkeypatch.setenv("EMAIL", "made-up@example.invalid")
    with pytest.raises(LoopxError) as missing:
        human_identity(tmp_path)
    assert missing.value.code == "identity-missing"
    assert missing.value.problem.facts["missing"] == ["user.name", "user.email"]
    assert "git config" in missing.value.problem.hint


def test_a_person_without_an_address_is_told_which_half_is_missing(tmp_path: Path) -> None:
    git(tmp_path, "config", "--global", "user.email", " ")
    with pytest.raises(LoopxError, match=r"no user\.email"):
        human_identity(tmp_path)


def test_a_configuration_git_cannot_read_is_not_taken_for_an_empty_one(tmp_path: Path, home: Path) -> None:
    (home / "gitconfig").write_text("[user\n")
    with pytest.raises(LoopxError) as error:
        human_identity(tmp_path)
    assert error.value.code in ("git-failed", "repository-broken")


@pytest.mark.usefixtures("no_git_identity")
def test_an_agent_commits_on_a_machine_where_git_knows_nobody_and_may_not_guess(
    tmp_path: Path, repository: GitStore, root: Path
) -> None:
    git(tmp_path, "config", "--global", "user.useConfigOnly", "true")
    who = agent_identity("bot-1")
    [written] = repository.write(None, [Draft({"a": b"1"}, "x", who, who, START)])
    repository.publish(written.oid, None)
    assert git(root, "log", "--format=%an <%ae> %cn <%ce>") == " ".join(["bot-1 <bot-1@agents.invalid>"] * 2)
    assert git(root, "reflog", "--format=%gn %gs", "main") == "LoopX loopx"


def test_an_agent_signs_with_its_id_at_a_domain_no_mail_can_reach() -> None:
    assert agent_identity("bot-1") == Signature("bot-1", "bot-1@agents.invalid")
