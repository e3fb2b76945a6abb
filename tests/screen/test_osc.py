from collections.abc import Callable

import pytest

from dejavu.screen import Event, Notification, Progress, PromptMark, Terminal, Title

After = Callable[..., Terminal]


@pytest.mark.parametrize(
    ("body", "events"),
    [
        ("0;both", (Title("both"),)),
        ("2;title;with;semicolons", (Title("title;with;semicolons"),)),
        ("2;", (Title(""),)),
        ("2;" + "x" * 9999, (Title("x" * 4096),)),
        ("1;icon", ()),
        ("9;4;1;50", (Progress(1, 50),)),
        ("9;4;3", (Progress(3, 0),)),
        ("9;4;1;999", (Progress(1, 100),)),
        ("9;4;junk;", (Progress(0, 0),)),
        ("9;hello", (Notification("hello"),)),
        ("9;9;/tmp", ()),
        ("777;notify;head;body", (Notification("head: body"),)),
        ("777;other;x", ()),
        ("133;A", (PromptMark("A", ""),)),
        ("133;D;1", (PromptMark("D", "1"),)),
        ("133;Z", ()),
        ("7;file://host/path", ()),
        ("52;c;aGk=", ()),
        ("22;text", ()),
        ("66;s=2;big", ()),
        ("112", ()),
        ("junk", ()),
        ("", ()),
    ],
)
def test_osc(body: str, events: tuple[Event, ...]) -> None:
    for end in ("\x07", "\x1b\\"):
        assert Terminal(20, 2).feed(f"\x1b]{body}{end}".encode()).events == events


def test_links_cover_the_cells_drawn_under_them(after: After) -> None:
    terminal = after("\x1b]8;id=1;https://e.org/?a;b\x1b\\go\x1b[0mon\x1b]8;;\x1b\\ off")
    (run,) = terminal.snapshot().styles[0]
    assert (run.start, run.end, run.style.link) == (0, 4, "https://e.org/?a;b")


def test_links_are_bounded_but_never_wrong(after: After) -> None:
    terminal = Terminal(80, 3, history=10)
    for number in range(30_000):
        terminal.feed(f"\x1b]8;;https://e.org/{number}\x07x\x1b]8;;\x07".encode())
    assert len(terminal._grid.palette.links) < 10_000
    last = terminal.snapshot().styles[terminal.snapshot().cursor[0]][-1]
    assert last.style.link == "https://e.org/29999"


def test_control_characters_do_not_get_into_titles(after: After) -> None:
    assert after("\x1b]2;a\nb\x00c\x07").snapshot().title == "abc"
