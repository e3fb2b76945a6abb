from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.interfaces.filters import check_range, did_you_mean, parse_time, read_filter
from dejavu.model import ConversationFilter, InvalidValueError

NOW = 1_795_000_000.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("3h", 10800),
        ("2d", 172800),
        ("1.5d", 129600),
        ("1w", 604800),
        ("1mo", 2592000),
        ("5 min", 300),
        ("2d ago", 172800),
    ],
)
def test_ago(text: str, seconds: float) -> None:
    assert parse_time(text, now=NOW) == NOW - seconds


def test_days_begin_at_local_midnight() -> None:
    today = parse_time("today", now=NOW)
    yesterday = parse_time("yesterday", now=NOW)
    local = datetime.fromtimestamp(today).astimezone()
    assert (local.hour, local.minute, local.second) == (0, 0, 0)
    assert local - datetime.fromtimestamp(yesterday).astimezone() == timedelta(days=1)


def test_iso_dates_with_and_without_a_zone() -> None:
    assert parse_time("2026-11-21T10:00:00Z") == datetime(2026, 11, 21, 10, tzinfo=UTC).timestamp()
    assert parse_time("2026-11-21") == datetime(2026, 11, 21).astimezone().timestamp()


@given(st.text(max_size=12))
def test_anything_else_is_a_usage_error(text: str) -> None:
    try:
        result = parse_time(text, now=NOW)
    except InvalidValueError:
        return
    assert isinstance(result, float)


def test_m_is_minutes_and_a_capital_one_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="1mo"):
        parse_time("1M", now=NOW)


def test_a_filter_is_read_from_the_fields_that_were_sent() -> None:
    sent = {"agent": "claude", "workspace": None, "since": "2026-11-21T10:00:00Z", "limit": "3"}
    assert read_filter(sent) == ConversationFilter(
        agent="claude", since=datetime(2026, 11, 21, 10, tzinfo=UTC).timestamp(), side=False
    )
    assert read_filter({"instance": ""}).instance == ""
    assert read_filter({}, side=True) == ConversationFilter()
    with pytest.raises(InvalidValueError, match="is not a time"):
        read_filter({"until": "whenever"})


@pytest.mark.parametrize("prefix", ["--", ""])
def test_a_range_that_ends_before_it_begins_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidValueError, match=f"^{prefix}since is after {prefix}until"):
        check_range(ConversationFilter(since=2.0, until=1.0), prefix=prefix)


def test_a_wrong_name_is_taken_for_one_that_begins_alike() -> None:
    agents = ("amp", "claude", "codex", "zcode")
    assert did_you_mean("clod", agents) == "; did you mean 'claude'?"
    assert did_you_mean("xcode", agents) == "; did you mean 'zcode'?"
    assert did_you_mean("frog", agents) == ""
