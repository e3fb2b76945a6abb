"""Conversations in the browser: found as one types, read in pages, whatever was said in them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.extensions.web.conftest import Api, axe_violations
from tests.extensions.web.test_page import enter, until

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.extensions.web.conversation_views import listing
from dejavu.extensions.web.conversation_views import reading as pieces
from dejavu.model import Conversation, Role, Text, Turn

HOSTILE = '<img src=x onerror="document.title=1">\u202e'


def reading(*arguments: str) -> str:
    return "".join(pieces(*arguments))


def _put(turns: int) -> None:
    said = (
        Turn(
            role=Role.USER if n % 2 == 0 else Role.ASSISTANT,
            parts=(Text(f"word{n} said {HOSTILE}"),),
        )
        for n in range(turns)
    )
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Archive.open(archive_location()) as archive:
        archive.put(
            Conversation(id="a" * 16, agent="codex", workspace="/w/one").with_turns(tuple(said))
        )
        archive.update_index()


def test_pages_of_turns_and_links_to_them(home: Path) -> None:
    assert "None here" in listing({}, "")
    _put(401)
    first, last = reading("aaaa", "1", "/p/x"), reading("aaaa", "last", "/p/x")
    assert 'id="t199"' in first
    assert 'id="t200"' not in first
    assert 'id="t400"' in last
    assert reading("aaaa", "99999999999", "") == reading("aaaa", "1", "")
    hits = listing({"q": "word333"}, "/p/x")
    assert f'href="/p/x/conversations/{"a" * 16}?page=2#t333"' in hits
    assert "<mark>word333</mark>" in hits
    assert "<img" not in first + last + hits
    assert "None here" in listing({"agent": "claude"}, "")


def _type(browser: Any, words: str) -> None:
    box = "document.getElementById('search')"
    browser.value(f"{box}.value = '{words}'; {box}.dispatchEvent(new Event('input'))")


def test_search_as_one_types_and_find_in_the_page(
    home: Path, serve: Callable[..., Api], browser: Any
) -> None:
    _put(401)
    api = serve("--port", "0")
    enter(browser, api, "conversations", width=360, dark=True)
    until(browser, "document.querySelectorAll('.hit').length", 1)
    axe_violations(browser)
    browser.value(
        "(s => {s.value = 'word333'; s.dispatchEvent(new Event('input'))})(document.getElementById('search'))"
    )
    until(browser, "document.querySelector('.hit mark')?.textContent", "word333")
    assert browser.value("document.documentElement.scrollWidth") == 360
    browser.value("document.querySelector('.hit a').click()")
    until(browser, "document.querySelector('#t333 p')?.textContent.startsWith('word333')", True)
    until(browser, "document.getElementById('find')?.hidden", False)
    browser.value(
        "(s => {s.value = 'word2'; s.dispatchEvent(new Event('input'))})(document.getElementById('search'))"
    )
    until(browser, "document.getElementById('found').textContent", "100 found")
    assert browser.value("document.documentElement.scrollWidth") == 360
    axe_violations(browser)
    assert browser.complaints() == []


def test_a_conversation_is_starred_tagged_and_found_by_its_chips(
    archived: list[Conversation], serve: Callable[..., Api], browser: Any
) -> None:
    api = serve("--port", "0")
    enter(browser, api, f"conversations/{archived[1].id}")
    until(browser, "document.getElementById('marks').hidden", False)
    browser.value("document.getElementById('star').click()")
    until(browser, "document.getElementById('star')?.ariaPressed", "true")
    # The page loads again behind a click, and may do so just after the answer was put in place.
    answer = "globalThis.prompt = () => 'Bug', document.querySelectorAll('[data-tag]').length"
    until(browser, f"({answer}) || (document.getElementById('tag')?.click(), 0)", 1)
    enter(browser, api, "conversations?starred=true&tag=bug")
    assert browser.value("document.querySelectorAll('#results .hit').length") == 1
    assert browser.value("document.querySelectorAll('.chips a').length") == 2
    browser.value("document.querySelector('.chips a').click()")
    until(browser, "document.querySelectorAll('.chips a').length", 1)
    assert browser.complaints() == []
