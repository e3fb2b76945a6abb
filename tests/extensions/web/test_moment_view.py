"""The page of a conversation at one of its turns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.extensions.web.conftest import Api, axe_violations
from tests.extensions.web.test_page import enter, until

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.extensions.web.moment_view import moment
from dejavu.model import Conversation, NotFoundError, Role, Text, ToolCall, Turn

ID = "b" * 16
HOSTILE = '<img src=x onerror="document.title=1">\u202e'


@pytest.fixture
def told(home: Path) -> None:
    """Ten turns, one a minute; the fourth calls a tool that never answered."""
    turns = [
        Turn(role=Role.USER if n % 2 == 0 else Role.ASSISTANT, at=1e9 + 60 * n,
             parts=(Text(f"word{n} {HOSTILE}"),))
        for n in range(10)
    ]  # fmt: skip
    call = ToolCall(id="c1", name="Write", arguments={"file_path": "/w/a.py", "content": "x\n"})
    turns[3] = Turn(role=Role.ASSISTANT, at=1e9 + 180, parts=(call,))
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Archive.open(archive_location()) as archive:
        archive.put(Conversation(id=ID, agent="claude", workspace="/w").with_turns(tuple(turns)))


def test_a_turn_shows_what_was_so_then(told: None) -> None:
    page = moment(ID, "4", "")
    assert "Turn 4 of 10" in page
    assert (
        "4 turns so far; all still in the model&#39;s context. State unknown: Write was still"
        in page
    )
    assert "/w/a.py" in page
    assert ("word2" in page, "word4" in page) == (True, False)
    assert "<img" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    ("turn", "shown"), [("0", 1), ("", 10), ("99", 10), ("x", 10), ("9" * 12, 10)]
)
def test_any_number_is_a_turn(told: None, turn: str, shown: int) -> None:
    assert f"Turn {shown} of 10" in moment(ID, turn, "")


def test_there_must_be_a_conversation(told: None) -> None:
    with pytest.raises(NotFoundError):
        moment("zzzz", "1", "")


def test_the_slider_moves_through_the_turns(
    told: None, serve: Callable[..., Api], browser: Any
) -> None:
    enter(browser, serve("--port", "0"), f"conversations/{ID}/at")
    slider = "document.getElementById('turn')"
    until(browser, f"{slider} && {slider}.labels[0].textContent.split(',')[0]", "Turn 10 of 10")
    browser.value(f"{slider}.value = 3; {slider}.dispatchEvent(new Event('change'))")
    until(browser, f"{slider} && {slider}.labels[0].textContent.split(',')[0]", "Turn 3 of 10")
    axe_violations(browser)
    until(browser, "document.readyState", "complete")
    browser.value(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'l', bubbles: true}))"
    )
    until(browser, f"{slider} && {slider}.labels[0].textContent.split(',')[0]", "Turn 4 of 10")
