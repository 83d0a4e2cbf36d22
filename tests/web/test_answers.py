"""Forms of the live page: each is one command by the person, one commit marked as said on the page, one receipt."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import AcquireLease, AddAgent, AddTodo
from loopx.model.todo import Validation
from tests.support.lab import BOT
from tests.web.conftest import Page, saved

PERSON = "human:Test Person"


def test_a_gate_is_approved_by_the_person(page: Page) -> None:
    gate = page.gate(options=("Yes, on Friday", "Later"))
    told = page.do("gate", gate=gate, verb="approve", option="Yes, on Friday", reason="All green", op="op-page-a1").json
    assert told["ok"] and told["text"] == f"Gate {gate} approved." and told["operation"] == "op-page-a1"
    commit = page.newest()
    assert (commit["author"], commit["Loopx-Actor"], commit["Loopx-Origin"]) == ("Test Person", PERSON, "page")
    assert commit["Loopx-Operation"] == "op-page-a1" and told["revision"] == page.lab.git("rev-parse", "HEAD").strip()
    text = page.see(f"/gate/{gate}").text
    assert "All green" in text and "Yes, on Friday" in text and "said in the page" in text


@pytest.mark.parametrize(("verb", "word"), [("reject", "rejected"), ("defer", "put off")])
def test_a_gate_may_be_answered_otherwise(page: Page, verb: str, word: str) -> None:
    gate = page.gate(f"May we {verb}?")
    assert page.do("gate", gate=gate, verb=verb, reason="Not yet").json["text"] == f"Gate {gate} {word}."
    assert page.newest()["Loopx-Origin"] == "page"


def test_an_answer_is_carried_out_once_however_often_it_is_sent(page: Page) -> None:
    fields = {"goal": "beta", "title": "Sent twice", "op": "op-page-twice"}
    first = page.do("add", **fields).json
    head = page.lab.git("rev-parse", "HEAD")
    again = page.do("add", **fields).json
    assert again["ok"] and again["revision"] == first["revision"] and "before" in again["text"]
    assert page.lab.git("rev-parse", "HEAD") == head
    assert page.do("add", **{**fields, "title": "Another"}).json["code"] == "operation-reused"


def test_a_todo_is_added_with_everything_that_was_typed(page: Page) -> None:
    told = page.do(
        "add",
        goal="beta",
        title="Call the printer",
        priority="p1",
        **{"class": "user_action"},
        body="On\r\nMonday 中文",
    ).json
    assert told["ok"]
    todo = next(each for each in page.lab.look().state.todos("beta") if each.title == "Call the printer")
    assert (todo.priority.value, todo.todo_class.value, todo.body.strip()) == ("p1", "user_action", "On\nMonday 中文")
    assert page.newest()["Loopx-Origin"] == "page"


def test_a_priority_is_set(page: Page) -> None:
    todo = page.lab.todo("Sort the shelves")
    assert page.do("priority", todo=todo, priority="p0").json["text"] == f"Todo {todo} is p0 now."
    assert page.lab.todos()[todo].priority.value == "p0"
    assert page.do("priority", todo=todo, priority="p0").json["text"] == f"Todo {todo} needed no change."


def test_a_todo_is_done_when_what_proves_it_passes(page: Page) -> None:
    good = page.lab.submit(AddTodo(goal="beta", title="Good", validation=Validation(argv=("true",)))).receipt.result
    bad = page.lab.submit(AddTodo(goal="beta", title="Bad", validation=Validation(argv=("false",)))).receipt.result
    assert page.do("done", todo=good["id"], note="By hand").json["ok"]
    refused = page.do("done", todo=bad["id"])
    assert (refused.status, refused.json["code"]) == (422, "validation-failed")
    assert page.lab.todos()[bad["id"]].status == "open" and page.lab.todos()[good["id"]].status == "done"


def test_a_refused_edit_is_discarded_and_kept_aside(page: Page) -> None:
    path = page.lab.path_of(page.lab.todo("Water the plants"))
    typed = page.lab.read(path).decode().replace("status: open", "status: nearly")
    saved(page.lab.root / path, typed)
    page.lab.clock.wait(5)
    assert page.do("accept", path=path).json["code"] == "field-value"
    assert page.lab.read(path).decode() == typed
    told = page.do("discard", path=path).json
    assert told["ok"] and ".loopx/local/discarded/" in told["text"]
    kept = told["text"].partition(".loopx/")[2].rstrip(".")
    assert (page.lab.root / kept).read_text() == typed
    assert page.do("discard", path=path).json["code"] == "edit-unknown"


def test_an_edit_that_waits_for_a_word_is_accepted(page: Page) -> None:
    page.lab.goal("guarded")
    todo = page.lab.todo("Guarded", "guarded", requires=("production:goal:deploy",))
    page.lab.submit(AddAgent(agent="bot", goal="guarded"))
    page.lab.submit(AcquireLease(todo=page.lab.todo("In hand", "guarded"), key="bot.1"), BOT)
    page.lab.clock.wait(5)
    path = page.lab.path_of(todo)
    saved(page.lab.root / path, page.lab.read(path).decode().replace("production:goal:deploy", "production:goal:other"))
    page.lab.clock.wait(5)
    page.lab.look()
    assert [each.problems[0].code for each in page.lab.ws.edits() if each.path == path] == ["guard-edit-waits"]
    assert page.do("accept", path=path).json["ok"]
    assert page.lab.todos()[todo].requires == ("production:goal:other",)


def test_a_rollback_is_what_its_packet_showed_or_nothing(page: Page) -> None:
    todo = page.lab.todo("Bake bread")
    before = page.lab.git("rev-parse", "HEAD").strip()
    page.do("priority", todo=todo, priority="p0")
    shown = page.lab.git("rev-parse", "HEAD").strip()
    fields = {"rev": before, "head": shown, "todo": todo, "reason": "Not so urgent"}
    assert page.do("rollback", **fields).json["code"] == "page-request"
    page.lab.todo("Something in between")
    assert page.do("rollback", **fields, confirm="yes").json["code"] == "revision-conflict"
    now = page.lab.git("rev-parse", "HEAD").strip()
    told = page.do("rollback", **{**fields, "head": now}, confirm="yes").json
    assert told["ok"] and "1 document put back" in told["text"]
    assert page.lab.todos()[todo].priority.value == "p2"
    commit = page.newest()
    assert commit["subject"].startswith("rollback:") and commit["Loopx-Origin"] == "page"


def test_an_operation_is_undone(page: Page) -> None:
    told = page.do("add", goal="beta", title="A mistake").json
    todo = next(each.id for each in page.lab.look().state.todos("beta") if each.title == "A mistake")
    assert "A mistake" in page.see(f"/todo/{todo}").text
    fields = {"undone": told["operation"], "head": told["revision"], "reason": "It was one", "confirm": "yes"}
    assert page.do("undo", **fields).json["ok"]
    assert todo not in page.lab.todos()


@pytest.mark.parametrize(
    ("what", "fields", "code"),
    [
        ("gate", {"gate": "g-00000000", "verb": "approve", "reason": "x"}, "gate-unknown"),
        ("gate", {"verb": "approve", "reason": "x"}, "page-request"),
        ("add", {"goal": "beta", "title": "  "}, "page-request"),
        ("add", {"goal": "nowhere", "title": "x"}, "goal-unknown"),
        ("add", {"goal": "beta", "title": "x", "priority": "p9"}, "page-request"),
        ("add", {"goal": "beta", "title": "x", "op": "not an id"}, "usage"),
        ("priority", {"todo": "t-00000000", "priority": "p1"}, "todo-unknown"),
        ("nothing", {}, "page-unknown"),
    ],
)
def test_a_form_that_cannot_be_carried_out_is_refused_with_code_sentence_and_next_step(
    page: Page, what: str, fields: dict[str, str], code: str
) -> None:
    before = page.lab.git("rev-parse", "HEAD")
    answer = page.do(what, **fields)
    assert answer.status >= 400 and answer.json["code"] == code
    assert answer.json["message"] and answer.json["hint"]
    assert page.lab.git("rev-parse", "HEAD") == before


def test_without_a_script_the_receipt_is_a_page_and_a_refusal_keeps_what_was_typed(page: Page) -> None:
    done = page.do("add", accept="text/html", goal="beta", title="By a plain form")
    assert done.status == 200 and "added." in done.text and 'href="/commit/' in done.text
    gate = page.gate("May a plain form ask?", options=("One", "Two"))
    refused = page.do("gate", accept="text/html", gate=gate, verb="approve", reason="Because <b>of</b> it")
    assert refused.status == 422 and "option-missing" in refused.text
    assert "Because &lt;b&gt;of&lt;/b&gt; it" in refused.text


def test_a_large_form_is_not_read(page: Page) -> None:
    assert page.do("add", goal="beta", title="x", body="y" * 600_000).json["code"] == "page-request"


def test_who_an_agent_started_the_page_for_cannot_answer_on_it(page: Page) -> None:
    gate = page.gate("May the agent answer itself?")
    before = page.lab.ws.environ
    page.lab.ws.environ = {**before, "LOOPX_ACTOR": str(BOT)}
    try:
        assert page.do("gate", gate=gate, verb="approve", reason="I say so").json["code"] in (
            "gate-own-question",
            "actor-not-permitted",
        )
    finally:
        page.lab.ws.environ = before
