"""A run's question answered in a real Chromium, the run gone on with in another process, and its end on the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.kernel.commands import NewPlan
from loopx.model.plan import Action, ActorKind, PlanStep, RunSettings
from tests.acceptance import chromium
from tests.acceptance.chromium import Browser
from tests.unit.projections.sample import HOSTILE
from tests.web.conftest import Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        chromium.found() is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
    ),
]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def browser(tmp_path: Path, page: Page) -> Iterator[Browser]:
    started = Browser(tmp_path / "profile")
    started.open(page.server.link())
    started.until("location.pathname === '/'")
    yield started
    started.close()


def carried(page: Page, todo: str) -> Any:
    """What ``loopx run`` in a process of its own comes to; the page hears of it as from the daemon."""
    words = [sys.executable, "-m", "loopx", "run", todo, "--json"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "LOOPX_PAGES": "off"}
    done = subprocess.run(words, cwd=page.lab.project.root, env=environ, capture_output=True, text=True, timeout=60)
    page.happen()
    [run] = json.loads(done.stdout)["data"]["runs"]
    return run


def test_a_question_of_a_run_is_answered_on_the_page_and_the_run_goes_on(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    dry = tmp_path / "dry"
    todo = page.lab.todo("Wait for the paint to dry")
    step = PlanStep(id="touch", title="Touch it", action=Action(actor=ActorKind.COMMAND, argv=("cat", str(dry))))
    settings = RunSettings(max_retry_attempts=0, enable_verification=False)
    page.lab.submit(NewPlan(todo=todo, steps=(step,), settings=settings))
    browser.open(page.server.address + f"/todo/{todo}")
    browser.until("document.querySelector('#alive')?.dataset.state === 'live'")
    browser.evaluate("window.mark = 1")
    assert "not begun" in browser.evaluate("document.querySelector('.of-run').innerText")

    [asked] = carried(page, todo)["gates"]
    assert {"retry", "skip", "abort"} <= set(asked["options"])
    browser.until("document.querySelector('.of-run .run-word')?.innerText === 'waits for a person'")
    assert "No such file" in browser.evaluate("document.querySelector('.failure').innerText")

    dry.write_text("yes\n")
    browser.open(page.server.address + "/")
    browser.until("document.querySelector('#alive')?.dataset.state === 'live'")
    browser.evaluate("window.mark = 1")
    form = f'form[data-key="answer-{asked["id"]}"]'
    browser.evaluate(f"document.querySelector('{form}').closest('details').open = true")
    browser.evaluate(f"document.querySelector('#reason-{asked['id']}').focus()")
    browser.ask("Input.insertText", text="It is dry now")
    browser.evaluate(f"document.querySelector('{form} [value=retry]').click()")
    browser.evaluate(f"document.querySelector('{form} [value=approve]').click()")
    browser.until(f"!document.querySelector('#reason-{asked['id']}')")
    commit = page.newest()
    assert commit["subject"].startswith(f"gate: approve {asked['id']}")
    assert (commit["Loopx-Actor"], commit["Loopx-Origin"]) == ("human:Test Person", "page")

    run = carried(page, todo)
    assert (run["state"], run["executions"]) == ("completed", 2)
    browser.until(f"!document.querySelector('[data-key=\"run-{run['run']}\"]')")
    assert "1 done" in browser.evaluate("document.querySelector('.legend').innerText")
    assert browser.evaluate("window.mark") == 1
    browser.open(page.server.address + f"/run/{run['run']}")
    browser.until("document.querySelector('.run-word')?.innerText === 'completed'")
    browser.evaluate("document.querySelector('.one-step details').open = true")
    assert "yes" in browser.evaluate("document.querySelector('.output').innerText")
    assert "not verified" in browser.evaluate("document.querySelector('.one-step .state').innerText")
    assert browser.complaints() == []


def test_what_a_run_says_executes_nothing_and_fits_a_phone(browser: Browser, page: Page) -> None:
    todo = page.lab.todo("Say something")
    said = "\n".join(each.encode("utf-8", "replace").decode().replace("\0", "") for each in HOSTILE)
    title = " ".join(HOSTILE[0].split())
    action = Action(actor=ActorKind.COMMAND, argv=("sh", "-c", 'printf %s "$0"; exit 1', said + "x" * 500))
    step = PlanStep(id="say", title=title, action=action)
    settings = RunSettings(max_retry_attempts=0, enable_verification=False)
    page.lab.submit(NewPlan(todo=todo, objective=title, steps=(step,), settings=settings))
    run = carried(page, todo)
    browser.size(390, 844, is_phone=True)
    for place in ("/", f"/todo/{todo}", f"/run/{run['run']}", f"/gate/{run['gates'][0]['id']}"):
        browser.open(page.server.address + place)
        browser.until("document.querySelector('#alive')?.dataset.state === 'live'")
        browser.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        assert browser.evaluate("document.querySelector('main').innerText.includes('<img')"), place
        assert browser.evaluate("document.body.dataset.pwned") is None
        assert browser.evaluate("document.querySelectorAll('img, iframe, object, script:not([src])').length") == 0
        assert browser.evaluate("document.documentElement.scrollWidth <= 390"), place
        assert browser.complaints() == []
