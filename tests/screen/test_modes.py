from collections.abc import Callable

import pytest

from dejavu.screen import Cleared, Terminal

After = Callable[..., Terminal]


def _rows(terminal: Terminal) -> list[str]:
    return [row.rstrip() for row in terminal.snapshot().rows]


def test_1049_saves_and_restores_the_cursor_and_clears(after: After) -> None:
    terminal = after("main\x1b[?1049h\x1b[Halt")
    assert _rows(terminal)[0] == "alt"
    terminal.feed(b"\x1b[5;5H\x1b[?1049l")
    assert (_rows(terminal)[0], terminal.snapshot().cursor) == ("main", (0, 4))
    terminal.feed(b"\x1b[?1049h")
    assert _rows(terminal) == [""] * 5


@pytest.mark.parametrize("mode", ["47", "1047"])
def test_the_other_ways_to_the_alternate_screen(after: After, mode: str) -> None:
    terminal = after(f"main\x1b[?{mode}h\r\nalt")
    assert terminal.snapshot().alternate
    terminal.feed(f"\x1b[?{mode}l".encode())
    assert not terminal.snapshot().alternate
    assert _rows(terminal)[:2] == ["main", ""]
    assert terminal.snapshot().cursor == (1, 3)


def test_margins_belong_to_their_screen(after: After) -> None:
    terminal = after("\x1b[2;3r\x1b[?1049h\x1b[5;1H\n\x1b[?1049l\x1b[1;1Ha\r\nb\r\nc\r\nd\r\ne")
    assert _rows(terminal) == ["a", "d", "e", "", ""]


def test_cursor_visibility(after: After) -> None:
    assert after("").snapshot().cursor_visible
    assert not after("\x1b[?25l").snapshot().cursor_visible


def test_full_reset(after: After) -> None:
    terminal = after("a\r\nb\r\n\x1b[?1049h\x1b[31m\x1b(0\x1b[2;3r\x1b]0;t\x07", lines=2)
    changes = terminal.feed(b"\x1bcq")
    assert Cleared() in changes.events
    assert len(terminal.history) == 0
    fresh = after("q", lines=2)
    assert terminal.snapshot() == fresh.snapshot()


def test_soft_reset_keeps_the_text(after: After) -> None:
    terminal = after("text\x1b[4h\x1b[?7l\x1b[?6h\x1b[2;3r\x1b(0\x1b[1m\x1b[?25l\x1b[!p")
    terminal.feed(b"\x1b[5;1Hq")
    snapshot = terminal.snapshot()
    assert _rows(terminal) == ["text", "", "", "", "q"]
    assert snapshot.cursor_visible
    assert snapshot.styles[4] == ()


def test_alignment_pattern(after: After) -> None:
    terminal = after("\x1b[3;3H\x1b#8", 4, 3)
    assert _rows(terminal) == ["EEEE"] * 3
    assert terminal.snapshot().cursor == (0, 0)


def test_keyboard_flags_are_a_stack_a_screen(after: After) -> None:
    terminal = after("\x1b[>1u\x1b[>5u\x1b[=2;2u\x1b[?u\x1b[<u\x1b[?u\x1b[?1049h\x1b[?u")
    assert terminal.replies() == b"\x1b[?7u\x1b[?1u\x1b[?0u"
    terminal.feed(b"\x1b[>3u" * 100 + b"\x1b[<99u\x1b[?u")
    assert terminal.replies() == b"\x1b[?0u"


def test_single_shifts_of_charsets(after: After) -> None:
    assert _rows(after("\x1b*0\x1bnq\x0fq"))[0] == "─q"
    assert _rows(after("\x1b+0\x1boq\x0fq"))[0] == "─q"
