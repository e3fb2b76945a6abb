from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.export.replay.runs import INK, PAPER, Span, colour, spans
from dejavu.screen import Terminal


def _row(text: str, columns: int = 20) -> list[Span]:
    terminal = Terminal(columns, 2)
    terminal.feed(text.encode())
    return list(spans(terminal.snapshot(), 0))


def test_blanks_are_left_out_unless_they_are_coloured() -> None:
    assert _row("") == []
    assert [(span.start, span.end, span.text) for span in _row("a  \x1b[41m  \x1b[0m   b")] == [
        (0, 3, "a  "),
        (3, 5, ""),
        (5, 20, "   b" + " " * 11),
    ]


def test_narrow_and_wide_characters_stand_apart_with_their_marks() -> None:
    assert [(span.start, span.end, span.text.rstrip()) for span in _row("ab日語e\u0301!")] == [
        (0, 2, "ab"),
        (2, 6, "日語"),
        (6, 20, "e\u0301!"),
    ]


def test_colours_are_worked_out() -> None:
    assert colour(None) is None
    assert colour("#0a0b0c") == "#0a0b0c"
    assert (colour(16), colour(21), colour(231)) == ("#000000", "#0000ff", "#ffffff")
    assert (colour(232), colour(255)) == ("#080808", "#eeeeee")
    bold, faint, turned = (_row(f"\x1b[{code}mx")[0] for code in ("1;31", "2", "7"))
    assert bold.ink == colour(9)
    assert faint.ink not in (INK, PAPER)
    assert (turned.ink, turned.paper) == (PAPER, INK)


def test_what_is_invisible_is_not_told() -> None:
    assert _row("\x1b[8msecret\x1b[0m") == []


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_spans_never_overlap_and_stay_inside(data: bytes) -> None:
    terminal = Terminal(17, 3)
    terminal.feed(data)
    snapshot = terminal.snapshot()
    for row in range(3):
        at = 0
        for span in spans(snapshot, row):
            assert at <= span.start < span.end <= 17
            at = span.end
