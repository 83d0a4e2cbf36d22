"""Runs on the live page: one that is carried on, one that asks, one that failed; and what is read how often."""

from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import pytest

from loopx.kernel.commands import AddAgent
from loopx.web.hub import HappeningKind
from loopx.web.runs import run_lines, run_whole
from tests.support.carried import Work
from tests.support.lab import BOT
from tests.web.conftest import Page


@pytest.fixture(scope="module")
def work(page: Page) -> Work:
    """A Todo whose first step never holds before somebody says so."""
    page.lab.submit(AddAgent(agent=BOT.name))
    return Work(page.lab)


def part(text: str, key: str, end: str = "</section>") -> str:
    """What is shown under one key of the page."""
    return text.partition(f'data-key="{key}"')[2].partition(end)[0]


def test_a_run_is_followed_from_its_first_step_to_a_question_an_answer_and_its_end(page: Page, work: Work) -> None:
    seen: list[str] = []
    work.does["one"] = lambda: seen.append(page.see("/").text)
    work.holds = lambda step: step.id != "one"
    work.carry_out()
    running = part(seen[0], "running")
    assert f'href="/run/{work.run}"' in running and "0 of 2 steps done" in running
    assert "<code>one</code> in progress since" in running and "try" not in running
    assert "<code>one</code> in progress since" in part(seen[1], "running") and ", try 2" in part(seen[1], "running")

    overview = page.see("/").text
    gate = work.record().gate
    asked = part(overview, f"gate-{gate}", "</li>")
    assert f'href="/run/{work.run}"' in asked and "loopx run" in asked
    assert 'value="retry"' in asked and ">Do that<" in asked and ">End the run<" in asked
    assert "waits for a person" in part(overview, "waiting")

    assert "plan waiting for human: 0 of 2 steps" in page.see("/board").text
    assert "carry the step out again" in page.see(f"/gate/{gate}").text

    todo = page.see(f"/todo/{work.id}").text
    assert f'href="/gate/{gate}"' in part(todo, f"run-{work.run}")
    assert "recovery pending" in todo and "2 tries" in todo and "evaluation rejected" in todo
    assert ">retry<" in todo and "succeeded" in todo and ">request human<" in todo
    assert "The last lines of its trace" in todo
    assert page.see(f"/run/{work.run}").text.count('data-key="step-') == 2
    assert f'<a href="/run/{work.run}"><code>{work.run}</code></a>' in page.see("/timeline").text

    no = page.do("gate", gate=gate, verb="approve", reason="so", option="perhaps")
    assert (no.status, no.json["code"]) == (422, "option-unknown")
    assert page.do("gate", gate=gate, verb="approve", reason="so", option="retry").status == 200
    assert "was answered and may go on" in part(page.see("/").text, f"run-{work.run}")
    work.holds = lambda step: True
    work.carry_out()
    ended = page.see(f"/run/{work.run}").text
    assert "2 of 2 steps done" in ended and "3 tries" in ended and "verified completed" in ended
    assert f"run-{work.run}" not in page.see("/").text


def test_a_run_that_failed_is_among_what_went_wrong(page: Page, work: Work) -> None:
    failing = Work(page.lab)
    failing.holds = lambda step: False
    failing.carry_out()
    gate = failing.record().gate
    assert page.do("gate", gate=gate, verb="reject", reason="Not worth it").status == 200
    failing.carry_out()
    wrong = part(page.see("/").text, "problems")
    assert f'href="/run/{failing.run}"' in wrong and "failed: " in wrong and "its Todo is blocked" in wrong
    assert f'data-key="failed-{failing.run}"' in page.see("/problems").text
    assert f'href="/run/{failing.run}"' in part(page.see("/").text, "blocked")


def test_of_a_long_run_what_is_not_over_is_told_first_and_its_trace_from_its_end(page: Page, work: Work) -> None:
    state = page.lab.look().state
    now = page.lab.clock.now()
    assert work.run not in {each.id for each in run_lines(state, now) if not each.is_over}
    whole = run_whole(state, state.plan(work.run), now)  # type: ignore[arg-type]
    numbers = [each.number for each in whole.trace]
    assert numbers == list(range(whole.trace_count, whole.trace_count - len(numbers), -1))
    assert page.see("/run/run-nothing").status == 404


def test_a_state_is_surveyed_once_and_again_when_something_falls_due(page: Page, monkeypatch: Any) -> None:
    made: list[object] = []
    survey = type(page.lab.ws).whole_survey

    def counted(workspace: Any, view: Any) -> Any:
        made.append(view.revision)
        return survey(workspace, view)

    monkeypatch.setattr(type(page.lab.ws), "whole_survey", counted)
    with closing(HTTPConnection("127.0.0.1", page.server.port, timeout=60)) as listening:
        listening.request("GET", "/events", headers={"Cookie": page.cookie})
        stream = listening.getresponse()
        assert stream.readline() == b"retry: 2000\n"
        page.lab.todo("Seen once")
        for kind in (HappeningKind.ACCEPTED, HappeningKind.PAGES, HappeningKind.HEALTH):
            page.happen(kind=kind)
            assert page.see("/").status == 200
        assert len(made) == 1
        page.happen(kind=HappeningKind.DUE)
        assert page.see("/").status == 200
        assert len(made) == 2
