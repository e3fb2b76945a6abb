"""Events are values."""

import pytest

from dejavu.capsule import Event, Exit, Gap, Header, Output, Resize


@pytest.mark.parametrize(
    ("event", "other", "text"),
    [
        (Output(1.5, b"x"), Output(1.5, b"y"), "Output(at=1.5, data=b'x')"),
        (Resize(1.5, 80, 24), Resize(1.5, 24, 80), "Resize(at=1.5, columns=80, lines=24)"),
        (Gap(1.5, 3), Exit(1.5, 3), "Gap(at=1.5, lost=3)"),
        (Exit(1.5, 0), Exit(1.5, 1), "Exit(at=1.5, status=0)"),
        (Header({"a": 1}), Header({}), "Header(fields={'a': 1})"),
    ],
)
def test_they_compare_by_value_and_print(event, other, text):
    same = type(event)(*(getattr(event, name) for name in event.__match_args__))
    assert event == same
    assert hash(event) == hash(same)
    assert event != other
    assert event != "something else"
    assert repr(event) == text


def test_their_kinds_are_distinct():
    kinds = [each.kind for each in Event.__subclasses__()]
    assert len(set(kinds)) == len(kinds) == 7
