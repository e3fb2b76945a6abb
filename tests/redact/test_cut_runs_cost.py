"""What rows of one unbroken run cost: linear in the rows, whatever they consist of.

An observer read such a flood for an hour: each row's run was followed to the first row, and each row
of each run again.
"""

import sys
from collections.abc import Callable

import pytest

from dejavu.redact.engine import Redactor

_FLOODS: dict[str, Callable[[int], str]] = {
    "letters": lambda _: "x" * 80,
    "signs": lambda _: "=" * 80,
    "random": lambda row: f"{row * 2654435761:020x}" * 4,
    "words": lambda _: (
        "some-words-that-are-joined-by-dashes-and-never-end-in-a-row-of-this-screen-here-"
    ),
    "vendor": lambda row: f"ghp_{row:076x}",
}


def _calls(rows: list[str], *, marked: bool) -> int:
    """Calls of Python and C functions that masking takes: a cost that no load changes."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    redactor = Redactor(b"k" * 32)
    sys.setprofile(profile)
    try:
        redactor.mask_block(
            rows, 80, [False] * len(rows),
            cut_above=marked, cut_below=marked,
            suspect=[marked] * len(rows), ends=[True] * len(rows),
        )  # fmt: skip
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("flood", _FLOODS)
def test_a_flood_costs_its_length(flood: str, marked: bool) -> None:
    rows = [_FLOODS[flood](row)[:80] for row in range(1_024)]
    short, long = _calls(rows[:512], marked=marked), _calls(rows, marked=marked)
    assert long < 3 * short
