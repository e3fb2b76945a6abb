"""What agents draw in any session comes through the capture path as it was drawn."""

from pathlib import Path

import pytest

from dejavu.capsule import Output, Recording, Resize
from dejavu.redact import Redactor
from dejavu.scrapers import SessionReader

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


@pytest.mark.parametrize(
    "case", ["demo/tour", "claude/2.1.330-folds-100x30", "kimi/2.1.0-80x24", "gemini/0.61.0-120x40"]
)
def test_nothing_is_masked_where_there_is_no_secret(case: str) -> None:
    """Turns are asked for at every step, as the observer does: what was judged early stays so."""
    recording = Recording(GOLDEN / case / "session.cast")
    readers = [
        SessionReader(case.split("/")[0], recording.columns or 80, recording.lines or 24, mask=mask)
        for mask in (Redactor(b"k" * 32), None)
    ]
    for event in recording:
        for reader in readers:
            if isinstance(event, Resize):
                reader.resize(event.columns, event.lines, event.at)
            elif isinstance(event, Output):
                reader.output(event.data, event.at)
            _ = reader.turns
    masked, plain = ([turn.parts for turn in reader.turns] for reader in readers)
    assert plain
    assert masked == plain
