"""Adding Todos: equal titles, references, fresh ids."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo
from loopx.kernel.context import Context
from loopx.kernel.decide import decide
from loopx.kernel.outcome import Accepted
from loopx.model.actor import Origin
from loopx.model.goal import GoalStatus
from loopx.model.todo import Priority, TodoClass, TodoStatus, Validation
from tests.support.kernel import ANN, BOT, T1, T2, Desk, criterion, facts, goal, todo


def test_an_added_todo_holds_what_was_asked() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(T2, "Draft"))
    done = desk.do(
        AddTodo(
            goal="BETA",
            title="  Write the guide ",
            priority=Priority.P0,
            todo_class=TodoClass.USER_ACTION,
            depends_on=("t-bbbb",),
            requires=("Production:Goal:Deploy",),
            acceptance=("A1",),
            validation=Validation(argv=("true",)),
            tags=("docs",),
            body="For beginners.",
        ),
        BOT,
    )
    made = desk.todo(facts(done)["id"])
    assert made.title == "Write the guide" and made.priority is Priority.P0
    assert made.depends_on == (T2,) and made.requires == ("production:goal:Deploy",) and made.acceptance == ("a1",)
    assert (made.goal, made.body, made.created_at) == ("beta", "For beginners.", desk.now)
    assert done.headline == f'todo: add {made.id} "Write the guide"'
    assert facts(done)["added"] is True


def test_an_equal_title_still_open_is_the_same_todo() -> None:
    desk = Desk.of(goal(), todo())
    done = desk.do(AddTodo(goal="beta", title="ＷRITE   the  Guide"))
    assert facts(done) == {"id": T1, "added": False} and done.changes == ()


def test_an_equal_title_that_is_closed_or_elsewhere_is_another_todo() -> None:
    desk = Desk.of(goal(), goal("gamma"), todo(status=TodoStatus.DONE), todo(T2, goal="gamma"))
    assert facts(desk.do(AddTodo(goal="beta", title="Write the guide")))["added"] is True


def test_a_todo_needs_a_goal_that_takes_work() -> None:
    desk = Desk.of(goal(status=GoalStatus.STOPPED), goal("gamma", status=GoalStatus.CLOSED), goal("delta"))
    assert desk.no(AddTodo(goal="beta", title="x")).code == "goal-closed"
    assert desk.no(AddTodo(goal="gamma", title="x")).code == "goal-closed"
    assert desk.no(AddTodo(goal="delt4", title="x")).facts["nearest"] == "delta"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"title": " "}, "field-missing"),
        ({"title": "a\nb"}, "field-value"),
        ({"tags": ("",)}, "field-missing"),
        ({"depends_on": ("t-zzzz9999",)}, "todo-unknown"),
        ({"acceptance": ("a2",)}, "criterion-unknown"),
        ({"requires": ("deploy",)}, "scope-invalid"),
        ({"requires": ("production:goal",)}, "scope-invalid"),
        ({"requires": ("production:country:x",)}, "scope-invalid"),
        ({"requires": ("magic:goal:x",)}, "scope-invalid"),
        ({"requires": ("production:goal:a b",)}, "scope-invalid"),
        ({"validation": Validation(argv=())}, "field-value"),
        ({"validation": Validation(argv=("true",), timeout_seconds=0)}, "field-value"),
    ],
)
def test_what_a_todo_names_must_be_there(fields: dict[str, object], code: str) -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(T2, "Draft"))
    assert desk.no(AddTodo(**{"goal": "beta", "title": "Write", **fields})).code == code  # type: ignore[arg-type]


class Stuck:
    """A source of ids that repeats itself ``times`` before it goes on."""

    def __init__(self, times: int) -> None:
        self.left = times

    def fresh(self, prefix: str) -> str:
        self.left -= 1
        return f"{prefix}-aaaa1111" if self.left >= 0 else f"{prefix}-ffff0000"


def test_B08_an_id_that_is_taken_is_drawn_again() -> None:
    desk = Desk.of(goal(), todo())
    context = Context(ANN, Origin.COMMAND, "op-1", desk.now, Stuck(3))
    done = decide(desk.state, AddTodo(goal="beta", title="Another"), context)
    assert isinstance(done, Accepted) and facts(done)["id"] == "t-ffff0000"


def test_B08_an_id_of_the_past_is_never_given_again() -> None:
    desk = Desk.of(goal())
    desk.known_ids.add(T1)
    context = Context(ANN, Origin.COMMAND, "op-1", desk.now, Stuck(1))
    done = decide(desk.state, AddTodo(goal="beta", title="Another"), context)
    assert isinstance(done, Accepted) and facts(done)["id"] == "t-ffff0000"


def test_B08_a_source_that_only_repeats_itself_is_our_bug() -> None:
    desk = Desk.of(goal(), todo())
    with pytest.raises(LoopxError) as raised:
        decide(
            desk.state,
            AddTodo(goal="beta", title="Another"),
            Context(ANN, Origin.COMMAND, "op-1", desk.now, Stuck(10**6)),
        )
    assert raised.value.code == "ids-exhausted"
