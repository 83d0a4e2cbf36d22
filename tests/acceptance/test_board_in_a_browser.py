"""The board opened from disk in a real Chromium: what it shows, what it filters, and that it obeys no title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from loopx.projections.facts import Survey, TimelineEntry
from loopx.projections.pages import render
from tests.acceptance import chromium
from tests.acceptance.chromium import Browser
from tests.unit.projections.sample import HOSTILE, SMALL, TIMELINE
from tests.unit.projections.surveys import goal, large, survey, todo

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        chromium.found() is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
    ),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


def written(pages: Mapping[str, str], folder: Path) -> str:
    """The address of the board among ``pages``, written below ``folder``."""
    for path, text in pages.items():
        file = folder / "status" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return (folder / "status" / "board.html").as_uri()


def board(folder: Path, shown: Survey = SMALL, timeline: Sequence[TimelineEntry] = TIMELINE) -> str:
    return written(render(shown, timeline), folder)


TITLES = "[...document.querySelectorAll('.cards .card-title')].map(each => each.textContent)"
LANES = "[...document.querySelectorAll('.lane > h2 .number')].map(each => each.textContent)"


def test_the_board_opens_from_disk_with_every_card_and_no_server(tmp_path: Path) -> None:
    document = chromium.dump(board(tmp_path), tmp_path / "profile")
    assert len(re.findall(r'<a class="card-title" data-slot="title" data-todo="t-', document)) == 10
    assert 'html lang="en" class="live"' in document


def test_a_goal_named_in_the_address_is_the_only_one_shown(tmp_path: Path) -> None:
    document = chromium.dump(board(tmp_path) + "#goal=beta", tmp_path / "profile")
    assert len(re.findall(r'data-slot="title" data-todo="t-', document)) == 2
    assert "2 of 10" in document


def test_a_page_is_drawn_without_a_complaint_and_without_a_request(browser: Browser, tmp_path: Path) -> None:
    address = board(tmp_path)
    for view in ("", "#view=goals", "#view=graph", "#view=timeline", "#view=problems", "#todo=t-k0000001"):
        browser.open(address + view)
        assert browser.complaints() == []
        assert {each.partition("#")[0] for each in browser.requests()} <= {address, "about:blank", "data:,"}


def test_hostile_titles_and_texts_are_shown_and_execute_nothing(browser: Browser, tmp_path: Path) -> None:
    todos = [todo(n, title, body=title, reasons=(title,), tags=(title,)) for n, title in enumerate(HOSTILE)]
    shown = survey(goal("reader", HOSTILE[0], todos, objective="\n\n".join(HOSTILE)), title=HOSTILE[1])
    address = board(tmp_path, shown)
    for place in ("", "#q=t", "#view=goals", "#view=graph", *(f"#todo={each.id}" for each in todos)):
        browser.open(address + place)
        assert browser.evaluate("document.title") == HOSTILE[1] + " · LoopX"
        assert browser.evaluate("document.body.dataset.pwned") is None
        assert (
            browser.evaluate("document.querySelectorAll('img, iframe, object, script:not(body > script)').length") == 0
        )
        assert browser.complaints() == []
    browser.open(address)
    assert HOSTILE[0] in browser.evaluate(TITLES)


def test_the_text_filter_reaches_cards_the_page_does_not_show_at_first(browser: Browser, tmp_path: Path) -> None:
    address = board(tmp_path, large(4, 200))
    browser.open(address)
    assert len(browser.evaluate(TITLES)) == 5 * 50
    assert not [each for each in browser.evaluate(TITLES) if "number 799," in each]
    browser.open(address + "#q=number+799")
    assert browser.evaluate(TITLES) == ["Piece of work number 799, with a title of the usual length"]
    assert browser.evaluate(LANES) == ["0 of 267", "1 of 134", "0 of 133", "0 of 133", "0 of 133"]


def test_more_cards_come_when_asked_for_and_their_number_was_told_before(browser: Browser, tmp_path: Path) -> None:
    browser.open(board(tmp_path, large(4, 200)))
    more = "document.querySelector('.runnable .show-more')"
    assert browser.evaluate(f"{more}.textContent") == "217 more"
    browser.evaluate(f"{more}.click()")
    assert browser.evaluate("document.querySelectorAll('.runnable .card').length") == 100
    assert browser.evaluate(f"{more}.textContent") == "167 more"


def test_cards_made_by_the_script_equal_those_the_page_came_with(browser: Browser, tmp_path: Path) -> None:
    browser.open(board(tmp_path))
    cards = "[...document.querySelectorAll('.cards .card')].map(each => each.outerHTML.replace(/\\s*\\n\\s*/g, ''))"
    before = browser.evaluate(cards)
    browser.evaluate("location.hash = '#q=t-k'; 0")
    browser.open(browser.evaluate("location.href"))
    assert browser.evaluate(cards) == before


def test_everything_can_be_reached_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    browser.open(board(tmp_path))
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.dataset.todo") == "t-k0000004"
    browser.press("Enter")
    assert browser.evaluate("document.querySelector('#detail').open")
    assert (
        browser.evaluate("document.querySelector('#detail-title').textContent")
        == "Publish the beta to the mailing list"
    )
    browser.press("Escape")
    browser.until("!location.hash.includes('todo=')")
    assert browser.evaluate("document.activeElement.dataset.todo") == "t-k0000004"
    browser.press("/")
    for key in "fonts":
        browser.press(key)
    assert browser.evaluate(TITLES) == ["Ship fonts for Chinese and Arabic"]
    browser.press("Escape")
    assert len(browser.evaluate(TITLES)) == 10


@pytest.mark.parametrize("place", ["", "#goal=reader"])
def test_the_focus_comes_back_to_the_card_that_was_opened(browser: Browser, tmp_path: Path, place: str) -> None:
    browser.open(board(tmp_path) + place)
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        browser.press(key)
    assert browser.evaluate("document.querySelector('#detail').open")
    browser.evaluate("document.querySelector('.sheet dd a').click()")
    browser.press("Escape")
    browser.until("!location.hash.includes('todo=')")
    assert not browser.evaluate("document.querySelector('#detail').open")
    assert browser.evaluate("document.activeElement.dataset.todo") == "t-k0000003"


def test_going_back_closes_the_todo_and_then_leaves_the_view(browser: Browser, tmp_path: Path) -> None:
    browser.open(board(tmp_path))
    browser.evaluate("document.querySelector('.views [data-view=goals]').click()")
    click = "new MouseEvent('click', {bubbles: true, cancelable: true})"
    browser.evaluate(f"document.querySelector('.node[data-todo]').dispatchEvent({click})")
    assert browser.evaluate("document.querySelector('#detail').open")
    browser.evaluate("history.back(); new Promise(done => addEventListener('popstate', () => setTimeout(done)))")
    assert not browser.evaluate("document.querySelector('#detail').open")
    assert not browser.evaluate("document.querySelector('#view-goals').hidden")
    browser.evaluate("history.back(); new Promise(done => addEventListener('popstate', () => setTimeout(done)))")
    assert browser.evaluate("document.querySelector('#view-goals').hidden")


def test_a_todo_opens_with_its_text_and_what_it_waits_for(browser: Browser, tmp_path: Path) -> None:
    address = board(tmp_path)
    browser.open(address + "#todo=t-k0000001")
    sheet = "document.querySelector('.sheet')"
    assert browser.evaluate(f"{sheet}.querySelector('.body em').textContent") == "last writer wins"
    assert browser.evaluate(f"{sheet}.querySelector('.body a').getAttribute('href')") == "../goals/reader/notes.md"
    browser.open(address + "#todo=t-k0000004")
    browser.evaluate(f"{sheet}.querySelector('dd a').click()")
    assert browser.evaluate("new URLSearchParams(location.hash.slice(1)).get('todo')") == "t-k0000003"
    assert browser.evaluate(f"{sheet}.querySelector('h2').textContent") == "Keep the last fifty articles on the device"


def test_nothing_is_wider_than_a_phone_but_what_scrolls_by_itself(browser: Browser, tmp_path: Path) -> None:
    long = survey(goal("reader", "x" * 500, [todo(1, "y" * 500)], objective="z" * 500), title="w" * 500)
    browser.size(390, 844, is_phone=True)
    for name, shown in (("small", SMALL), ("long", long)):
        address = board(tmp_path / name, shown)
        for view in ("", "#view=goals", "#view=graph", "#view=timeline", "#view=problems", "#todo=t-k0000001"):
            browser.open(address + view)
            assert browser.evaluate("document.documentElement.scrollWidth") == 390, (name, view)


def test_a_page_is_light_or_dark_as_the_person_prefers(browser: Browser, tmp_path: Path) -> None:
    browser.size(1360, 900)
    seen = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(board(tmp_path))
        seen[scheme] = browser.picture()
        back, text = (
            browser.evaluate(f"getComputedStyle(document.body).{each}").strip("rgb()").split(", ")
            for each in ("backgroundColor", "color")
        )
        assert abs(int(back[0]) - int(text[0])) > 180
    assert seen["light"] != seen["dark"]


def test_without_script_everything_stands_below_one_another(tmp_path: Path) -> None:
    pages = render(SMALL, TIMELINE)
    still = stopped(pages["board.html"])
    address = written({"board.html": still}, tmp_path)
    document = chromium.dump(address, tmp_path / "profile")
    assert 'class="live"' not in document
    assert not re.search(r'<section id="view-\w+" class="view"[^>]* hidden', document)


def stopped(page: str) -> str:
    """``page`` with its script changed by one byte, so that its own security policy stops it."""
    return page.replace('"use strict";', '"use strict"; ', 1)
