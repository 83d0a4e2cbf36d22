"""What the cache answers about the documents of a revision."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loopx.store.cache import Cache, EntityRow


@pytest.fixture
def cache() -> Iterator[Cache]:
    made = Cache(None)
    yield made
    made.close()


def todo(id: str, goal: str = "beta", **given: object) -> EntityRow:
    """A row of a Todo; its path follows from Goal and id."""
    path, created = f"goals/{goal}/todos/{id}.md", "2026-01-01"
    row = EntityRow("todo", id, goal, path, "b" * 40, "open", "advancement", "p2", id, created, False, "{}")
    return row._replace(**given)


def ids(rows: list[EntityRow]) -> list[str]:
    return [row.id for row in rows]


def test_a_row_comes_back_as_it_went_in(cache: Cache) -> None:
    row = todo("t-1", data='{"é": 1}', entangled=True)
    cache.put_entity(row)
    assert cache.entity("todo", "t-1") == cache.entity("todo", "t-1", "beta") == cache.entity_at(row.path) == row
    assert cache.entity("gate", "t-1") is cache.entity("todo", "t-1", "alpha") is cache.entity_at("nowhere") is None


def test_putting_a_path_again_replaces_its_row_and_what_it_named(cache: Cache) -> None:
    cache.put_entity(todo("t-1"), ["t-8", "t-9", "t-9"])
    cache.put_entity(todo("t-1", status="done"), ["t-9"])
    assert cache.dependants("t-8") == []
    assert cache.dependants("t-9") == ["t-1"]
    assert cache.tally() == {"beta": {"done": 1}}


def test_dropping_a_path_drops_its_row_what_it_named_and_its_count(cache: Cache) -> None:
    cache.put_entity(todo("t-1"), ["t-9"])
    cache.drop_path(todo("t-1").path)
    cache.drop_path("nowhere")
    assert (cache.entity("todo", "t-1"), cache.dependants("t-9"), cache.tally()) == (None, [], {})
    assert cache.plain_open() == {}


def test_entities_are_selected_by_kind_goal_and_status_in_order_of_id(cache: Cache) -> None:
    for row in (todo("t-3"), todo("t-1", "alpha"), todo("t-2", status="done"), todo("g-1", kind="gate")):
        cache.put_entity(row)
    assert ids(cache.select("todo")) == ["t-1", "t-2", "t-3"]
    assert ids(cache.select("todo", "beta")) == ["t-2", "t-3"]
    assert ids(cache.select("todo", "beta", ["open", "blocked"])) == ["t-3"]
    assert cache.select("todo", statuses=[]) == []
    assert ids(cache.select("gate")) == ["g-1"]


def test_a_title_is_found_among_todos_that_are_not_closed(cache: Cache) -> None:
    for n, status in enumerate(["open", "blocked", "deferred", "done", "superseded", "cancelled"]):
        cache.put_entity(todo(f"t-{n}", status=status, title_key="write the guide"))
    cache.put_entity(todo("t-7", "alpha", title_key="write the guide"))
    cache.put_entity(todo("t-8", title_key="another"))
    assert ids(cache.titled("beta", "write the guide")) == ["t-0", "t-1", "t-2"]


def test_dependants_are_todos_each_named_once(cache: Cache) -> None:
    cache.put_entity(todo("t-2"), ["t-1"])
    cache.put_entity(todo("t-3", path="a/copy.md"), ["t-1"])
    cache.put_entity(todo("t-3"), ["t-1"])
    cache.put_entity(todo("g-1", kind="gate"), ["t-1"])
    assert cache.dependants("t-1") == ["t-2", "t-3"]


def test_ids_are_completed_from_their_beginning(cache: Cache) -> None:
    for id in ("t-ab1", "t-ab2", "t-ab3", "t-b", "t-%x"):
        cache.put_entity(todo(id))
    assert cache.matching("todo", "t-ab", 2) == ["t-ab1", "t-ab2"]
    assert cache.matching("todo", "t-%") == ["t-%x"]
    assert cache.matching("gate", "t-") == []
    assert len(cache.matching("todo", "")) == 5


def test_counts_are_kept_by_goal_status_and_entanglement(cache: Cache) -> None:
    cache.put_entity(todo("t-1"))
    cache.put_entity(todo("t-2", entangled=True))
    cache.put_entity(todo("t-3", status="blocked"))
    cache.put_entity(todo("t-4", "alpha"))
    cache.put_entity(todo("g-1", kind="gate"))
    assert cache.tally() == {"beta": {"open": 2, "blocked": 1}, "alpha": {"open": 1}}
    assert cache.plain_open() == {"beta": 1, "alpha": 1}
    assert ids(cache.entangled()) == ids(cache.entangled("beta")) == ["t-2"]
    assert cache.entangled("alpha") == []


def test_the_frontier_is_the_open_todos_by_priority_then_age_then_id(cache: Cache) -> None:
    rows = [
        todo("t-5", priority="p1", created="2026-02-01"),
        todo("t-4", priority="p1", created="2026-01-01"),
        todo("t-3", priority="p0", created="2026-03-01"),
        todo("t-2", "alpha", priority="p1", created="2026-01-01"),
        todo("t-1", priority="p0", status="blocked"),
    ]
    for row in rows:
        cache.put_entity(row)
    assert ids(cache.frontier()) == ["t-3", "t-2", "t-4", "t-5"]
    assert ids(cache.frontier("beta", 2)) == ["t-3", "t-4"]


def test_paths_are_listed_by_kind_in_order(cache: Cache) -> None:
    cache.put_entity(todo("t-2"))
    cache.put_entity(todo("t-1"))
    cache.put_entity(todo("g-1", kind="gate", path="goals/beta/gates/g-1.md"))
    assert cache.paths("todo") == ["goals/beta/todos/t-1.md", "goals/beta/todos/t-2.md"]
    assert cache.paths() == ["goals/beta/gates/g-1.md", *cache.paths("todo")]


def test_one_id_at_two_paths_is_reported_and_the_first_path_serves(cache: Cache) -> None:
    cache.put_entity(todo("t-1", path="goals/beta/todos/z.md"))
    cache.put_entity(todo("t-1", path="goals/beta/todos/a.md"))
    cache.put_entity(todo("t-2"))
    found = cache.entity("todo", "t-1")
    assert found is not None and found.path == "goals/beta/todos/a.md"
    assert cache.duplicates() == [("todo", "beta", "t-1")]


def test_an_id_that_is_a_name_within_its_goal_may_stand_in_two(cache: Cache) -> None:
    for goal in ("alpha", "beta"):
        cache.put_entity(todo("bot", goal, kind="vision", path=f"goals/{goal}/visions/bot.md"))
        cache.put_entity(todo("t-1", goal, path=f"goals/{goal}/todos/t-1.md"))
    assert cache.duplicates() == [("todo", "alpha", "t-1")]
    assert cache.entity("vision", "bot", "beta").goal == "beta"  # type: ignore[union-attr]


def turn(id: str, goal: str = "beta", **given: object) -> EntityRow:
    """A row of a settled Turn of bot; its path follows from Goal and id."""
    path, created = f"goals/{goal}/turns/2026-01-01/{id}.yaml", "2026-01-01T00:00:00Z"
    row = EntityRow("turn", id, goal, path, "b" * 40, "settled", None, None, None, created, False, "{}", "bot")
    return row._replace(**given)


def test_what_belongs_to_somebody_is_found_by_kind_and_goal_in_order_of_id(cache: Cache) -> None:
    rows = [turn("turn-3"), turn("turn-1"), turn("turn-2", "alpha"), turn("turn-4", owner="rex"), turn("turn-5")]
    for row in (*rows[:4], rows[4]._replace(owner=None), todo("t-1", owner="bot")):
        cache.put_entity(row)
    assert ids(cache.owned("turn", "bot")) == ["turn-1", "turn-2", "turn-3"]
    assert ids(cache.owned("turn", "bot", "beta")) == ["turn-1", "turn-3"]
    assert ids(cache.owned("todo", "bot")) == ["t-1"]
    assert cache.owned("turn", "nobody") == cache.owned("lease", "bot") == []


def test_the_latest_are_told_newest_first_and_of_one_instant_by_id(cache: Cache) -> None:
    for n, (day, goal, owner) in enumerate(
        [(2, "beta", "bot"), (1, "beta", "rex"), (2, "alpha", "bot"), (3, "beta", "bot")]
    ):
        cache.put_entity(turn(f"turn-{n}", goal, created=f"2026-01-0{day}T00:00:00Z", owner=owner))
    assert ids(cache.latest("turn")) == ["turn-3", "turn-2", "turn-0", "turn-1"]
    assert ids(cache.latest("turn", "beta")) == ["turn-3", "turn-0", "turn-1"]
    assert ids(cache.latest("turn", owner="bot")) == ["turn-3", "turn-2", "turn-0"]
    assert ids(cache.latest("turn", "beta", owner="rex")) == ["turn-1"]
    assert ids(cache.latest("turn", since="2026-01-02T00:00:00Z", limit=2)) == ["turn-3", "turn-2"]
    assert ids(cache.latest("turn", "beta", owner="bot", since="2026-01-03T00:00:00Z")) == ["turn-3"]
    assert cache.latest("turn", limit=0) == cache.latest("evidence") == []


def test_the_latest_of_kinds_that_seldom_pile_up_can_be_asked_too_and_what_has_no_time_is_not_among_them(
    cache: Cache,
) -> None:
    cache.put_entity(todo("t-1", created="2026-01-01T00:00:00Z"))
    cache.put_entity(todo("t-2", created="2026-01-02T00:00:00Z"))
    cache.put_entity(todo("t-3", created=""))
    assert ids(cache.latest("todo", "beta")) == ["t-2", "t-1"]


def test_whatever_names_an_id_is_found_by_its_kind(cache: Cache) -> None:
    cache.put_entity(turn("turn-2"), ["t-1", "e-1"])
    cache.put_entity(turn("turn-1"), ["t-1"])
    cache.put_entity(todo("t-2"), ["t-1"])
    assert ids(cache.referring("turn", "t-1")) == ["turn-1", "turn-2"]
    assert ids(cache.referring("turn", "e-1")) == ["turn-2"]
    assert ids(cache.referring("todo", "t-1")) == ["t-2"]
    assert cache.referring("turn", "t-9") == []
    cache.drop_path(turn("turn-2").path)
    assert ids(cache.referring("turn", "t-1")) == ["turn-1"]


def test_a_document_that_cannot_be_read_is_noted_by_goal_until_it_is_replaced_or_gone(cache: Cache) -> None:
    first, second = todo("t-1").path, todo("t-2", "alpha").path
    for path in (first, second, "workspace.yaml", first):
        cache.note_unreadable(path)
    assert cache.unreadable() == [second, first, "workspace.yaml"]
    assert cache.unreadable("beta") == [first]
    assert cache.unreadable("be") == []
    cache.put_entity(todo("t-1"))
    cache.drop_path(second)
    assert cache.unreadable() == ["workspace.yaml"]


QUESTIONS = {
    "tally": lambda cache: cache.tally(),
    "plain open": lambda cache: cache.plain_open(),
    "frontier": lambda cache: cache.frontier(),
    "frontier of a goal": lambda cache: cache.frontier("g7"),
    "one entity": lambda cache: cache.entity("todo", "t-00777"),
    "title": lambda cache: cache.titled("g7", "t-00357"),
    "prefix": lambda cache: cache.matching("todo", "t-0077"),
    "folder": lambda cache: cache.blobs_in("goals/g7/todos"),
    "dependants": lambda cache: cache.dependants("t-00001"),
    "owned": lambda cache: cache.owned("lease", "bot"),
    "latest": lambda cache: cache.latest("turn", limit=3),
    "latest of a goal": lambda cache: cache.latest("turn", "g7", limit=3),
    "latest of somebody": lambda cache: cache.latest("turn", owner="bot", limit=3),
    "latest of somebody in a goal": lambda cache: cache.latest("turn", "g7", owner="bot", limit=3),
    "latest since": lambda cache: cache.latest("turn", "g7", since="2026-01-01T09900"),
    "referring": lambda cache: cache.referring("turn", "t-00777"),
    "last change": lambda cache: cache.last_change("g7", ["lease renew"]),
}


@pytest.fixture(scope="module")
def crowded() -> Iterator[Cache]:
    """Ten thousand Todos of fifty Goals, and as many Turns."""
    made = Cache(None)
    made.begin()
    for n in range(10_000):
        goal = f"g{n % 50}"
        made.put_entity(todo(f"t-{n:05}", goal, entangled=n % 40 == 0), [f"t-{n + 1:05}"])
        made.put_entity(turn(f"turn-{n:05}", goal, created=f"2026-01-01T{n:05}"), [f"t-{n:05}", f"e-{n:05}"])
    made.commit()
    yield made
    made.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_about_ten_thousand_todos_scans_no_table(crowded: Cache, question: str) -> None:
    asked: list[str] = []
    crowded._connection.set_trace_callback(asked.append)
    QUESTIONS[question](crowded)
    crowded._connection.set_trace_callback(None)
    plans = [row[3] for text in asked for row in crowded._all(f"EXPLAIN QUERY PLAN {text}")]
    assert plans
    assert [plan for plan in plans if plan.startswith("SCAN") and "INDEX" not in plan and "tally" not in plan] == []


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.startswith(("latest", "referring"))])
def test_a_few_of_ten_thousand_turns_cost_a_few_steps(crowded: Cache, question: str) -> None:
    """Steps of SQLite's machine are counted, so that no clock is asked."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    crowded._connection.set_progress_handler(step, 10)
    QUESTIONS[question](crowded)
    crowded._connection.set_progress_handler(None, 0)
    assert steps < 60


def test_counting_ten_thousand_todos_reads_a_few_rows_a_goal(crowded: Cache) -> None:
    assert sum(counts["open"] for counts in crowded.tally().values()) == 10_000
    assert crowded._first("SELECT count(*) FROM tally")[0] <= 50 * 2
