"""What is typed into arguments: text or stdin, command lines, points in time, assignments to fields."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime

import pytest

from loopx.cli.assignments import assigned, items
from loopx.cli.inputs import moment, text_or_stdin, words
from loopx.cli.usage import Misuse
from loopx.model.goal import Goal
from loopx.model.todo import Todo

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_a_dash_reads_the_text_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n"))
    assert text_or_stdin("-", "--body") == "one\ntwo\n"
    assert text_or_stdin("plain", "--body") == "plain"


def test_input_that_is_no_text_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), "utf-8"))
    with pytest.raises(Misuse, match="not UTF-8"):
        text_or_stdin("-", "--body")


def test_a_closed_stdin_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(Misuse, match="no input"):
        text_or_stdin("-", "--body")


def test_a_command_is_split_into_words_and_nothing_is_expanded() -> None:
    assert words("pytest -q 'a b' $HOME *.py", "--validate") == ("pytest", "-q", "a b", "$HOME", "*.py")


@pytest.mark.parametrize("text", ["", "   ", "echo 'open"])
def test_a_command_that_cannot_be_split_is_a_usage_error(text: str) -> None:
    with pytest.raises(Misuse) as raised:
        words(text, "--validate")
    assert raised.value.option_name == "--validate"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("30m", datetime(2026, 3, 2, 8, 30, tzinfo=UTC)),
        ("2d", datetime(2026, 2, 28, 9, 0, tzinfo=UTC)),
        ("1w", datetime(2026, 2, 23, 9, 0, tzinfo=UTC)),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T10:00+02:00", datetime(2026, 1, 31, 8, 0, tzinfo=UTC)),
    ],
)
def test_a_time_may_be_a_length_a_day_or_an_instant(text: str, at: datetime) -> None:
    assert moment(text, NOW, "--since") == at


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-01-31T10:00", "999999w", "5", ""])
def test_a_text_that_names_no_time_is_a_usage_error(text: str) -> None:
    with pytest.raises(Misuse, match="no time"):
        moment(text, NOW, "--since")


def test_fields_are_read_by_the_type_they_have() -> None:
    typed = [
        "title=Ship: it = now",
        "class=monitor",
        "tags=a, b,,c",
        "watch_only=true",
        'validation={"argv": ["make", "test"]}',
        "reason=",
    ]
    assert assigned(Todo, typed) == {
        "title": "Ship: it = now",
        "todo_class": "monitor",
        "tags": ["a", "b", "c"],
        "watch_only": True,
        "validation": {"argv": ["make", "test"]},
        "reason": None,
    }


def test_a_list_of_nested_values_is_json() -> None:
    assert assigned(Goal, ['acceptance=[{"id": "a1", "text": "T"}]']) == {"acceptance": [{"id": "a1", "text": "T"}]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title", "not field=value"),
        ("=x", "not field=value"),
        ("prioritty=p1", "did you mean priority"),
        ("watch_only=yes", "true or false"),
        ("validation=make test", "written as JSON"),
    ],
)
def test_an_assignment_that_makes_no_sense_is_a_usage_error(text: str, says: str) -> None:
    with pytest.raises(Misuse, match=says) as raised:
        assigned(Todo, [text])
    assert raised.value.option_name == "--set"


def test_items_of_list_fields_are_gathered() -> None:
    assert items(Todo, ["tags=a,b", "depends_on=t-1", "tags=c"], "--add") == {
        "tags": ("a,b", "c"),
        "depends_on": ("t-1",),
    }


@pytest.mark.parametrize("text", ["title=x", "validation=x"])
def test_only_a_list_has_items(text: str) -> None:
    with pytest.raises(Misuse, match="not a list"):
        items(Todo, [text], "--remove")
