"""The namespace's keys are ordered as they are read."""

from dejavu.recall.memory.memory_records import adjust_confidence, journal_key, log_key


def test_keys_rise_and_fall() -> None:
    assert journal_key(1) < journal_key(2) < journal_key(300)
    assert log_key(300) < log_key(2) < log_key(1)


def test_a_step_is_rounded_and_clamped() -> None:
    assert adjust_confidence(0.5, 0.1) == 0.6
    assert adjust_confidence(0.1234, 0.0) == 0.123
    assert (adjust_confidence(0.95, 0.1), adjust_confidence(0.1, -0.15)) == (1.0, 0.01)
