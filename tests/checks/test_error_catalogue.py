"""Every error code is well formed, documented, raised and tested, and no text is a destructive command to paste."""

from __future__ import annotations

import re
from functools import cache

import pytest

from loopx.errors import CATALOGUE
from tests.support.source import ROOT, name_of, python_files, syntax, texts

DESTRUCTIVE = re.compile(
    r"\brm\s+-\w*[rf]|\bgit\b[^|;`]*?(?:\breset\s+--hard|\bpush\s+(?:-f\b|--force)|\bclean\s+-\w*f|\bbranch\s+-D"
    r"|\bcheckout\s+(?:--|\.)|\brestore\s+\.|\bstash\s+(?:drop|clear)|\breflog\s+expire|\bupdate-ref\s+-d)"
    r"|\bmkfs\b|\bdd\s+if=|\bshred\b|\btruncate\s+-s"
)


@cache
def raised_texts() -> frozenset[str]:
    """Every string constant of the package outside the catalogue."""
    modules = [path for path in python_files("loopx") if "catalogue" not in path.parts]
    return frozenset(str(text.value) for path in modules for text in texts(syntax(path)))


@cache
def what_tests_say() -> str:
    """Everything that stands in test files, this one apart."""
    files = [path for path in python_files("tests") if path.name != "test_error_catalogue.py"]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_codes_are_kebab_case() -> None:
    assert [code for code in CATALOGUE if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)] == []


def test_the_reference_page_has_a_heading_a_code_in_catalogue_order() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == list(CATALOGUE)


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_package_uses_the_code(code: str) -> None:
    assert code in raised_texts(), f"{code} stands in the catalogue, but nothing in loopx/ raises it"


@pytest.mark.parametrize("code", CATALOGUE)
def test_some_test_names_the_code(code: str) -> None:
    # A code of one word is too common a word to count unless it is quoted.
    as_code = rf"(?<![\w-]){code}(?![\w-])" if "-" in code else rf"""["'`]{code}["'`]"""
    assert re.search(as_code, what_tests_say()), f"no test names {code}"


@pytest.mark.parametrize("code", CATALOGUE)
def test_meaning_and_remedy_are_sentences_for_people(code: str) -> None:
    known = CATALOGUE[code]
    assert known.meaning.endswith(".")
    assert known.remedy.endswith((".", "?"))
    assert not DESTRUCTIVE.search(f"{known.meaning} {known.remedy}")


def test_no_text_of_the_package_is_a_destructive_command_to_paste() -> None:
    found = [
        f"{name_of(path)}:{text.lineno}: {text.value!r}"
        for path in python_files("loopx")
        for text in texts(syntax(path))
        if DESTRUCTIVE.search(str(text.value))
    ]
    assert found == []


@pytest.mark.parametrize(
    "pasted", ["Run `rm -rf .loopx`.", "git -C .loopx reset --hard HEAD", "try git push --force", "git clean -ffdx"]
)
def test_a_destructive_command_would_be_seen(pasted: str) -> None:
    assert DESTRUCTIVE.search(pasted)


@pytest.mark.parametrize("named", ["Pass `--force` to overwrite.", "git push was refused", "the form of the field"])
def test_naming_a_flag_is_no_destructive_command(named: str) -> None:
    assert not DESTRUCTIVE.search(named)
