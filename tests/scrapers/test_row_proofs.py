"""A row once read leaves only where that is proven; else it stays, or a gap says so."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden import ROOT

from dejavu.scrapers import SessionReader
from dejavu.scrapers.row_proofs import RowAudit, unaccounted
from dejavu.scrapers.rows import Row
from dejavu.scrapers.transcript_buffer import TranscriptBuffer


def rows(*texts: str, width: int = 80) -> list[Row]:
    return [Row(text, False, width) for text in texts]


def seen(cast: Path, agent: str) -> Iterator[SessionReader]:
    """A reader behind every event of a recording."""
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        reader = SessionReader(agent, header["width"], header["height"])
        for line in lines:
            at, kind, data = json.loads(line)
            if kind == "o":
                reader.output(data.encode(), at)
            elif kind == "r":
                columns, _, height = data.partition("x")
                reader.resize(int(columns), int(height), at)
            yield reader


def lost(cast: Path, agent: str) -> list[str]:
    audits = RowAudit(), RowAudit()
    for reader in seen(cast, agent):
        for audit, buffer in zip(audits, reader.buffered, strict=True):
            audit.observe(buffer.rows, buffer.top)
    return [text for audit in audits for text in audit.lost]


@pytest.mark.fault("T1")
@pytest.mark.parametrize("cast", sorted(ROOT.glob("*/*/session.cast")), ids=str)
@pytest.mark.parametrize("rules", ["own", "any"])
def test_no_row_of_a_recording_leaves_without_proof(cast: Path, rules: str) -> None:
    agent = cast.parent.parent.name if rules == "own" else "auto"
    assert lost(cast, agent) == []


@pytest.mark.fault("T1")
@pytest.mark.shared
@pytest.mark.parametrize("rules", ["own", "any"])
def test_no_row_of_the_shared_recordings_leaves_without_proof(shared: Path, rules: str) -> None:
    for cast in sorted((shared / "data" / "recordings").rglob("session.cast")):
        truth = json.loads((cast.parent / "truth.json").read_text("utf-8"))
        agent = truth["agent"] if rules == "own" else "auto"
        assert lost(cast, agent) == [], cast


PATH = "/home/ada/projects/a-rather-long-folder/src"


@pytest.mark.fault("T1")
def test_a_path_that_two_rows_share_proves_no_place() -> None:
    read = [f"row {n} of the answer before" for n in range(6)] + [
        f"{PATH}/one.py",
        "and so on",
        "to its end",
    ]
    new = [f"row {n} of what came next" for n in range(5)] + [f"{PATH}/two.py"] + ["more of it"]
    buffer = TranscriptBuffer(lambda _: False)
    assert buffer.merge_view(rows(*read), 0, rewrapped=False, cleared=False)
    assert not buffer.merge_view(rows(*new), 0, rewrapped=False, cleared=False)
    assert [row.text for row in buffer.rows] == read


@pytest.mark.fault("T1")
def test_rows_above_a_place_found_after_a_resize_are_not_thrown_away() -> None:
    read = [f"row number {n} of the answer before" for n in range(8)]
    buffer = TranscriptBuffer(lambda _: False)
    buffer.merge_view(rows(*read), 0, rewrapped=False, cleared=False)
    view = rows("never seen so far", *read[3:], "and more", width=60)
    assert buffer.merge_view(view, 0, rewrapped=True, cleared=False)
    texts = [row.text for row in buffer.rows]
    assert set(read) <= set(texts)
    assert "never seen so far" in texts
    assert buffer.kept == 1


@pytest.mark.fault("T1")
def test_what_has_scrolled_off_is_not_drawn_over() -> None:
    read = [f"row number {n} of the answer" for n in range(12)]
    buffer = TranscriptBuffer(lambda _: False)
    buffer.merge_view(rows(*read), 6, rewrapped=False, cleared=False)
    view = [*read[1:3], "something else", *read[4:9], "the last"]
    assert buffer.merge_view(rows(*view), 0, rewrapped=False, cleared=True)
    assert read[3] in [row.text for row in buffer.rows]
    assert buffer.kept == 1


def test_a_row_is_accounted_for_at_any_width_and_where_its_cells_are_wrapped() -> None:
    table = rows("│trade      │tools                    │apprentices        │")
    narrow = rows("│trade│tools│appren-│", "│     │     │tices  │")
    assert unaccounted(rows("one two three four"), rows("one two", "three four")) == []
    assert unaccounted(table, [*narrow, *rows("apprentices")]) == []
    assert len(unaccounted(table, rows("something", "else"))) == 1
    assert unaccounted(rows("─" * 40, ""), []) == [], "no words"


STEPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 30), min_size=1, max_size=12),
        st.integers(0, 12), st.booleans(), st.booleans(),
    ),
    max_size=12,
)  # fmt: skip
"""Views, each with how much of it has scrolled off, and whether it was cleared and resized."""


def audited(steps: list[tuple[list[int], int, bool, bool]]) -> list[str]:
    buffer, audit = TranscriptBuffer(lambda _: False), RowAudit()
    for view, scrolled, cleared, rewrapped in steps:
        shown = rows(*[f"row number {n} says {n * 7919 % 1047}" for n in view])
        off = min(scrolled, len(shown))
        if not buffer.merge_view(shown, off, rewrapped=rewrapped, cleared=cleared):
            buffer.append(shown, off)
        audit.observe(buffer.rows, buffer.top)
    return audit.lost


@given(STEPS)
def test_whatever_is_shown_nothing_that_scrolled_off_is_lost(
    steps: list[tuple[list[int], int, bool, bool]],
) -> None:
    assert audited(steps) == []


@pytest.mark.soak
@settings(max_examples=20_000)
@given(STEPS)
def test_nothing_is_lost_for_long(steps: list[tuple[list[int], int, bool, bool]]) -> None:
    assert audited(steps) == []


def test_a_place_further_down_in_the_view_loses_nothing() -> None:
    views = [[0], [0, 0, 0, 0, 0, 2, 1], [0], [1, 2, 0]]
    flags = [(0, False), (7, False), (0, False), (0, True)]
    assert audited([(v, off, False, to) for v, (off, to) in zip(views, flags, strict=True)]) == []
