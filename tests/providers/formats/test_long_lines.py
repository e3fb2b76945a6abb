"""When a line takes too much memory, and what is made of its beginning."""

import base64
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.providers.formats.json_lines import decode_lenient
from dejavu.providers.formats.long_lines import closed_record, is_too_long

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def begins(part: Any, whole: Any) -> bool:
    """Whether `part` is what can be told of `whole` from its beginning."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part.rstrip("\ufffd")) or part == whole
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(begins, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and begins(value, whole[key]) for key, value in part.items())
    return part == whole


@settings(max_examples=60)
@given(st.dictionaries(st.text(), VALUES, min_size=1), st.floats(0, 1), st.booleans())
def test_the_beginning_of_a_record_is_a_record(
    record: dict[str, Any], share: float, ascii_only: bool
) -> None:
    line = json.dumps(record, ensure_ascii=ascii_only).encode()
    closed = closed_record(line[: max(1, int(len(line) * share))])
    value = decode_lenient(closed)
    assert isinstance(value, dict)
    assert begins(value, record)


def test_a_text_that_is_cut_is_kept_as_far_as_it_goes() -> None:
    line = rb'{"type":"user","message":{"content":[{"type":"text","text":"one \n two \u00'
    assert json.loads(closed_record(line))["message"]["content"][0]["text"] == "one \n two "


@pytest.mark.parametrize("junk", [b"", b"\0" * 100, b"plain words", b"]]]", b'"', b"}{"])
def test_what_is_no_record_is_none(junk: bytes) -> None:
    assert not isinstance(decode_lenient(closed_record(junk)), dict)


DENSE = base64.b64encode(random.Random(1).randbytes(22_500_000))


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (b'{"t":"' + b"plain words " * 5_000_000 + b'"}', False),
        (b'{"t":"' + b"plain words " * 5_500_000 + b'"}', True),
        (b'{"t":"' + b"plain words " * 2_000_000 + "é".encode() + b'"}', False),
        (b'{"t":"' + b"plain words " * 2_000_000 + "😀".encode() + b'"}', True),
        (b'{"t":"' + b"plain words " * 2_000_000 + b'\\ud83d\\ude00"}', True),
        (b'{"t":"' + b"a, {b: [c]}, " * 4_000_000 + b'"}', False),
        (b'{"t":[' + b"{}," * 1_000_000 + b"{}]}", True),
        (b'{"t":"' + DENSE[:20_000_000] + b'"}', False),
        (b'{"t":"' + DENSE + b'"}', True),
    ],
    ids=["60 MB", "66 MB", "accent", "emoji", "\\ud83d", "code", "objects", "base64", "more base64"],
)  # fmt: skip
def test_a_line_is_measured_by_the_memory_it_takes(line: bytes, verdict: bool) -> None:
    assert is_too_long(line) is verdict
