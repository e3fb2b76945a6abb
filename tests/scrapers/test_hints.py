import pytest

from dejavu.scrapers.hints import Hints
from dejavu.scrapers.state import State
from dejavu.screen import Bell, Event, Notification, Progress, Title


def said(*events: Event, at: float = 1.0) -> tuple[str, State] | None:
    hints = Hints()
    for event in events:
        hints.take(event, 1.0)
    hint = hints.best(at)
    return None if hint is None else (hint.source, hint.state)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([Notification("Approval requested: edit a.py")], ("notification", State.BLOCKED)),
        ([Notification("Claude is waiting for your input")], ("notification", State.BLOCKED)),
        ([Notification("Agent turn complete")], ("notification", State.IDLE)),
        ([Notification("Hello")], None),
        ([Progress(3, 0)], ("progress", State.WORKING)),
        ([Progress(3, 0), Progress(0, 0)], None),
        ([Progress(2, 50)], ("progress", State.ERROR)),
        ([Title("⠋ a"), Title("⠙ a")], ("title", State.WORKING)),
        ([Title("⠋ a"), Title("⠋ b")], None),
        ([Title("✳ a"), Title("⠙ a"), Title("✳ a")], None),
        ([Notification("Approval requested"), Progress(1, 5)], ("progress", State.WORKING)),
        ([Title("⠋ a"), Title("⠙ a"), Notification("done")], ("notification", State.IDLE)),
        ([Bell()], None),
    ],
)
def test_what_signals_say(events: list[Event], expected: tuple[str, State] | None):
    assert said(*events) == expected


def test_each_counts_for_a_while_only():
    assert said(Title("⠋"), Title("⠙"), at=3.5) is None
    assert said(Notification("done"), at=12.0) is None
