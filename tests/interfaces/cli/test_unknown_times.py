"""Times of a broken clock: kept as they are, shown as unknown, and no command fails for them."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
@pytest.mark.fault("1.7")
def test_a_time_outside_the_calendar_is_shown_as_unknown(
    stamp: str,
    zone: str,
    dejavu: Callable[..., Result],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = claude_session(home, "needle")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, "timestamp": stamp}) + "\n" for row in rows))
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert dejavu("sync").code == 0
        for command in (("list",), ("search", "needle"), ("show", "last"), ("timeline", "last")):
            result = dejavu(*command)
            assert (result.code, stamp[:4] in result.out) == (0, False), command
    finally:
        monkeypatch.undo()
        time.tzset()
