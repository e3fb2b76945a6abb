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
def test_a_number_outside_the_calendar_is_none(at: float) -> None:
    assert to_iso(at) is None


def test_a_known_time() -> None:
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


@given(
    st.recursive(
        st.text()
        | st.none()
        | st.booleans()
        | st.floats()
        | st.integers()
        | st.sampled_from(["0001-01-01", 10**400]),
        lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    )
)
@pytest.mark.fault("1.4")
def test_any_value_of_a_session_log_is_a_time_or_none(value: object) -> None:
    result = from_iso(value)
    assert result is None or isinstance(result, float)
