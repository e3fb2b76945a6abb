from pathlib import Path

from dejavu.sessions.observer.capture_policy import first_screen_notice


def test_it_is_said_once(home: Path) -> None:
    first = first_screen_notice("amp")
    assert str(home) in first
    assert "--screen" in first
    assert first_screen_notice("amp") == ""
