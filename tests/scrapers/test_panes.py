from dejavu.scrapers import read
from dejavu.scrapers.panes import inner_pane
from dejavu.screen import Snapshot

INSIDE = [
    "❯ hello",
    "",
    "● Hi.",
    "",
    "",
    "─" * 58,
    "❯",
    "─" * 58,
    "  ? for shortcuts",
]


def framed(title: str = "") -> Snapshot:
    top = "┌ " + title + " " + "─" * (57 - len(title)) + "┐"
    body = ["│" + row.ljust(59) + "│" for row in INSIDE]
    return Snapshot.from_rows([top, *body, "└" + "─" * 59 + "┘", " keys"], 61)


def test_a_pane_is_read_by_what_stands_inside():
    pane = inner_pane(framed("⠂ Topic"))
    assert pane is not None
    assert pane.snapshot.rows[0].startswith("❯ hello")
    assert pane.snapshot.title == "⠂ Topic"
    assert (pane.top, pane.left) == (1, 1)


def test_regions_are_given_where_they_stand_on_the_whole_screen():
    reading = read("claude", framed())
    assert str(reading.state) == "idle"
    (box,) = [region for region in reading.regions if region.name == "input"]
    assert (box.top, box.bottom, box.left) == (6, 9, 1)


def test_a_printed_buffer_is_read_by_its_rows():
    quoted = [f'        "{row:<60}",' for row in INSIDE]
    printed = ["Buffer {", "    content: [", *quoted, "    ],", "}"]
    pane = inner_pane(Snapshot.from_rows(printed))
    assert pane is not None
    assert pane.snapshot.rows[0].startswith("❯ hello")
    assert (pane.top, pane.left) == (2, 9)


def test_a_plain_screen_has_no_pane():
    assert inner_pane(Snapshot.from_rows(INSIDE)) is None
