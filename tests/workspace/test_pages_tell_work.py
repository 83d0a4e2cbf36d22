"""Pages of a real workspace in which agents work: what they tell, and what a cold look does not pay for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loopx.kernel.commands import (
    AcquireLease,
    AddAgent,
    AddProposal,
    AddTodo,
    CreateHandoff,
    OpenEffect,
    OpenGate,
    OpenTurn,
    SettleEffect,
)
from loopx.model.todo import TodoClass
from tests.support.lab import ANN, BOT, Lab


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent with a lease, an open turn and an effect nobody knows the outcome of; a monitor, a Gate and an offer."""
    lab = Lab.make(tmp_path_factory.mktemp("work") / "lab")
    lab.goal("beta", "Ten people use it")
    lab.submit(AddAgent(agent="bot", goal="beta"))
    guide, demo = lab.todo("Write the guide"), lab.todo("Record the demo")
    lab.submit(AddTodo(goal="beta", title="Watch CI", todo_class=TodoClass.MONITOR, target="ci", cadence="6h"))
    lab.submit(OpenGate(goal="beta", scope="direction:goal:tone", question="Formal or not?"), actor=BOT)
    lab.submit(AcquireLease(todo=guide, key="k-1", write_scopes=("docs/**",)), actor=BOT)
    lab.submit(OpenTurn(goal="beta", todo=guide, lease_key="k-1"), actor=BOT)
    effect = OpenEffect(goal="beta", summary="Upload it", todo=demo, readback="ask the store")
    lab.submit(effect, actor=BOT)
    lab.submit(AddProposal(goal="beta", title="Read aloud"), actor=BOT)
    lab.submit(CreateHandoff(goal="beta", todos=(demo,), next_action="Go on with the second take"), actor=BOT)
    lab.ws.pages.ensure_schemas()
    lab.ws.render(wait=True)
    lab.close()
    return lab.project.root


@pytest.fixture
def busy(made: Path, tmp_path: Path) -> Iterator[Lab]:
    """A copy of :func:`made` for each test."""
    lab = Lab.copied(made, tmp_path / "lab")
    yield lab
    lab.close()


def page(lab: Lab, path: str = "goals/beta.md") -> str:
    return (lab.root / "status" / path).read_text(encoding="utf-8")


def status(lab: Lab) -> Any:
    return json.loads(page(lab, "status.json"))


def test_a_goals_page_tells_the_decision_and_everything_that_is_open(busy: Lab) -> None:
    text = page(busy)
    headings = [line for line in text.splitlines() if line.startswith(("## ", "### bot"))]
    assert headings[2:11] == [
        "## What may happen now",
        "### bot: reconcile",
        "## Owed (1)",
        "## Turns",
        "## Leases (1)",
        "## Monitors (1)",
        "## Effects outside that are not settled (1)",
        "## Handoffs nobody answered (1)",
        "## Proposals (1)",
    ]
    assert "- Why: `effect-unknown`" in text
    assert "loopx effect settle" in text
    assert "  - 5 reconcile: **yes**" in text


def test_the_same_is_there_for_programs(busy: Lab) -> None:
    [goal] = status(busy)["goals"]
    work = goal["work"]
    assert [each["mode"] for each in work["decisions"]] == ["reconcile"]
    assert (work["leases"][0]["owner"], work["turns"][0]["status"], work["monitors"][0]["cadence"]) == (
        "bot",
        "open",
        "6h",
    )
    assert status(busy)["obligations"][0]["kind"] == "reconcile"


def test_work_that_stands_still_for_an_unknown_outcome_is_not_called_runnable(busy: Lab) -> None:
    counts = status(busy)["counts"]
    assert (counts["runnable"], counts["waiting"]) == (
        1,
        2,
    )  # the guide may run; the demo stands still, the monitor is no work
    waiting = {each["title"]: each["why"] for each in status(busy)["waiting"]}
    assert "Record the demo" in waiting
    [effect] = busy.look().state.effects("beta")
    busy.submit(SettleEffect(effect=effect.id, status="absent", evidence=("The store has no such version",)), actor=ANN)
    busy.ws.render(wait=True)
    assert status(busy)["counts"]["runnable"] == 2


def test_a_gate_that_is_told_already_is_not_asked_a_second_time(busy: Lab) -> None:
    needs = [(each["kind"], each["title"]) for each in status(busy)["needs_you"]]
    assert needs == [("gate", "Formal or not?")]


def test_what_a_decision_asks_of_a_person_stands_among_what_needs_them(lab: Lab) -> None:
    lab.goal("beta", "Ten people use it")
    lab.submit(AddAgent(agent="bot", goal="beta"))
    lab.todo("Sign it", capabilities=("signing",))
    lab.ws.render(wait=True)
    [decision] = status(lab)["goals"][0]["work"]["decisions"]
    assert decision["question"]
    asked = [each for each in status(lab)["needs_you"] if each["kind"] == "question"]
    assert [each["title"] for each in asked] == [decision["question"]]
    assert decision["question"][:20] in page(lab, "README.md")


def test_time_alone_moves_no_instant_on_the_page_of_work(busy: Lab) -> None:
    before = page(busy)
    busy.clock.shift += timedelta(minutes=3)
    busy.ws.render(wait=True)
    assert page(busy) == before


def test_pages_of_work_are_what_a_fresh_reading_of_history_gives(busy: Lab) -> None:
    assert busy.ws.doctor().findings == ()


def test_the_page_of_one_goal_made_alone_is_what_it_is_among_all(busy: Lab) -> None:
    busy.goal("gamma", "It is there")
    busy.todo("Something else", goal="gamma")
    busy.todo("Fresh on the page")
    alone = busy.ws.pages.render_goals({"beta"})
    assert alone == ["goals/beta.md"]
    text = page(busy)
    assert "Fresh on the page" in text and "Something else" not in text
    busy.ws.render(wait=True)
    assert page(busy) == text


def test_an_overview_that_is_not_for_pages_decides_nothing(busy: Lab) -> None:
    view = busy.look()
    for full in (False, True):
        survey = busy.ws.survey(view, full=full)
        assert survey.obligations == ()
        assert all(each.work is None for each in survey.goals)


def test_a_page_repaired_too_often_is_owed_to_everybody(busy: Lab) -> None:
    for _ in range(3):
        (busy.root / "status/README.md").write_text("typed")
        busy.ws.repair(actor=ANN)
    assert "status/README.md was repaired 3 times" in page(busy, "problems.md")
    assert "loopx repair --cause" in page(busy, "problems.md")
    busy.ws.repair(actor=ANN, cause="A script wrote there")
    assert "was repaired 3 times" not in page(busy, "problems.md")


def test_deciding_is_not_even_loaded_for_a_cold_overview(busy: Lab) -> None:
    done = busy.project.loopx("status", environment={"PYTHONVERBOSE": "1"})
    loaded = done.err
    assert "loopx.workspace.survey" in loaded
    for module in ("loopx.kernel.decision", "loopx.projections.work_facts", "loopx.workspace.survey_work"):
        assert module not in loaded, f"{module} in {sys.executable}"
