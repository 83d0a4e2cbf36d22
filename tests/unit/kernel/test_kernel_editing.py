"""Editing Todos: fields by name, lists item by item, and what only a person may loosen."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import EditTodo
from loopx.kernel.editing import loosened_fields
from loopx.model.todo import Priority, TodoClass, TodoStatus, Validation
from tests.support.kernel import ANN, BEN, BOT, PYTEST, T1, T2, T3, Desk, config, criterion, edited, facts, goal, todo

GUARDED = todo(
    depends_on=(T2,),
    requires=("production:goal:deploy",),
    validation=PYTEST,
    excluded_agents=("rex",),
    write_scopes=("docs/**", "src/**"),
)


def desk_with(*entities: Any) -> Desk:
    return Desk.of(goal(acceptance=(criterion(),)), *entities, todo(T2, "Draft"), todo(T3, "Review"))


def test_fields_are_set_by_attribute_or_by_their_name_in_the_file() -> None:
    desk = desk_with(todo())
    done = desk.do(EditTodo(todo=T1, fields={"priority": "p0", "class": "user_action", "title": "Write"}))
    assert desk.todo() == todo(title="Write", priority=Priority.P0, todo_class=TodoClass.USER_ACTION)
    assert facts(done)["changed"] == ["title", "todo_class", "priority"]
    assert done.headline == f'todo: edit {T1} "Write"'


def test_none_puts_the_default_back() -> None:
    desk = desk_with(todo(priority=Priority.P0, repository="app"))
    desk.do(EditTodo(todo=T1, fields={"priority": None, "repository": None}))
    assert desk.todo() == todo()


def test_the_same_value_is_no_change() -> None:
    done = desk_with(todo()).do(EditTodo(todo=T1, fields={"title": "Write the guide"}, body=""))
    assert done.changes == ()


def test_lists_change_item_by_item_and_ids_may_be_short() -> None:
    desk = desk_with(todo(tags=("a", "b")))
    desk.do(
        EditTodo(
            todo="t-aaaa",
            add={
                "tags": ("c", "a"),
                "depends_on": ("T-CCCC",),
                "requires": ("Production:goal:x",),
                "acceptance": ("A1",),
            },
            remove={"tags": ("b",)},
            body="More.",
        )
    )
    assert desk.todo() == todo(
        tags=("a", "c"), depends_on=(T3,), requires=("production:goal:x",), acceptance=("a1",), body="More."
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (EditTodo(todo=T1, add={"title": ("x",)}), "field-value"),
        (EditTodo(todo=T1, add={"nothing": ("x",)}), "field-value"),
        (EditTodo(todo=T1, fields={"prioritty": "p0"}), "field-name-unknown"),
        (EditTodo(todo=T1, fields={"status": "done"}), "field-by-command"),
        (EditTodo(todo=T1, fields={"claimed_by": "bot"}), "field-by-command"),
        (EditTodo(todo=T1, fields={"resume_when": "at:2026-01-01T00:00:00Z"}), "field-by-command"),
        (EditTodo(todo=T1, fields={"created_at": None}), "field-machine-owned"),
        (EditTodo(todo=T1, fields={"successors": [T2]}), "field-machine-owned"),
        (EditTodo(todo=T1, fields={"priority": "urgent"}), "field-value"),
        (EditTodo(todo=T1, fields={"tags": "docs"}), "field-type"),
        (EditTodo(todo=T1, fields={"watch_only": "yes"}), "field-type"),
        (EditTodo(todo=T1, fields={"depends_on": ["t-zzzz9999"]}), "todo-unknown"),
        (EditTodo(todo=T1, fields={"requires": ["x"]}), "scope-invalid"),
        (EditTodo(todo=T1, fields={"acceptance": ["zz"]}), "criterion-unknown"),
        (EditTodo(todo=T1, fields={"validation": {"argv": []}}), "field-value"),
        (EditTodo(todo=T1, fields={"expires_at": "2026-01-02"}), "field-value"),
        (EditTodo(todo="t-zzzz9999", fields={}), "todo-unknown"),
    ],
)
def test_what_cannot_be_set_is_refused_by_name(command: EditTodo, code: str) -> None:
    assert desk_with(todo()).no(command).code == code


@pytest.mark.parametrize("typed", ["2026-01-02T03:04:05", "2026-01-02", 5])
def test_L11_a_time_without_an_offset_is_refused(typed: object) -> None:
    refused = desk_with(todo()).no(EditTodo(todo=T1, fields={"expires_at": typed}))
    assert refused.code in ("field-value", "field-type") and refused.facts["field"] == "expires_at"


def test_L11_times_are_ordered_as_instants_whatever_their_offset() -> None:
    desk = desk_with(todo())
    desk.do(EditTodo(todo=T1, fields={"expires_at": "2026-03-02T09:30:00+05:30"}))
    expires = desk.todo().expires_at
    assert expires is not None and expires < desk.now


def test_an_agent_may_change_words_and_add_guards() -> None:
    desk = desk_with(todo())
    desk.do(
        EditTodo(
            todo=T1,
            fields={"title": "Write", "priority": "p1", "validation": {"argv": ["true"]}},
            add={"depends_on": (T2,), "requires": ("other:goal:x",), "excluded_agents": ("rex",), "tags": ("a",)},
            body="More.",
        ),
        BOT,
    )
    assert desk.todo().depends_on == (T2,) and desk.todo().validation == Validation(argv=("true",))


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (EditTodo(todo=T1, remove={"depends_on": (T2,)}), "depends_on"),
        (EditTodo(todo=T1, fields={"depends_on": [T3]}), "depends_on"),
        (EditTodo(todo=T1, fields={"requires": None}), "requires"),
        (EditTodo(todo=T1, fields={"validation": None}), "validation"),
        (EditTodo(todo=T1, fields={"validation": {"argv": ["true"]}}), "validation"),
        (EditTodo(todo=T1, fields={"excluded_agents": []}), "excluded_agents"),
        (EditTodo(todo=T1, add={"write_scopes": ("**",)}), "write_scopes"),
        (EditTodo(todo=T1, fields={"write_scopes": []}), "write_scopes"),
        (EditTodo(todo=T1, fields={"class": "user_action"}), "todo_class"),
    ],
)
def test_only_a_person_loosens_a_guard(command: EditTodo, field: str) -> None:
    desk = desk_with(GUARDED)
    refused = desk.no(command, BOT)
    assert refused.code == "actor-not-permitted" and refused.facts["field"] == field
    desk.do(command, ANN)


def test_with_operators_only_they_loosen() -> None:
    desk = desk_with(config(operators=["Ben"]), GUARDED)
    command = EditTodo(todo=T1, fields={"validation": None})
    assert desk.no(command, ANN).code == "operator-required"
    desk.do(command, BEN)


def test_narrowing_write_scopes_is_no_loosening() -> None:
    assert loosened_fields(GUARDED, edited(GUARDED, write_scopes=("docs/**",))) == []
    assert loosened_fields(todo(), GUARDED) == []


@pytest.mark.parametrize("way", [(T1,), (T2,)])
def test_a_circle_of_dependencies_is_refused_and_named(way: tuple[str, ...]) -> None:
    desk = Desk.of(goal(), todo(), todo(T2, "Draft", depends_on=(T3,)), todo(T3, "Review", depends_on=(T1,)))
    refused = desk.no(EditTodo(todo=T1, add={"depends_on": way}))
    assert refused.code == "dependency-cycle"
    assert refused.facts["cycle"] == ([T1, T1] if way == (T1,) else [T1, T2, T3, T1])


def test_a_circle_by_way_of_a_deferral_is_refused() -> None:
    waiting = todo(T2, "Draft", status=TodoStatus.DEFERRED, resume_when=f"todo_done:{T1}")
    assert Desk.of(goal(), todo(), waiting).no(EditTodo(todo=T1, add={"depends_on": (T2,)})).code == "dependency-cycle"


def test_a_circle_by_way_of_a_replacement_is_refused() -> None:
    replaced = todo(T2, "Draft", status=TodoStatus.SUPERSEDED, superseded_by=(T3,), depends_on=())
    heir = todo(T3, "Review", depends_on=(T1,), supersedes=(T2,))
    refused = Desk.of(goal(), todo(), replaced, heir).no(EditTodo(todo=T1, add={"depends_on": (T2,)}))
    assert refused.facts["cycle"] == [T1, T2, T3, T1]


def test_a_title_somebody_else_has_is_said() -> None:
    done = desk_with(todo()).do(EditTodo(todo=T1, fields={"title": "draft"}))
    assert [each.code for each in done.notices] == ["title-equal"]


def test_the_words_of_closed_work_may_be_corrected_and_its_guards_not() -> None:
    desk = desk_with(edited(GUARDED, status=TodoStatus.DONE))
    desk.do(EditTodo(todo=T1, fields={"title": "Wrote", "tags": ["a"]}, body="It went well."))
    refused = desk.no(EditTodo(todo=T1, fields={"validation": None}))
    assert refused.code == "todo-closed" and refused.facts["field"] == "validation"
