"""What no text that travels may hold, and what everyday prose may."""

from __future__ import annotations

import json

import pytest

from loopx.kernel.privacy import bad_text, bad_texts, is_shared
from tests.support.kernel import Desk, config

SECRETS = [
    "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
    "-----BEGIN PRIVATE KEY-----",
    "use " + "ghp_" + "a1B2" * 9,
    "github_pat_" + "11ABCDEFG0" * 3,
    "sk-" + "ant-" + "abc123DEF456" * 3,
    "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "xoxb-" + "123456789012-abcdefGHIJKL",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "Authorization: Bearer abcdef0123456789",
    "git clone https://ann:hunter2@example.org/x.git",
    "password: hunter2",
    'DB_PASSWORD="s3cr3tvalue"',
    "api-key=0123456789abcdef",
    "token = 9f8e7d6c5b",
]
PRIVATE = [
    "see /home/ann/project/notes.md",
    "it lies in /Users/ann/x",
    "~/papers/notes.md",
    "C:\\Users\\ann\\x",
    "\\\\fileserver\\share",
    "file:///srv/x",
    "http://localhost:8080/board",
    "https://wiki/Runbook",
    "https://wiki.corp/Runbook",
    "ssh://10.0.0.7/x",
    "http://192.168.1.4",
]
PLAIN = [
    "Write the guide for t-4k9x2m7q; see docs/guide.md and https://example.org/issues/12",
    "The password is required and the token: expires soon",
    "Read the secret from $DEPLOY_TOKEN: token=$DEPLOY_TOKEN, password: <ask Ann>",
    "GET /api/v1/users answers 404, and/or 500",
    "The bearer of this note goes on",
    "Ask for the API key: it is in the vault.",
    "https://ann@example.org/x and ratio 3:4@2",
    "disk-usage-of-everything-on-the-machine, hf_hub_download_everything_twice, sk-learn-made-easy-for-all",
    "",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_credential_is_refused_whoever_reads_along(text: str) -> None:
    for shared in (False, True):
        found = bad_text(f"First line.\n{text}", "body", shared)
        assert found is not None and found.code == "text-credential"
        assert found.facts["field"] == "body"


@pytest.mark.parametrize("text", SECRETS)
def test_the_refusal_never_repeats_the_credential(text: str) -> None:
    found = bad_text(text, "body", False)
    assert found is not None
    told = json.dumps(found.problem.as_json())
    assert not any(word in told for word in text.split() if any(each.isdigit() for each in word))


@pytest.mark.parametrize("text", PRIVATE)
def test_machine_paths_and_private_links_are_refused_where_the_workspace_is_shared(text: str) -> None:
    assert bad_text(text, "note", False) is None
    found = bad_text(f"Look: {text}", "note", True)
    assert found is not None and found.code == "text-private"


@pytest.mark.parametrize("text", PLAIN)
def test_everyday_prose_passes(text: str) -> None:
    assert bad_text(text, "note", True) is None


def test_of_several_texts_the_first_bad_one_is_named() -> None:
    found = bad_texts([("title", "Fine"), ("body", None), ("note", SECRETS[-1])], False)
    assert found is not None and found.facts["field"] == "note"
    assert bad_texts([("title", "Fine")], True) is None


def test_a_workspace_is_shared_only_when_it_says_so() -> None:
    assert not is_shared(Desk.of().state)
    assert not is_shared(Desk.of(config()).state)
    assert is_shared(Desk.of(config(shared=True)).state)
