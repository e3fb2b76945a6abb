"""Every view in a real browser: at three widths, light and dark, read without a script as well."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.extensions.web.conftest import Api, axe_violations
from tests.extensions.web.test_page import Address, enter, until
from tests.factories.archive import conversation

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.export.stats import Measure
from dejavu.extensions.web.agents_view import agents
from dejavu.extensions.web.conversation_views import exported, listing
from dejavu.extensions.web.conversation_views import reading as pieces
from dejavu.extensions.web.doctor_view import doctor
from dejavu.extensions.web.fleet_view import fleet
from dejavu.extensions.web.usage_view import stats
from dejavu.interfaces.export_formats import Form, file_name
from dejavu.model import (
    InvalidValueError,
    NotFoundError,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
)
from dejavu.sessions import session_store as sessions

_SHOTS = os.environ.get("DEJAVU_SHOTS")  # a folder for pictures, to be looked at
_SIZES = ((360, True), (768, False), (1440, False), (360, False), (768, True), (1440, True))
KEY = "ghp_" + "a8Kd93jfLs02mXq7Tz5bWv1RcYu4NhE6pG0o"
TALK = conversation(
    "talk", "claude", "/home/dev/projects/payments", time.time() - 90_000,
    Turn(role=Role.USER, parts=(Text(f"Why does `retry_budget` never fill? My token is {KEY}."),),
         at=time.time() - 90_000),
    Turn(role=Role.ASSISTANT, model="claude-opus-5-5", at=time.time() - 89_000,
         usage=Usage(input_tokens=91_000, output_tokens=1_200),
         parts=(Reasoning("The counter is reset on each call."),
                ToolCall("t1", "Edit", {"file_path": "/home/dev/projects/payments/src/net/retry.py",
                                        "old_string": "self.budget = 0\nreturn",
                                        "new_string": "self.budget += 1\nreturn"}))),
    Turn(role=Role.TOOL, parts=(ToolCallResponse("t1", "The file was updated."),),
         at=time.time() - 88_000),
    Turn(role=Role.ASSISTANT, model="claude-opus-5-5", at=time.time() - 87_000, parts=(Text(
        "It was reset on each call.\n\n```python\ndef refill(self) -> None:\n"
        "    self.budget = min(self.budget + 1, self.most)  # a comment that is longer than a phone\n"
        "```\n\n| case | before | after |\n|---|---|---|\n| burst | 0 | 3 |\n"),)),
)  # fmt: skip


def reading(*arguments: str) -> str:
    return "".join(pieces(*arguments))


@pytest.fixture
def filled(home: Path, session: Callable[..., Path]) -> Path:
    """An archive with a few conversations, a session file, and a live session of the first."""
    folder = Path(archive_location())
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Archive.open(folder) as archive:
        archive.put(TALK)
        for number in range(60):
            at = time.time() - 86_400.0 * number - 3_600
            turn = Turn(role=Role.USER, parts=(Text(f"Look at the queue, try {number}"),), at=at)
            agent = ("codex", "claude", "opencode")[number % 3]
            archive.put(conversation(f"c{number}", agent, f"/home/dev/api-{number % 4}", at, turn))
        archive.update_index()
    native = home / ".claude" / "projects" / "p" / "one.jsonl"
    native.parent.mkdir(parents=True)
    native.write_text("{}\n")
    os.utime(native, (time.time() - 28 * 86_400,) * 2)
    live = session("20260101-000000-aaaa", "idle", name="payments")
    status = sessions.find("payments").status._replace(conversation=TALK.id)
    sessions.set_status(live, status)
    return live


def test_views_say_what_the_commands_say(filled: Path) -> None:
    figures = stats({}, "/p/x")
    assert "<dd>61</dd>" in figures  # conversations
    assert '<th scope="row">codex</th>' in figures
    assert "style=" not in figures
    assert "<dd>1</dd>" in stats({"workspace": "payments"}, "")
    assert "Tokens a day" in stats({"measure": Measure.TOKENS}, "")
    assert "did you mean &#39;claude&#39;" in stats({"agent": "cluade"}, "")
    assert "is not a time" in stats({"since": "soon"}, "")
    known = agents("/p/x")
    assert known.index("On this machine") < known.index("Claude Code") < known.index("others")
    assert "deletes its history after 30 days" in known
    found = doctor("9.9", "/p/x")
    assert "dejavu 9.9" in found
    assert "Check again" in found


def test_the_query_language_is_the_commands(filled: Path) -> None:
    assert "Nothing found" in listing({"q": "zeppelin role:user"}, "")
    for query in ("que* role:user agent:codex", "role:user agent:codex que"):
        page = listing({"q": query}, "")
        assert "20 turns" in page
        assert "<mark>que" in page
    assert "<mark>retry" in listing({"q": "retry_budget -queue in:payments"}, "")
    assert "unknown agent" in listing({"agent": "cluade"}, "")
    assert "since is after until" in listing({"since": "1d", "until": "2d"}, "")


def test_a_conversation_leaves_as_a_file_without_its_secrets(filled: Path) -> None:
    assert KEY in reading(TALK.id, "1", "")  # the reader shows what the archive holds
    for form, mark in (("html", b"<!doctype html>"), ("md", b"retry_budget"), ("json", b'"turns"')):
        name, data = exported(TALK.id[:6], form)
        assert name == f"claude-{TALK.id}.{form}"
        assert mark in data
        assert KEY.encode() not in data
    hostile = msgspec.structs.replace(TALK, agent='a"/\r\nb', id='../x"\r\nSet-Cookie: a')
    assert file_name(hostile, Form.MD) == "a-b-x-Set-Cookie-a.md"
    with pytest.raises(InvalidValueError, match="there is md, json"):
        exported(TALK.id, "raw")
    with pytest.raises(NotFoundError):
        exported("nobody", "html")


def test_a_session_and_its_conversation_lead_to_each_other(filled: Path) -> None:
    assert f'href="/p/x/conversations/{TALK.id}?page=last"' in fleet("/p/x")
    page = reading(TALK.id, "1", "/p/x")
    assert 'href="/p/x/#s-20260101-000000-aaaa"' in page
    sessions.set_status(filled, sessions.find("payments").status._replace(conversation=None))
    assert "#s-2026" not in reading(TALK.id, "1", "/p/x")


def test_without_a_session_the_first_page_has_the_newest_conversations(filled: Path) -> None:
    assert "Newest conversations" not in fleet("/p/x")
    shutil.rmtree(filled)
    page = fleet("/p/x")
    assert "No agent is running." in page
    assert f'href="/p/x/conversations/{TALK.id}"' in page
    assert 'href="/p/x/conversations"' in page


_VIEWS = {
    "fleet": "", "conversations": "conversations", "search": "conversations?q=queue+try",
    "nothing": "conversations?q=nowhere+to+be+found&since=soon",
    "reader": f"conversations/{TALK.id}", "missing": "conversations/nobody",
    "stats": "stats", "agents": "agents", "doctor": "doctor",
    "memory": "memory?q=why+does+the+retry+budget+never+fill",
}  # fmt: skip


def test_every_view_at_every_width(
    filled: Path, serve: Callable[..., Api], browser: Any, tmp_path: Path
) -> None:
    api = serve("--port", "0")
    enter(browser, api)
    root = api.url.rstrip("/") + browser.value("document.documentElement.dataset.base")
    for name, view in _VIEWS.items():
        browser.open(Address(root + view), scripts=True)
        until(browser, "document.querySelector('nav.views a')?.textContent", "Fleet")
        for number, (width, dark) in enumerate(_SIZES if _SHOTS else _SIZES[:3]):
            browser.resize(width, 1000, dark=dark)
            assert browser.value("document.documentElement.scrollWidth") == width, name
            if number in (0, 2):
                axe_violations(browser)
            if _SHOTS:
                shade = "dark" if dark else "light"
                browser.picture(Path(_SHOTS) / f"{name}-{width}-{shade}.png", whole=width == 360)
        complaints = [text for text in browser.complaints() if "404" not in text]
        assert complaints == [], name
        # And without a script: the same words.
        words = browser.value("document.querySelector('main').innerText")
        if name not in ("fleet", "doctor"):
            browser.open(Address(root + view))
            assert browser.value("document.querySelector('h1').textContent")
            plain = browser.value("document.querySelector('main').innerText")
            assert plain[:300] == words[:300] or name in ("reader", "memory")


def test_a_link_of_a_conversation_chooses_the_card(
    filled: Path, serve: Callable[..., Api], browser: Any
) -> None:
    api = serve("--port", "0")
    enter(browser, api, f"conversations/{TALK.id}")
    until(browser, "document.querySelector('.ways a[href*=\"#s-\"]')?.textContent", "payments")
    browser.value("document.querySelector('.ways a').click()")
    until(browser, "document.getElementById('link')?.textContent", "Live")  # the cards are new ones
    until(browser, "document.activeElement?.dataset.session", "20260101-000000-aaaa")
    browser.value("document.querySelector('.card [data-field=conversation]').click()")
    until(browser, "document.querySelector('h1')?.textContent", TALK.title or TALK.id)


def test_the_file_of_a_conversation_is_saved_not_shown(
    filled: Path, serve: Callable[..., Api]
) -> None:
    api = serve()
    for form in ("html", "md", "json"):
        answer = api.get(f"/conversations/{TALK.id}/export?format={form}")
        assert answer.status == 200
        assert answer.headers["content-disposition"].startswith('attachment; filename="claude-')
        assert KEY.encode() not in answer.body
    assert api.get(f"/conversations/{TALK.id}/export?format=exe").status == 400
    assert api.get("/conversations/nobody/export").status == 404
