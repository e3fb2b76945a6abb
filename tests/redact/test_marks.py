from dejavu.redact.joined_text import Span
from dejavu.redact.marks import Marks, draw_labels


def test_labels_stand_where_there_is_room_else_stars() -> None:
    rows = ["key abcdef", "ghij      "]
    spans = [Span(0, 4, 10), Span(1, 0, 4)]
    assert draw_labels(rows, [(spans, "[long one]")]) == ["key ******", "[long one]"]
    assert draw_labels(rows, [(spans, "[far too long]")]) == ["key ******", "[redacted]"]
    assert draw_labels(["a 1234567890123 b"], [([Span(0, 2, 15)], "[far too long]")]) == [
        "a [redacted]*** b"
    ]
    assert draw_labels(["│ abc   │"], [([Span(0, 2, 5)], "[label]")]) == ["│ ***   │"]


def test_a_mark_is_one_label_wherever_its_cells_went() -> None:
    marks = Marks()
    rows = marks.cover(["key abcdef", "ghij x"], [([Span(0, 4, 10), Span(1, 0, 4)], "[label]")])
    assert marks.labels(" ".join(rows)) == "key [label] x"
    assert marks.labels(rows[1]) == " x"


def test_of_two_marks_that_overlap_the_longer_names_itself() -> None:
    marks = Marks()
    rows = marks.cover(["abcdefgh"], [([Span(0, 0, 3)], "[a]"), ([Span(0, 1, 7)], "[b]")])
    assert marks.labels(rows[0]) == "[b]h"
