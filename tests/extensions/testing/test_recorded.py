import json
from pathlib import Path

import pytest

from dejavu.extensions.testing import CastFixture, RecordedSession, WaitError

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "demo" / "tour" / "session.cast"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    events = [
        [0.1, "o", "one"], [0.15, "o", "\r\ntwo"], [5.0, "r", "30x4"], [5.1, "o", "\x1b[?2026h\x1b[H"],
        [9.0, "o", "three\x1b[?2026l"],
    ]  # fmt: skip
    lines = [{"version": 2, "width": 20, "height": 3}, *events]
    path = tmp_path / "session.cast"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_it_is_wound_to_what_is_waited_for(cast: CastFixture, recording: Path) -> None:
    session = cast(recording)
    assert session.wait_for("one").text == "one"
    assert session.at == 0.1
    assert session.wait_idle().text == "one\ntwo"
    assert session.at == pytest.approx(0.25)
    assert session.forward(7.0).columns == 30
    assert session.wait_for("three").text == "three\ntwo"
    assert session.ended
    with pytest.raises(WaitError, match=r"(?s)four.*its end"):
        session.wait_for("four")


def test_an_open_update_is_no_rest(recording: Path) -> None:
    session = RecordedSession(recording)
    session.forward(5.2)
    session.wait_idle(1.0)
    assert session.at == 9.0


def test_a_real_recording(cast: CastFixture) -> None:
    session = cast(GOLDEN)
    session.wait_for("Do you want to run this command?")
    session.wait_idle()
    session.assert_golden()
    assert session.forward().text == ""
