from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen import Style
from dejavu.screen.attributes import Palette
from dejavu.screen.row import Clusters, from_text, runs, split_wide


def test_unglue_empties_both_halves() -> None:
    assert split_wide("a日\0b", 2) == "a\x01\x01b"
    assert split_wide("a日\0b", 1) == split_wide("a日\0b", 3) == split_wide("a日\0b", 9) == "a日\0b"


def test_runs_leave_plain_stretches_out() -> None:
    palette = Palette()
    bold, other = palette.intern(1), palette.intern(2)
    found = runs(f"\0\0{bold}{bold}{other}\0", palette)
    assert [(run.start, run.end) for run in found] == [(2, 4), (4, 5)]
    assert found[0].style == Style(bold=True)


@given(st.text(max_size=30))
def test_text_to_cells_and_back(text: str) -> None:
    clusters = Clusters()
    cells = from_text(text, clusters)
    assert not set(cells) & set(map(chr, range(2, 32)))
    shown = clusters.text(cells)
    assert from_text(shown, Clusters()) == cells or len(from_text(shown, Clusters())) == len(cells)


def test_cells_of_plain_and_odd_text() -> None:
    clusters = Clusters()
    assert from_text("plain", clusters) == "plain"
    assert from_text("日x", clusters) == "日\0x"
    assert from_text("a\tb\x1b", clusters) == "ab"
    assert len(from_text("e\u0301日\u0301", clusters)) == 3
    assert clusters.text(from_text("\U0010ffff", clusters)) == "\U0010ffff"
