import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interfaces.tui.driving import START

from dejavu.interfaces.tui.formatting import (
    ago,
    day_or_time,
    safe,
    searched_for,
    short_path,
)


@given(st.text())
def test_safe_is_one_short_line(text: str) -> None:
    said = safe(text, 40)
    assert len(said) <= 40
    assert not set(said) & set("\n\t\x1b\x9b\u202e")


def test_a_day_is_said_as_short_as_it_may() -> None:
    assert ":" in day_or_time(START - 1, START)
    assert day_or_time(START - 20 * 86400, START).startswith("Oct")
    assert day_or_time(START - 600 * 86400, START).startswith("2025-")
    assert day_or_time(None, START) == day_or_time(1e18, START) == ""


@pytest.mark.parametrize(
    ("seconds", "said"), [(-1, "0s"), (59, "59s"), (60, "1m"), (7200, "2h"), (200000, "2d")]
)
def test_ago(seconds: float, said: str) -> None:
    assert ago(seconds) == said


def test_a_place_is_the_last_folder() -> None:
    assert short_path("/srv/web/") == "web"
    assert short_path("") == "-"


def test_what_is_highlighted_is_what_was_asked_for() -> None:
    found = searched_for('agent:claude "ring buffer" -java tick*')
    assert found is not None
    assert found.findall("a Ring BUFFER ticks in java for claude") == ["Ring", "BUFFER", "tick"]
    assert searched_for("role:user a") is None
