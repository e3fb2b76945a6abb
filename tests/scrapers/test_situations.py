"""What is asked is read again where the dialog changes, and only there."""

from tests.scrapers.test_session import DIALOG, session
from tests.scrapers.test_session_reports import drawn

from dejavu.scrapers import SessionReader
from dejavu.scrapers.dialogs import describe
from dejavu.scrapers.state import Blocked


def asked(reader: SessionReader) -> Blocked:
    blocked = reader.situation.blocked
    assert blocked is not None
    layout = reader.reading.layout if reader.reading is not None else None
    snapshot = reader.terminal.snapshot()
    assert blocked == describe(layout, None, columns=snapshot.columns, wrapped=snapshot.wrapped)
    return blocked


def test_a_dialog_that_stands_is_read_once_while_rows_elsewhere_change() -> None:
    reader = session()
    drawn(reader, "\r\n" * 14 + DIALOG, 1.0)
    first = asked(reader)
    for second in range(3):
        reader.output(f"\x1b[HWorking ({second}s)".encode(), 4.0 * (second + 1))
        reader.tick(4.0 * (second + 1) + 2.0)
        assert asked(reader) is first


def test_a_dialog_that_changes_is_read_again() -> None:
    reader = session()
    drawn(reader, DIALOG, 1.0)
    first = asked(reader)
    drawn(reader, DIALOG.replace("make", "rm"), 3.0)
    assert asked(reader).question == first.question.replace("make", "rm")
