import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule import Recording
from dejavu.export.replay import Playback, Verdict, compare
from dejavu.export.replay.difference import whole
from dejavu.scrapers import SessionReader
from dejavu.screen import Terminal


class Twin:
    """A peer of our own kind that may see other bytes than it was sent."""

    name = "twin"

    def __init__(self, spoil: Callable[[bytes], bytes] = bytes) -> None:
        self.terminal, self.spoil = Terminal(20, 4), spoil

    def feed(self, data: bytes) -> None:
        self.terminal.feed(self.spoil(data))

    def resize(self, columns: int, lines: int) -> None:
        self.terminal.resize(columns, lines)

    def read(self) -> tuple[list[str], tuple[int, int]]:
        snapshot = self.terminal.snapshot()
        return [row.rstrip() for row in snapshot.rows], snapshot.cursor

    def close(self) -> None:
        pass


def _verdict(tmp_path: Path, peer: Twin, *events: tuple[float, str, str]) -> Verdict:
    path = tmp_path / "a.cast"
    head = {"version": 2, "width": 20, "height": 4}
    path.write_text("\n".join(json.dumps(row) for row in (head, *events)) + "\n")
    playback = Playback(Recording(path), SessionReader("demo", 20, 4))
    return compare(playback, peer, 20, 4)


_EVENTS = ((1.0, "o", "one\r\n"), (2.0, "o", "\x1b[3"), (3.0, "o", "1mtwo"), (4.0, "r", "9x3"))


def test_equal_terminals_have_no_difference(tmp_path: Path) -> None:
    assert _verdict(tmp_path, Twin(), *_EVENTS) == Verdict(
        5, None
    )  # the resized screen is looked at again once it has settled


def test_the_first_frame_and_row_are_named(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, Twin(lambda data: data.replace(b"two", b"TWO")), *_EVENTS)
    found = verdict.difference
    assert found
    assert (found.frame, found.row, found.ours, found.theirs) == (2, 1, "two", "TWO")
    assert (found.before, found.offset, round(found.at)) == (8, 13, 3)


def test_a_cursor_elsewhere_is_a_difference(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, Twin(lambda data: data + b"\x1b[C"), (1.0, "o", "x"))
    assert verdict.difference
    assert verdict.difference.cursor
    assert verdict.difference.theirs == "row 0, column 2"


def test_looks_inside_an_update_are_passed(tmp_path: Path) -> None:
    peer = Twin(lambda data: data.replace(b"\x1b[?2026h", b""))  # knows no updates
    events = ((1.0, "o", "\x1b[?2026hhalf"), (2.0, "o", " whole\x1b[?2026l"))
    assert _verdict(tmp_path, peer, *events) == Verdict(1, None)


def test_marks_that_nobody_sees_make_no_difference(tmp_path: Path) -> None:
    peer = Twin(lambda data: data.replace("\u200b".encode(), b""))
    assert _verdict(tmp_path, peer, (1.0, "o", "a \u200b")).difference is None


def test_a_gap_ends_the_sequence_it_cut(tmp_path: Path) -> None:
    events = ((1.0, "o", "\x1b]0;never closed"), (2.0, "g", "500"), (3.0, "o", "shown"))
    peer = Twin()
    assert _verdict(tmp_path, peer, *events).difference is None
    assert peer.read()[0][0] == "shown"


@pytest.mark.parametrize(
    ("data", "ready"),
    [
        (b"", 0),
        (b"abc", 3),
        (b"abc\x1b", 3),
        (b"abc\x1b[31", 3),
        (b"abc\x1b[31m", 8),
        (b"abc\x1b]0;title", 3),
        (b"abc\x1b]0;title\x1b", 3),
        (b"abc\x1b]0;title\x1b\\", 14),
        (b"abc\x1b]0;title\x07", 13),
        (b"abc\x1bP+q\x18x", 9),
        (b"abc\x1b(", 3),
        ("aé".encode(), 3),
        ("aé".encode()[:2], 1),
        ("日🚀".encode()[:-1], 3),
        (b"a\xff\xff", 3),
    ],
)
def test_bytes_are_cut_before_what_is_not_whole(data: bytes, ready: int) -> None:
    assert whole(data) == ready


def test_a_sequence_without_end_is_not_waited_for_without_end() -> None:
    assert whole(b"\x1b]0;" + b"x" * (2 << 20)) == 4 + (2 << 20)


@given(st.binary(max_size=60))
def test_a_cut_is_never_past_the_end(data: bytes) -> None:
    assert 0 <= whole(data) <= len(data)
