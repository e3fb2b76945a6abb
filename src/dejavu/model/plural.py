"""Counts as people read them.

Tested in: tests/export/html/test_format.py
"""


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 turn`, `1,204 turns`, `2 entries` (with `many`)."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
