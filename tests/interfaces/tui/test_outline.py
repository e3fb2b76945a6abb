from collections.abc import Iterator

import pytest
from tests.factories.archive import START

from dejavu.interfaces.tui.archive_reader import Filters, OriginCount
from dejavu.interfaces.tui.outline import PAGE, ConversationRow, Day, Group, More, Outline
from dejavu.model import Conversation

DAY = 86_400.0


def _summaries(count: int, step: float = 60.0) -> list[Conversation]:
    return [
        Conversation(id=f"c{n}", agent="amp", workspace=f"/w/{n % 2}", ended_at=START - n * step)
        for n in range(count)
    ]


class Shelf:
    """Scans that tell how many heads were taken."""

    def __init__(self, summaries: list[Conversation]) -> None:
        self.summaries, self.taken = summaries, 0

    def __call__(self, filters: Filters) -> Iterator[Conversation]:
        for summary in self.summaries:
            if all(
                getattr(summary, "place" if kind == "project" else kind) == name
                for kind, name in filters.items()
            ):
                self.taken += 1
                yield summary


def test_heads_are_taken_in_pages_as_one_comes_near() -> None:
    shelf = Shelf(_summaries(350))
    outline = Outline(shelf)
    outline.by_day({}, START)
    assert shelf.taken == PAGE
    outline.approach(50)
    assert shelf.taken == PAGE
    while outline.approach(len(outline.rows)):
        pass
    assert shelf.taken == 350
    assert [row.summary.id for row in outline.rows if isinstance(row, ConversationRow)] == [
        f"c{n}" for n in range(350)
    ]
    assert outline.total() == (350, False)


def test_days_stand_once_above_their_conversations() -> None:
    outline = Outline(Shelf(_summaries(250, step=DAY / 4)))
    outline.by_day({}, START, at_least=300)
    labels = [row.label for row in outline.rows if isinstance(row, Day)]
    assert labels[:3] == ["Today", "Yesterday", "Last 7 days"]
    assert len(labels) == len(set(labels))
    assert isinstance(outline.rows[0], Day)


def test_places_open_to_instances_and_these_to_conversations() -> None:
    origins = [
        OriginCount("/w/0", "local", "amp", 4, START),
        OriginCount("/w/0", "box", "amp", 2, START - 5),
        OriginCount("/w/1", "local", "amp", 3, START - 9),
    ]
    shelf = Shelf(_summaries(6))
    outline = Outline(shelf)
    outline.by_origin("project", {}, origins, START)
    assert [(row.name, row.conversations) for row in outline.rows if isinstance(row, Group)] == [
        ("/w/0", 6), ("/w/1", 3)
    ]  # fmt: skip
    assert shelf.taken == 0
    outline.toggle(1)
    assert [row.summary.id for row in outline.rows if isinstance(row, ConversationRow)] == [
        "c1",
        "c3",
        "c5",
    ]
    outline.toggle(0)
    names = [row.name for row in outline.rows if isinstance(row, Group)]
    assert names == ["/w/0", "local", "box", "/w/1"]
    outline.toggle(1)
    held = next(n for n, row in enumerate(outline.rows) if isinstance(row, ConversationRow))
    assert outline.parent(held) == 1
    assert outline.parent(1) == 0
    outline.toggle(0)
    assert [row.name for row in outline.rows if isinstance(row, Group)] == ["/w/0", "/w/1"]


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101])
def test_lines_and_rows_agree(count: int) -> None:
    outline = Outline(Shelf(_summaries(count)))
    outline.by_day({}, START)
    lines = outline.top(len(outline.rows))
    assert lines == 2 * min(count, PAGE) + bool(count)
    for line in range(lines):
        at = outline.at(line)
        assert outline.top(at) <= line < outline.top(at + 1)
        assert not isinstance(outline.rows[at], More)


def test_what_is_not_there_is_not_found() -> None:
    outline = Outline(Shelf(_summaries(3)))
    outline.by_day({}, START)
    assert outline.find("c2") == 3
    assert outline.find("c9") is None
