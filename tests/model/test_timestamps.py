from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import from_iso, to_iso


@given(st.integers(min_value=0, max_value=4_000_000_000_000))
def test_milliseconds_survive_the_round_trip(milliseconds: int) -> None:
    text = to_iso(milliseconds / 1000)
    assert text is not None
    assert from_iso(text) == pytest.approx(milliseconds / 1000, abs=1e-6)


@pytest.mark.parametrize("at", [1e18, -1e18, float("nan"), float("inf")])
def test_no_moment_of_the_calendar_is_none(at: float) -> None:
    assert to_iso(at) is None


def test_known_moment() -> None:
    assert to_iso(0.0) == "1970-01-01T00:00:00.000Z"
    assert (
        from_iso("2026-11-21T20:31:00.123Z")
        == datetime(2026, 11, 21, 20, 31, 0, 123000, UTC).timestamp()
    )


def test_no_zone_means_utc() -> None:
    assert from_iso("2026-11-21T20:31:00") == from_iso("2026-11-21T20:31:00Z")


def test_large_numbers_are_milliseconds() -> None:
    assert from_iso(1_763_757_060_123) == 1_763_757_060.123
    assert from_iso(1_763_757_060) == 1_763_757_060.0


@given(st.text() | st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False))
def test_never_raises(value: object) -> None:
    result = from_iso(value)  # type: ignore[arg-type]  # the point of the test
    assert result is None or isinstance(result, float)
