"""Untouched bytes stay: whatever hand wrote a document, an edit changes the span of its field and nothing else."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loopx.documents import adopt, compare, edit, emit, merge, normal_body, read
from loopx.documents.editing import alike
from loopx.errors import CATALOGUE
from loopx.model.goal import Boundary, Criterion, Goal, Quota
from loopx.model.todo import Todo
from loopx.model.vision import Vision
from tests.properties.handwriting import TODO, VALUES, Page, line, pages, prose

names = st.sampled_from(list(VALUES))
revision = 'rev: "r-aaaaaaaa"'


def said(data: bytes) -> Todo:
    """The Todo of a document in which nothing is wrong."""
    reading = read(TODO, data)
    assert reading.problems == ()
    assert isinstance(reading.entity, Todo)
    return reading.entity


def same_but(before: Todo, after: Todo, **changed: Any) -> bool:
    """Whether ``after`` says what ``before`` said, but for the fields in ``changed``."""
    wanted = replace(before, **changed)
    return all(alike(wanted, after, each.name) for each in fields(Todo))


def insertion(before: bytes, after: bytes) -> bytes | None:
    """What was put into ``before`` at one place to make ``after``; ``None`` if more than that happened."""
    start = 0
    while start < len(before) and before[start] == after[start]:
        start += 1
    rest = len(before) - start
    tail = after[len(after) - rest :] if rest else b""
    return after[start : len(after) - rest] if tail == before[start:] else None


@settings(max_examples=120)
@given(pages())
def test_a_document_says_what_was_written_into_it(page: Page) -> None:
    found = said(page.data())
    assert {name: getattr(found, name) for name in page.values} == page.values


@settings(max_examples=120)
@given(pages(), names, st.data())
def test_an_edit_changes_its_field_s_lines_and_nothing_else(page: Page, name: str, data: st.DataObject) -> None:
    before = page.data()
    value = data.draw(VALUES[name])
    after = edit(TODO, before, {name: value})
    assert same_but(said(before), said(after), **{name: value})
    if name in page.spans:
        start, end = page.span(name)
        assert after.startswith(before[:start])
        assert after.endswith(before[end:])
    else:
        assert insertion(before, after) is not None


@settings(max_examples=60)
@given(pages(), names)
def test_a_removed_field_takes_its_lines_and_the_comments_right_above(page: Page, name: str) -> None:
    assume(name != "title")
    before = page.data()
    after = edit(TODO, before, {name: None})
    default = {each.name: each.default for each in fields(Todo)}[name]
    assert same_but(said(before), said(after), **{name: default})
    if name not in page.spans:
        assert after is before
        return
    start, end = page.span(name)
    assert after.endswith(before[end:])
    kept = after[: len(after) - (len(before) - end)]
    assert before.startswith(kept)
    gone = before[len(kept) : start].decode()
    assert all(line.startswith("#") for line in gone.splitlines())


@settings(max_examples=60)
@given(pages(), st.lists(names, unique=True, min_size=2, max_size=4), st.data())
def test_fields_changed_together_come_out_as_changed_one_by_one(
    page: Page, chosen: list[str], data: st.DataObject
) -> None:
    before = page.data()
    wanted = {name: data.draw(VALUES[name] if name == "title" else VALUES[name] | st.none()) for name in chosen}
    together = edit(TODO, before, wanted)
    one_by_one = before
    for name, value in wanted.items():
        one_by_one = edit(TODO, one_by_one, {name: value})
    assert compare(said(together), said(one_by_one)) == {}
    assert edit(TODO, together, {name: getattr(said(together), name) for name in chosen}) is together


@settings(max_examples=60)
@given(pages(), st.lists(st.sampled_from(["one", "  two", "", "---", "# three", "x: y"]), max_size=6).map("\n".join))
def test_a_new_body_leaves_the_header_as_it_is(page: Page, body: str) -> None:
    before = page.data()
    after = edit(TODO, before, {"body": body})
    assert same_but(said(before), said(after), body=normal_body(body))
    closing = [number for number, line in enumerate(page.lines) if line == "---"][0 if page.lines[0] != "---" else 1]
    header = "".join(line + end for line, end in zip(page.lines[:closing], page.ends[:closing], strict=True)).encode()
    assert after[3 if page.has_bom else 0 :].startswith(header)


@settings(max_examples=60)
@given(pages())
def test_adoption_only_inserts(page: Page) -> None:
    at = next(number for number, line in enumerate(page.lines) if line.startswith("id:"))
    del page.lines[at], page.ends[at]
    before = page.data()
    assert read(TODO, before).missing == ("id",)
    after = adopt(TODO, before, {"id": "t-4k9x2m7q", "rev": "r-4k9x2m7q"})
    inserted = insertion(before, after)
    assert inserted is not None
    assert inserted.count(b"t-4k9x2m7q") == 1
    found = said(after)
    assert {name: getattr(found, name) for name in page.values} == page.values


todos = st.builds(
    Todo, id=st.just("t-4k9x2m7q"), goal=st.just("beta"), body=st.text(max_size=40).map(normal_body), **VALUES
).filter(lambda todo: "\0" not in todo.body)
texts = st.text(min_size=1, max_size=40).filter(lambda text: not any("\ud800" <= each <= "\udfff" for each in text))
goals = st.builds(
    Goal,
    id=st.just("beta"),
    title=line,
    tags=VALUES["tags"],
    acceptance=st.lists(
        st.builds(
            Criterion,
            id=st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True),
            text=line,
            check=st.none() | st.lists(texts, max_size=3).map(tuple),
        ),
        max_size=3,
        unique_by=lambda item: item.id,
    ).map(tuple),
    quota=st.none() | st.builds(Quota, compute=st.integers(-5, 500)),
    boundary=st.none() | st.builds(Boundary, write_scopes=st.lists(prose, max_size=3).map(tuple)),
)
visions = st.builds(Vision, agent=st.just("codex-1"), goal=st.just("beta"), summary=texts, role_scope=st.none() | texts)


@settings(max_examples=60)
@given(todos)
def test_a_new_todo_is_read_back_as_it_was(entity: Todo) -> None:
    assert said(emit(TODO, entity)) == entity


@settings(max_examples=60)
@given(goals | visions)
def test_new_goals_and_visions_are_read_back_as_they_were(entity: Goal | Vision) -> None:
    path = "goals/beta/goal.md" if isinstance(entity, Goal) else "goals/beta/visions/codex-1.md"
    assert read(path, emit(path, entity)).entity == entity


@settings(max_examples=120)
@given(
    pages(),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from([b"", b":", b"\n", b"'", b"[", b"\t", b"\xff", b"- "]))),
)
def test_a_damaged_document_is_read_or_refused_with_a_place(page: Page, damage: list[tuple[int, bytes]]) -> None:
    text = page.data()
    for at, piece in damage:
        text = text[:at] + piece + text[at + 1 :]
    reading = read(TODO, text)
    assert (reading.bound is None) == bool(reading.problems)
    for problem in (*reading.problems, *reading.warnings):
        assert problem.code in CATALOGUE
        assert problem.place is not None
        assert problem.place.line is not None
        assert 1 <= problem.place.line <= text.count(b"\n") + 1
        assert problem.hint


@settings(max_examples=120)
@given(st.binary(max_size=80))
def test_no_bytes_whatever_make_reading_raise(data: bytes) -> None:
    for path in (TODO, "workspace.yaml", "goals/beta/goal.md"):
        reading = read(path, b"---\n" + data)
        assert (reading.bound is None) == bool(reading.problems)


def with_revision(page: Page) -> bytes:
    """The page as an accepted document, with a revision."""
    return adopt(TODO, page.data(), {"rev": "r-aaaaaaaa"})


@settings(max_examples=60)
@given(pages(), names, st.data())
def test_merging_an_unchanged_edit_gives_the_accepted_version(page: Page, name: str, data: st.DataObject) -> None:
    base = with_revision(page)
    ours = edit(TODO, base, {name: data.draw(VALUES[name]), "rev": "r-bbbbbbbb"})
    assert merge(TODO, base, ours, base).data == ours


@settings(max_examples=60)
@given(pages(), names, st.data())
def test_merging_into_an_unchanged_version_gives_the_edit_but_for_its_revision(
    page: Page, name: str, data: st.DataObject
) -> None:
    base = with_revision(page)
    theirs = edit(TODO, base, {name: data.draw(VALUES[name])})
    ours = base.replace(b"r-aaaaaaaa", b"r-bbbbbbbb")
    assert merge(TODO, base, ours, theirs).data == theirs.replace(b"r-aaaaaaaa", b"r-bbbbbbbb")


@settings(max_examples=120)
@given(pages(), names, names, st.data())
def test_merging_changes_of_two_fields_makes_both(page: Page, one: str, other: str, data: st.DataObject) -> None:
    assume(one != other)
    base = with_revision(page)
    mine, accepted = data.draw(VALUES[one]), data.draw(VALUES[other])
    ours = edit(TODO, base, {other: accepted, "rev": "r-bbbbbbbb"})
    theirs = edit(TODO, base, {one: mine})
    result = merge(TODO, base, ours, theirs)
    assert (result.conflicts, result.machine) == ((), ())
    assert result.data is not None
    assert same_but(said(base), said(result.data), **{one: mine, other: accepted, "rev": "r-bbbbbbbb"})


@settings(max_examples=120)
@given(pages(), names, st.data())
def test_merging_changes_of_one_field_keeps_both_or_names_both(page: Page, name: str, data: st.DataObject) -> None:
    base = with_revision(page)
    mine, accepted = data.draw(VALUES[name]), data.draw(VALUES[name])
    before = getattr(said(base), name)
    result = merge(TODO, base, edit(TODO, base, {name: accepted}), edit(TODO, base, {name: mine}))
    if name in ("tags", "depends_on", "write_scopes"):
        assert result.data is not None
        added, removed = {*mine, *accepted} - {*before}, {*before} - ({*mine} & {*accepted})
        assert set(getattr(said(result.data), name)) == ({*before} - removed) | added
    elif mine == accepted or before in (mine, accepted):
        assert result.data is not None
        assert getattr(said(result.data), name) == (mine if accepted == before else accepted)
    elif result.conflicts:
        assert {each.facts["field"].partition(".")[0] for each in result.conflicts} == {name}
    else:
        assert name == "validation"


@settings(max_examples=60)
@given(pages(), st.sampled_from(["tags", "depends_on", "write_scopes"]), st.data())
def test_merging_sets_comes_out_the_same_whichever_side_is_whose(page: Page, name: str, data: st.DataObject) -> None:
    base = with_revision(page)
    one, other = (edit(TODO, base, {name: data.draw(VALUES[name])}) for _ in range(2))
    there, back = merge(TODO, base, one, other).data, merge(TODO, base, other, one).data
    assert there is not None
    assert back is not None
    assert set(getattr(said(there), name)) == set(getattr(said(back), name))
