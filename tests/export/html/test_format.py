from datetime import UTC, timedelta, timezone

import pytest

from dejavu.export.html.format import amount, duration, local, money
from dejavu.model.plural import counted


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (9949, "9.9k"), (12_345, "12k"), (1_250_000, "1.2M"),
     (3_000_000_000, "3.0G")],
)  # fmt: skip
def test_amount(number: int, said: str) -> None:
    assert amount(number) == said


def test_counted() -> None:
    assert [counted(1, "turn"), counted(1204, "turn")] == ["1 turn", "1,204 turns"]


@pytest.mark.parametrize(
    ("dollars", "said"), [(0, "$0.00"), (0.0721, "$0.072"), (1.5, "$1.50"), (1234.5, "$1,234.50")]
)
def test_money(dollars: float, said: str) -> None:
    assert money(dollars) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (59.9, "59s"), (60, "1m"), (7500, "2h 05m"), (273_600, "3d 4h")],
)
def test_duration(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_local_keeps_the_moment_and_survives_impossible_ones() -> None:
    assert local(0, timezone(timedelta(hours=2))).isoformat() == "1970-01-01T02:00:00+02:00"
    assert local(1e300, UTC).year == 1970
    assert local(float("nan"), UTC).year == 1970
