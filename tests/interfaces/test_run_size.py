"""The sizes that `dejavu-run --size` takes, and what is said of others."""

import argparse

import pytest

from dejavu.interfaces.run import _size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("99999x99999", "from 1 to 9999"),
        ("0x40", "from 1 to 9999"),
        ("wide", "is not a size"),
        ("\u00b2x40", "is not a size"),
    ],
)
def test_a_refused_size_says_which_are_taken(text: str, message: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        _size(text)
    assert _size("9999x1") == (9999, 1)
