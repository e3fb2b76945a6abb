"""A question to memory in the browser: ranked, marked, linked to its place, judged by keys."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api, axe_violations
from tests.extensions.web.test_page import enter, until
from tests.factories.archive import START, conversation

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_location
from dejavu.extensions.web.memory_view import FEW, memory
from dejavu.model import Role, Text, Turn
from dejavu.recall import Memory
from dejavu.recall.verdicts import precision

DAY = 86_400.0
HOSTILE = '<img src=x onerror="document.title=1">\u202e\x1b[2J'


def _held(name: str, workspace: str, at: float, *said: str) -> None:
    turns = (
        Turn(role=(Role.USER, Role.ASSISTANT)[n % 2], parts=(Text(text),), at=at + n)
        for n, text in enumerate(said)
    )
    with Archive.open(archive_location()) as archive, archive.indexing():
        archive.put(conversation(name, "codex", workspace, at, *turns))


@pytest.fixture
def asked(home: Path) -> None:
    """Two prices of a membership, the newer one replaces the older, and a hostile memory."""
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _held("old", "/w/club", START, "What does a membership cost?",
          f"Membership costs 60 euros a year. {HOSTILE}")  # fmt: skip
    _held("new", "/w/club", START + DAY, "Note the vote on membership",
          "For membership it is 75 euros a year from now on.")  # fmt: skip
    _held("other", "/w/zoo", START, "Paint the fence", "The fence is green.")
    with open_archive(write=True) as archive:
        Memory(archive).remember(f"The membership cost is decided in May {HOSTILE}")


def test_what_was_found_is_marked_and_linked(asked: None) -> None:
    page = memory({"q": "what does the membership cost?"}, "/p/x")
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert '<span class="recalled sure">sure</span>' in page
    assert '<span class="recalled sure">sure</span> memory · confidence 0.5' in page
    assert page.index("75 euros") < page.index("60 euros")
    assert page.count("replaces the answer of <a") == 1
    assert page.count("replaced by the answer of <a") == 1
    assert "?page=1#t1" in page
    assert "fence" not in page
    assert 'role="status">1 memory, 1 sure · 2 exchanges, ' in page
    nothing = memory({"q": "xylophone"}, "")
    assert 'role="status">Nothing recalled for &#39;xylophone&#39;</p>' in nothing
    doubtful = memory({"q": "the fence of the new aquarium building and its opening hours"}, "")
    assert "No certain answer to" in doubtful
    assert '<span class="recalled unsure">unsure</span>' in doubtful


def test_it_asks_nothing_without_a_question_and_says_what_is_not_there(home: Path) -> None:
    assert "A question in your own words" in memory({}, "")
    assert "Nothing was captured yet." in memory({"q": "why?"}, "")


def test_a_project_is_asked_alone(asked: None) -> None:
    words = {"q": "membership fence"}
    assert "60 euros" in memory(words, "")
    there = memory({**words, "project": "zoo"}, "")
    assert "green" in there
    assert "60 euros" not in there
    assert "Project: zoo" in there
    assert "no conversation was held in the project &#39;nowhere&#39;" in memory(
        {**words, "project": "nowhere"}, ""
    )
    assert "is not a folder with conversations" in memory({**words, "workspace": "/nowhere"}, "")


def test_more_is_a_page_away(home: Path) -> None:
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number in range(FEW + 4):
        _held(f"c{number}", "/w/club", START + number, f"Which zeppelin flies to port {number}?",
              f"The zeppelin number {number} flies there.")  # fmt: skip
    page = memory({"q": "zeppelin"}, "/p/x")
    assert page.count('class="hit"') == FEW
    assert 'href="/p/x/memory?q=zeppelin&amp;limit=50"' in page
    whole = memory({"q": "zeppelin", "limit": "50"}, "/p/x")
    assert whole.count('class="hit"') == FEW + 4
    assert ">More<" not in whole


def test_asked_read_and_judged_by_keys(
    asked: None, serve: Callable[..., Api], browser: Any
) -> None:
    api = serve("--port", "0")
    enter(browser, api, "memory", width=390, dark=True)
    until(browser, "document.activeElement?.id", "search")
    box = "document.getElementById('search')"
    browser.value(f"{box}.value = 'what does the membership cost?'; {box}.form.requestSubmit()")
    until(browser, "document.querySelectorAll('.hit').length", 3)
    until(browser, "document.querySelector('[data-id]').hidden", False)
    for width, dark in ((390, True), (390, False), (1440, False)):
        browser.resize(width, 900, dark=dark)
        assert browser.value("document.documentElement.scrollWidth") == width
        axe_violations(browser)
    browser.value("document.activeElement.blur()")
    browser.key("j")
    browser.key("c")
    until(browser, "document.querySelectorAll('.hit output')[0].textContent", "confidence 0.6")
    browser.key("j")
    browser.key("x")
    until(browser, "document.querySelectorAll('.hit output')[1].textContent", "marked as wrong")
    with open_archive() as archive:
        week = precision(archive, 0.0)
        assert (week.memories_right, week.right, week.wrong) == (1, 0, 1)
    browser.key("Enter")
    until(browser, "document.querySelector('#t1 p')?.textContent.includes('75 euros')", True)
    assert browser.value("location.hash") == "#t1"
    assert browser.complaints() == []
