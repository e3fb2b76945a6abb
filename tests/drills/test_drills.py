"""The drills of `make soak`, a few rounds of each, by a seed that does not change."""

from collections.abc import Callable

import pytest

from . import bit_flips, faults, format_changes, kills, repair, screen_streams, session_files
from .budget import Budget, Outcome


@pytest.mark.parametrize(
    ("drill", "rounds"),
    [
        (session_files.drill, 300),
        (format_changes.drill, 48),
        (screen_streams.drill, 200),
        (faults.drill, 15),
        (bit_flips.drill, 20),
        (repair.drill, 12),
        (kills.drill, 10),
    ],
    ids=[
        "session files",
        "format changes",
        "terminal streams",
        "faults",
        "bit flips",
        "repairs",
        "kills",
    ],
)
def test_a_few_rounds(drill: Callable[[Budget], Outcome], rounds: int) -> None:
    outcome = drill(Budget(seconds=300, count=rounds, seed=11))
    assert outcome.failures == []
    assert outcome.rounds > 0
