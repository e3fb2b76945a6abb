"""`dejavu hook`: what it is, for people who ask."""

from collections.abc import Callable
from typing import Any


def test_help_is_for_people(dejavu: Callable[..., Any]) -> None:
    done = dejavu("hook", "--help")
    assert done.code == 0
    assert "capture" in done.out


def test_a_word_that_is_none_is_passed_over(dejavu: Callable[..., Any]) -> None:
    assert dejavu("hook", "something") == (0, "", "")
