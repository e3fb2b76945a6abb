"""The scores of agents' versions, over sessions and observers."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dejavu.config.paths import state_home
from dejavu.scrapers.self_check import Agreement
from dejavu.sessions.reading_scores import FILE, LOCK, add, known, load

_GOOD = Agreement(10, 10.0, {"trace": (10.0, 10.0)})
_BAD = Agreement(10, 3.0, {})


def test_sizes_are_kept_apart_and_judged_together(home: Path) -> None:
    add("claude", "2.1.330", (120, 40), "p", _GOOD, 1000.0)
    add("claude", "2.1.330", (80, 24), "p", _BAD, 2000.0)
    (reading,) = load(0.9)
    assert (reading.agreement.turns, reading.since, reading.updated_at) == (20, 1000.0, 2000.0)
    assert reading.score == 0.65
    assert reading.low
    assert not load(0.6)[0].low


def test_another_version_is_judged_by_itself(home: Path) -> None:
    add("claude", "1", (80, 24), "p", _GOOD, 1000.0)
    add("claude", "2", (80, 24), "p", _BAD, 2000.0)
    assert [(entry.version, entry.low) for entry in load(0.9)] == [("2", True), ("1", False)]
    last = known("claude", "", "p", 0.9)
    assert last is not None
    assert (last.version, last.low) == ("2", True)
    assert known("claude", "3", "p", 0.9) is None


def test_other_rules_begin_anew(home: Path) -> None:
    add("claude", "1", (80, 24), "old", _BAD, 1000.0)
    add("claude", "1", (120, 40), "old", _BAD, 1001.0)
    assert known("claude", "1", "new", 0.9) is None
    add("claude", "1", (80, 24), "new", _GOOD, 2000.0)
    (reading,) = load(0.9)
    assert (reading.agreement.turns, reading.low, reading.since) == (10, False, 2000.0)


def test_a_few_turns_are_no_verdict(home: Path) -> None:
    add("claude", "1", (80, 24), "p", Agreement(2, 0.0), 1000.0)
    (reading,) = load(0.9)
    assert (reading.score, reading.low) == (None, False)


def test_what_is_damaged_is_passed_over(home: Path) -> None:
    add("claude", "1", (80, 24), "p", _GOOD, 1000.0)
    path = state_home() / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    whole = path.read_text()
    for text in ("", "[]", '{"records": 3}', '{"records": [3, {}]}', whole[: len(whole) // 2]):
        path.write_text(text)
        assert load(0.9) == []
        add("kimi", "1", (80, 24), "p", _GOOD, 1000.0)
        assert [entry.agent for entry in load(0.9)] == ["kimi"]


def test_observers_take_turns_and_the_file_is_bounded(home: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            pool.submit(add, "claude", "1", (80, 24), "p", Agreement(1, 1.0), float(number))
    assert load(0.9)[0].agreement.turns == 40
    for number in range(420):
        add("kimi", str(number), (80, 24), "p", Agreement(1, 1.0), 1000.0 + number)
    assert len(load(0.9)) == 400


def test_a_lock_that_never_falls_is_not_waited_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.sessions.reading_scores._PATIENCE", 0.02)
    add("claude", "1", (80, 24), "p", _GOOD, 1000.0)
    with (state_home() / LOCK).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):
            add("claude", "1", (80, 24), "p", _GOOD, 1000.0)
    assert load(0.9)[0].agreement.turns == 10
