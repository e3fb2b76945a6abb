from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.alignment import place_of, printed_again
from dejavu.scrapers.rows import Row
from dejavu.scrapers.transcript_buffer import TranscriptBuffer


def rows(*texts: str, width: int = 80) -> list[Row]:
    return [Row(text, False, width) for text in texts]


def texts(buffer: TranscriptBuffer) -> list[str]:
    return [row.text for row in buffer.rows]


def buffer_of(*views: list[str], folds: str = "") -> TranscriptBuffer:
    buffer = TranscriptBuffer(lambda row: bool(folds) and row.text.startswith(folds))
    for view in views:
        assert buffer.merge_view(rows(*view), 0, rewrapped=False, cleared=False)
    return buffer


LINES = [f"line number {n} of the answer" for n in range(40)]


def test_a_view_that_scrolls_grows_the_buffer():
    buffer = buffer_of(LINES[0:10], LINES[3:13], LINES[9:19])
    assert texts(buffer) == LINES[0:19]


def test_a_last_row_that_grows_is_one_row():
    buffer = buffer_of(["one", "two", "three", "fo"], ["one", "two", "three", "four"])
    assert texts(buffer) == ["one", "two", "three", "four"]


def test_the_user_scrolling_back_loses_nothing():
    buffer = buffer_of(LINES[0:10], LINES[8:18], LINES[2:12], LINES[8:18], LINES[9:19])
    assert texts(buffer) == LINES[0:19]


def test_equal_rows_far_apart_stay_two():
    said = ["ping", "pong", "", "ping", "pong", ""]
    buffer = buffer_of([*LINES[:6], *said[:3]], [*LINES[3:6], *said])
    assert texts(buffer) == [*LINES[:6], *said]


def test_a_fold_keeps_what_it_hides():
    buffer = buffer_of(
        [*LINES[:4], "Running ls", "  $ ls", "next thing said"],
        [*LINES[:4], "Ran 1 command", "next thing said, and more"],
        folds="Ran",
    )
    (fold,) = [row for row in buffer.rows if row.text.startswith("Ran")]
    assert [row.text for row in fold.folded] == ["Running ls", "  $ ls"]
    buffer.merge_view(
        rows(*LINES[:4], "Ran 1 command", "and then"), 0, rewrapped=False, cleared=False
    )
    (fold,) = [row for row in buffer.rows if row.text.startswith("Ran")]
    assert [row.text for row in fold.folded] == ["Running ls", "  $ ls"]


def test_what_goes_elsewhere_when_a_fold_comes_is_hidden_where_it_stood():
    buffer = buffer_of(
        [*LINES[:4], "first said", "a call", "then said", "another call", "the end"],
        [*LINES[:4], "Ran 2 things", "a call", "another call", "the end"],
        folds="Ran",
    )
    hidden = {row.text: [one.text for one in row.folded] for row in buffer.rows if row.folded}
    assert hidden == {"Ran 2 things": ["first said"], "a call": ["then said"]}


def test_a_fold_with_nothing_in_its_place_keeps_what_went_before_it():
    buffer = buffer_of(
        [*LINES[:4], "Running", "  $ ls"],
        [*LINES[:4], "words that came late"],
        [*LINES[:4], "words that came late", "Ran 1 command"],
        folds="Ran",
    )
    assert [row.text for row in buffer.rows[-1].folded] == ["Running", "  $ ls"]


def test_folds_of_folds_do_not_nest():
    buffer = buffer_of([*LINES[:4], "call 0", "end"], folds="Ran")
    for number in range(1, 40):
        ran = f"Ran {number} commands"
        buffer.merge_view(rows(*LINES[:4], ran, "end"), 0, rewrapped=False, cleared=False)
        last = [*LINES[:4], ran, f"call {number}", "end"]
        buffer.merge_view(rows(*last), 0, rewrapped=False, cleared=False)
    (fold,) = [row for row in buffer.rows if row.folded]
    assert [row.text for row in fold.folded] == [f"call {number}" for number in range(39)]
    assert not any(row.folded for row in fold.folded)


def paged(*seen: tuple[float, list[str]]) -> TranscriptBuffer:
    """A buffer of views seen at times, each row as old as its first view."""
    buffer = TranscriptBuffer(lambda _: False, lambda row: row.text.startswith(">"))
    first: dict[str, float] = {}
    for at, view in seen:
        for text in view:
            first.setdefault(text, at)
        shown = [Row(text, False, 80, at=first[text]) for text in view]
        assert buffer.merge_view(shown, 0, rewrapped=False, cleared=False, at=at)
    return buffer


BANNER = ["A banner", "of three", "rows"]
TALK = [*BANNER, "> a question", "an answer"]


def test_a_conversation_that_is_cleared_stays_and_a_page_is_turned():
    cleared = [*BANNER, "> /clear"]
    buffer = paged(
        (1.0, TALK[:4]), (2.0, TALK), (5.0, cleared), (6.5, cleared), (7.0, [*cleared, "> new"])
    )
    assert [row.text for row in buffer.rows if not row.repeated] == [*TALK, "> /clear", "> new"]
    assert [row.text for row in buffer.rows if row.repeated] == BANNER


def test_half_a_redraw_turns_no_page():
    buffer = paged((1.0, TALK[:4]), (2.0, TALK), (5.0, BANNER), (5.05, TALK), (9.0, BANNER))
    assert texts(buffer) == TALK
    assert buffer.missing_since == 9.0


def test_a_prompt_without_an_answer_may_go():
    buffer = paged((1.0, BANNER), (2.0, [*BANNER, "> half drawn", "menu"]), (3.0, BANNER))
    assert texts(buffer) == BANNER


def test_lines_of_a_box_are_no_landmark():
    box = ["╭" + "─" * 50 + "╮", "│" + " " * 50 + "│", "╰" + "─" * 50 + "╯"]
    buffer = buffer_of([*LINES[:4], *box, *LINES[4:6]])
    bye = ["╭" + "─" * 70 + "╮", "│ goodbye", "╰" + "─" * 70 + "╯"]
    assert not buffer.merge_view(rows(*bye), 0, rewrapped=True, cleared=False)
    assert texts(buffer) == [*LINES[:4], *box, *LINES[4:6]]


def test_rows_not_drawn_yet_wipe_nothing_out():
    buffer = buffer_of(LINES[0:10], ["", "", *LINES[5:14]])
    assert texts(buffer) == LINES[0:14]


def test_what_shares_nothing_is_refused_and_may_be_appended():
    buffer = buffer_of(LINES[0:10])
    strange = rows(*[f"strange {n}" for n in range(10)])
    assert not buffer.merge_view(strange, 0, rewrapped=False, cleared=False)
    buffer.append(strange, 0)
    assert len(buffer.rows) == 20


def test_a_resize_finds_its_place_by_letters():
    long = "the quick brown fox jumps over the lazy dog and then it goes home to sleep at last"
    buffer = buffer_of([*LINES[:5], long[:40], long[40:]])
    narrow = [Row(long[i : i + 20], False, 20) for i in range(20, len(long), 20)]
    assert buffer.merge_view([*narrow, Row("new", False, 20)], 0, rewrapped=True, cleared=False)
    assert "".join("".join(text.split()) for text in texts(buffer)) == "".join(
        "".join(text.split()) for text in [*LINES[:5], long, "new"]
    )


def test_a_flood_of_equal_rows_is_laid_in_time():
    buffer = buffer_of(["y"] * 5000)
    buffer.merge_view(rows(*["y"] * 5000, "end"), 5000, rewrapped=False, cleared=True)
    assert buffer.rows[-1].text == "end"


def test_forgetting_moves_the_marks():
    buffer = buffer_of(LINES[0:10], LINES[5:15])
    buffer.drop_oldest(4)
    assert texts(buffer) == LINES[4:15]
    assert buffer.merge_view(rows(*LINES[6:16]), 0, rewrapped=False, cleared=False)
    assert texts(buffer) == LINES[4:16]


def test_rows_wrapped_anew_above_known_ones_take_the_place_of_their_old_selves():
    long = "a sentence that stands on two rows of the old width, and on one row of the new width"
    buffer = buffer_of(["top of it all", long[:42], long[42:], *LINES[:6]])
    assert buffer.merge_view(rows(long, *LINES[:8]), 0, rewrapped=False, cleared=False)
    assert texts(buffer) == ["top of it all", long, *LINES[:8]]


def test_rows_that_scrolled_off_are_laid_above_the_view():
    buffer = buffer_of(LINES[0:6])
    assert buffer.merge_view(rows(*LINES[0:9]), 3, rewrapped=False, cleared=False)
    assert texts(buffer) == LINES[0:9]
    assert buffer.top == 3


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(6, 12))
def test_any_forward_scrolling_by_less_than_a_view_is_lossless(steps: list[int], height: int):
    document = [f"row {n} {n * 7919 % 104729}" for n in range(height + 4 * len(steps))]
    top = 0
    buffer = TranscriptBuffer(lambda text: False)
    buffer.merge_view(rows(*document[:height]), 0, rewrapped=False, cleared=False)
    for step in steps:
        top += step
        assert buffer.merge_view(
            rows(*document[top : top + height]), 0, rewrapped=False, cleared=False
        )
    assert texts(buffer) == document[: top + height]


def test_rows_that_may_start_in_several_places_start_where_most_of_them_follows():
    opening = ["and this is how every message here begins", "with the same two rows of text"]
    buffered = rows(*opening, "the first one", *opening, "the second", *opening, "the third")
    again = rows(
        "and this is how every message", " here begins with the same two rows of text the second"
    )
    assert place_of(again, buffered) == (3, 0)
    assert place_of(rows(*opening), buffered) == (6, 0), "of equal places the last"
    assert place_of(rows("too short"), buffered) is None


def test_what_was_marked_as_repeated_need_not_be_printed_again():
    said = [f"sentence number {n} of what was said" for n in range(12)]
    banner = [f"row {n} of the welcome to the program" for n in range(4)]
    old = [*rows(*said[:6]), *rows(*banner), *rows(*said[6:])]
    view = rows(*said[:6], *said)
    assert printed_again(old, view, 0) is None  # the banner is lacking
    marked = [replace(row, repeated=row.text in banner) for row in old]
    assert printed_again(marked, view, 0) == 6
