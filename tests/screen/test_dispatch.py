import pyte
import pytest

from dejavu.screen import Grid
from dejavu.screen.dispatch import CONTROLS, NOTHING, control_sequence, escape_sequence


@pytest.mark.parametrize(
    ("body", "name", "arguments"),
    [
        ("5;10H", "cursor_position", (5, 10)),
        (";H", "cursor_position", (0, 0)),
        ("H", "cursor_position", ()),
        ("1;2;3A", "cursor_up", (1,)),
        ("2:7A", "cursor_up", (2,)),
        ("99999999C", "cursor_forward", (65535,)),
        ("?25h", "set_private_mode", (25,)),
        ("?1000;1006l", "reset_private_mode", (1000, 1006)),
        (" q", "set_cursor_shape", ()),
        ("?2026$p", "report_private_mode", (2026,)),
        ("!p", "soft_reset", ()),
        (">1u", "push_keyboard", (1,)),
    ],
)
def test_a_control_sequence_calls(body: str, name: str, arguments: tuple[int, ...]) -> None:
    assert control_sequence(body) == (getattr(Grid, name), arguments)


@pytest.mark.parametrize("body", ["?1H", "<5A", "$$p", "1;1y", "1" * 2000 + "A"])
def test_what_is_unknown_does_nothing(body: str) -> None:
    call = control_sequence(body)
    assert call is not None
    assert call[0] is NOTHING[0] or call == NOTHING


@pytest.mark.parametrize("body", ["1?h", "1 2A", "5", "1\nA", "é"])
def test_what_is_not_well_formed_is_said(body: str) -> None:
    assert control_sequence(body) is None


def test_at_most_32_parameters_are_read() -> None:
    call = control_sequence(";".join(map(str, range(1, 60))) + "h")
    assert call is not None
    assert len(call[1]) == 32


def test_escape_sequences() -> None:
    assert escape_sequence("7") == (Grid.save_cursor, ())
    assert escape_sequence("(0") == (Grid.define_charset, ("0", "("))
    assert escape_sequence("%G") == NOTHING
    assert CONTROLS["\n"] == (Grid.linefeed, ())


def test_everything_a_pyte_stream_calls_is_there() -> None:
    assert not [event for event in pyte.Stream.events if not hasattr(Grid, event)]
