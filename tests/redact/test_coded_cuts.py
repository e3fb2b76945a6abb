"""Bytes that a program has cut in the middle: what is left of a secret goes, also in numbers."""

import random
import string

import pytest

from dejavu.redact import Redactor
from dejavu.redact.marks import MARKED

REDACTOR = Redactor(b"key")
TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
BYTES = TOKEN.encode()
WORDS = b"plain words of a sentence, and nothing else in it"


def _left(rows: list[str]) -> str:
    return MARKED.sub("", "\n".join(REDACTOR.mask_block(rows, 100)))


@pytest.mark.parametrize(
    "form",
    [
        "  note = {{length = 40, bytes = 0x{0} ... {1} }}",
        "note: <Buffer {2} ... 24 more bytes>",
        "note: [{3}, ...]",
    ],
)
def test_what_is_left_of_bytes_goes(form: str) -> None:
    def drawn(data: bytes) -> tuple[str, str, str]:
        return data[:16].hex(" ", 4), data[:16].hex(" "), ", ".join(map(str, data[:16]))

    words, pairs, numbers = drawn(BYTES)
    left = _left(["words", form.format(words, BYTES[-8:].hex(" ", 4), pairs, numbers), "words"])
    assert not any(shown in left for shown in (words, pairs, numbers, BYTES[-8:].hex(" ", 4)))
    words, pairs, numbers = drawn(WORDS)
    row = form.format(words, WORDS[-8:].hex(" ", 4), pairs, numbers)
    assert _left([row]) == row, "plain words stay"
