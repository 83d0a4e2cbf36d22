"""Texts made to explode, loop or crawl: each is refused by a bound, fast and at its place."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from loopx.documents import read, repairs
from tests.unit.documents.pages import TODO, codes, only_problem, read_todo, todo, told


def test_P20_alias_bomb_is_refused_fast_and_flat() -> None:
    levels = "\n".join(f"x-l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9))
    text = todo(f"title: x\nx-l0: &l0 [{', '.join(['lol'] * 10)}]\n{levels}")
    tracemalloc.start()
    before = time.process_time()
    problem = only_problem(TODO, text)
    took = time.process_time() - before
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problem.code == "document-too-complex"
    assert took < 1.0
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("title: x\nx-deep: " + "[" * 40 + "]" * 40, 4),
        ("title: x\nx-deep: " + "{a: " * 40 + "1" + "}" * 40, 4),
        ("title: x\nx-many: [" + "a, " * 21_000 + "a]", 4),
        ("title: x\nx-loop: &l [a, *l]", 4),
    ],
)
def test_P20_depth_number_and_loops_of_values_are_bounded(header: str, line: int) -> None:
    assert told(only_problem(TODO, todo(header)))[:2] == ("document-too-complex", line)


def test_P20_deep_block_nesting_is_bounded_too() -> None:
    nested = "\n".join("  " * n + "a:" for n in range(40))
    assert codes(read(TODO, todo(f"title: x\n{nested}"))) == ["document-too-complex"]


def test_P20_a_document_over_one_mebibyte_is_refused() -> None:
    assert codes(read(TODO, todo("title: x", "a" * (1024 * 1024)))) == ["document-too-large"]
    assert codes(read(TODO, todo("title: x", "a" * (1024 * 1024 - 60)))) == []


def test_P20_modest_aliases_are_read() -> None:
    assert read_todo(todo("title: &t x\nreason: *t\nx-a: &a [1]\nx-b: [*a, *a]")).reason == "x"


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("title: x", "# " + " " * 300_000 + "x\n"),
        ("x-a: 1", "#" + " # " * 100_000 + "\n"),
        ("title: x", "<<<<<<< " + " " * 300_000 + "x\n"),
        ("title: a: " + " " * 300_000 + "b", ""),
        ("title: &x " + " " * 300_000 + "b", ""),
        ("title: x\ntags: [" + "1, " * 9_000 + "1]", ""),
        ("title: x\n" + "\n".join(f"unknown{n}: 1" for n in range(5_000)), ""),
        ("title: x\ntags: [" + "&a a, " * 5_000 + "b]", ""),
    ],
)
def test_P20_no_text_makes_reading_or_repairing_slow(header: str, body: str) -> None:
    text = todo(header, body)
    before = time.process_time()
    reading = read(TODO, text)
    repairs(TODO, text)
    assert time.process_time() - before < 3.0
    assert len(reading.problems) <= 200
    assert len(reading.warnings) <= 100
