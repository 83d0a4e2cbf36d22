"""Unquoted values: what they mean."""

from __future__ import annotations

import pytest

from loopx.documents.scalars import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("off", "off"),
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("017", 17),
        ("0o17", 15),
        ("0xfF", 255),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        (".", "."),
        ("-", "-"),
        ("+.inf", float("inf")),
        ("-.INF", float("-inf")),
        ("12:30", "12:30"),
        ("2026-01-02", "2026-01-02"),
        ("1.2.3", "1.2.3"),
        ("9" * 301, "9" * 301),
        ("١٢", "١٢"),
    ],
)
def test_scalars_are_read_by_the_core_rules_of_yaml_1_2(text: str, value: object) -> None:
    found = resolve(text)
    assert (type(found), found) == (type(value), value)


def test_not_a_number_is_a_number() -> None:
    found = resolve(".nan")
    assert isinstance(found, float)
    assert found != found
