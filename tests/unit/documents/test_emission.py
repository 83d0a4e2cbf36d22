"""New documents: their one form, and values every reader of YAML takes for the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from ruamel.yaml import YAML

from loopx.documents import emit, read
from loopx.documents.notation import double_quoted, is_plain
from loopx.model.entities import Entity
from loopx.model.gate import Gate, GateStatus
from loopx.model.goal import Boundary, Criterion, Goal, Participant, Quota, Readback
from loopx.model.records import (
    Channel,
    Completion,
    CompletionLog,
    DecisionLog,
    Evidence,
    EvidenceKind,
    EvidenceResult,
    GateDecision,
)
from loopx.model.todo import Todo, Validation
from loopx.model.vision import Vision
from loopx.model.workspace import AgentEntry, Policies, ToolEntry, WorkspaceConfig
from tests.unit.documents.pages import GATE, GOAL, TODO, VISION, WORKSPACE

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

TRICKY = [
    "plain words",
    "yes",
    "No",
    "on",
    "Off",
    "y",
    "true",
    "NULL",
    "~",
    "12",
    "007",
    "1e5",
    "61e9540",
    "0x1F",
    "0o7",
    "1_000",
    "12:30:00",
    "190:20:30",
    ".inf",
    ".5",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "a: b",
    "a:",
    ": a",
    "a #b",
    "#a",
    "- a",
    "-",
    "--- a",
    "...",
    "[a]",
    "{a}",
    "a, b]",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "'a'",
    '"a"',
    "it's",
    'say "hi"',
    "back\\slash",
    "<<",
    "=",
    "?",
    "? a",
    " lead",
    "trail ",
    "tab\there",
    "测试，标题",
    "emoji \U0001f600",
    "nbsp\u00a0",
    "nel\u0085",
    "ls\u2028ps\u2029",
    "bom\ufeff",
    "x" * 300,
    "word " * 50 + "end",
    "production:goal:*",
    "null and void",
]


def loaded(text: str, version: tuple[int, int]) -> Any:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = version
    return yaml.load(text)


@pytest.mark.parametrize("value", TRICKY)
@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
def test_a_title_is_the_same_text_to_readers_of_yaml_1_1_and_1_2(value: str, version: tuple[int, int]) -> None:
    # The library takes NEL and the Unicode separators for breaks; escaped they are read alike, which is the point.
    goal = Goal(id="beta", title="x", tags=(value,), acceptance=(Criterion(id="a1", text=value),))
    header = emit(GOAL, goal).decode().split("---\n")[1]
    found = loaded(header, version)
    assert found["tags"] == [value]
    assert found["acceptance"] == [{"id": "a1", "text": value}]


@pytest.mark.parametrize("value", TRICKY)
def test_what_is_written_is_read_back(value: str) -> None:
    entity = Todo(id="t-4k9x2m7q", title=value, tags=(value,), reason=value, goal="beta", body=value.strip())
    assert read(TODO, emit(TODO, entity)).entity == entity


def test_a_new_todo_has_its_one_form() -> None:
    entity = Todo(
        id="t-4k9x2m7q",
        rev="r-8h2k4n6p",
        title="Write the guide",
        tags=("docs", "on"),
        depends_on=("t-aaaaaaaa",),
        validation=Validation(argv=("pytest", "-q"), timeout_seconds=60),
        created_at=AT,
        goal="beta",
        body="First line\n\nlast line",
    )
    assert emit(TODO, entity).decode() == (
        "---\n"
        "# yaml-language-server: $schema=../../../local/schemas/todo.schema.json\n"
        'id: "t-4k9x2m7q"\n'
        'rev: "r-8h2k4n6p"\n'
        "title: Write the guide\n"
        "status: open\n"
        "class: advancement\n"
        "priority: p2\n"
        "tags:\n"
        "  - docs\n"
        '  - "on"\n'
        "depends_on:\n"
        '  - "t-aaaaaaaa"\n'
        "validation:\n"
        "  argv:\n"
        "    - pytest\n"
        '    - "-q"\n'
        "  timeout_seconds: 60\n"
        'created_at: "2026-01-02T03:04:05Z"\n'
        "---\n"
        "\n"
        "First line\n"
        "\n"
        "last line\n"
    )


def test_a_record_is_yaml_alone_with_its_entries_below_one_another() -> None:
    entity = CompletionLog(
        todo="t-4k9x2m7q",
        goal="beta",
        entries=(
            Completion(at=AT, by="human:Ann", operation="op-1", evidence=("e-4k9x2m7q",), validated=True),
            Completion(at=AT, by="agent:codex-1", operation="op-2", note="two\nlines"),
        ),
    )
    assert emit("goals/beta/completions/t-4k9x2m7q.yaml", entity).decode() == (
        "# yaml-language-server: $schema=../../../local/schemas/completion.schema.json\n"
        'todo: "t-4k9x2m7q"\n'
        "entries:\n"
        '  - at: "2026-01-02T03:04:05Z"\n'
        "    by: human:Ann\n"
        '    operation: "op-1"\n'
        "    evidence:\n"
        '      - "e-4k9x2m7q"\n'
        "    validated: true\n"
        '  - at: "2026-01-02T03:04:05Z"\n'
        "    by: agent:codex-1\n"
        '    operation: "op-2"\n'
        "    note: |-\n"
        "      two\n"
        "      lines\n"
    )


@pytest.mark.parametrize(
    ("path", "entity"),
    [
        (
            GOAL,
            Goal(
                id="beta",
                title="x",
                acceptance=(
                    Criterion(id="a1", text="t", check=("a", "b c"), readback=Readback(source="s", fresh_for="6h")),
                ),
                boundary=Boundary(repositories=("r",), write_scopes=("src/**",)),
                quota=Quota(compute=0),
                agents=(Participant(id="codex-1", role_scope="a\n\nb\n", capabilities=("c",)), Participant(id="b")),
            ),
        ),
        (GOAL, Goal(id="beta", title="x", boundary=Boundary(), quota=Quota())),
        (GATE, Gate(id="g-4k9x2m7q", scope="production:goal:*", question="q?", options=("yes", "no"), goal="beta")),
        (
            VISION,
            Vision(agent="codex-1", summary="a: b\n\n  c #d\n", role_scope=" lead", dreaming="e\n\n", goal="beta"),
        ),
        (VISION, Vision(agent="codex-1", summary="a\n", last_patch="b \n c", replan_trigger="\tc\nd", goal="beta")),
        (
            WORKSPACE,
            WorkspaceConfig(
                version=1,
                id="w-4k9x2m7q",
                title="x",
                operators=("ann@example.org",),
                agents=(AgentEntry(id="codex-1", capabilities=("a",)),),
                tools=(ToolEntry(name="make", argv=("make", "-j: 2")), ToolEntry(name="yes", argv=("sh", "x y"))),
                models=("small", "007"),
                policies=Policies(mass_deletion_share=1e-05, lock_timeout_seconds=1e22),
            ),
        ),
        (
            "goals/beta/decisions/g-4k9x2m7q.yaml",
            DecisionLog(
                gate="g-4k9x2m7q",
                goal="beta",
                entries=(
                    GateDecision(
                        status=GateStatus.APPROVED,
                        at=AT,
                        by="human:Ann Lee",
                        operation="op-1",
                        reason="because: yes",
                        channel=Channel.TERMINAL,
                        scope="production:goal:*",
                        inputs="61e9540",
                    ),
                ),
            ),
        ),
        (
            "goals/beta/evidence/2026-01-02/e-4k9x2m7q.yaml",
            Evidence(
                id="e-4k9x2m7q",
                kind=EvidenceKind.VALIDATION,
                subject="t-4k9x2m7q",
                source="loopx:validation",
                observed_at=AT,
                result=EvidenceResult.PASSED,
                summary="\x1b[31mred\x1b[0m\nand more\r\n",
                argv=("", "-q", "\x00"),
                exit_status=-9,
                artifact_revision="0123456",
                goal="beta",
            ),
        ),
    ],
)
def test_every_kind_of_document_is_read_back_as_it_was(path: str, entity: Entity) -> None:
    reading = read(path, emit(path, entity))
    assert reading.problems == ()
    assert reading.warnings == ()
    assert reading.entity == entity


def test_ids_are_always_quoted_and_words_are_not() -> None:
    text = emit(TODO, Todo(id="t-4k9x2m7q", title="x", claimed_by="ann", acceptance=("a1",), goal="beta")).decode()
    assert 'claimed_by: "ann"' in text
    assert '  - "a1"' in text
    assert "title: x\n" in text


@pytest.mark.parametrize(
    "text", ["a", "Fix the C# code", "a:b", "see [1] (x), {y}", 'don\'t "panic"', "a - b", "Über 5%"]
)
def test_ordinary_prose_needs_no_quotes(text: str) -> None:
    assert is_plain(text)


def test_quotes_escape_what_cannot_stand_in_a_line() -> None:
    assert double_quoted('a"b\\c\nd\te\x07\u2028\ufeff') == '"a\\"b\\\\c\\nd\\te\\x07\\u2028\\ufeff"'
