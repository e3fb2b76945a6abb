"""Texts that are known by digests: masked in place, whatever JSON does to them."""

import json

import pytest

from dejavu.redact.turn_mask import TurnMask, in_bytes, literals, record_digest, text_digest

KEY = b"k" * 32
TEXT = 'a "long" text of\nsome turn, 北京'


def mask(*texts: str, scope: str = "") -> TurnMask:
    return TurnMask(KEY, {text_digest(KEY, t, scope) for t in texts}, {len(t) for t in texts}, {})


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_json_inside_json_keeps_its_length_and_stays_json(depth: int, ascii_only: bool) -> None:
    value: object = {"text": TEXT, "other": TEXT + "!"}
    for _ in range(depth):
        value = {"inner": json.dumps(value, ensure_ascii=ascii_only)}
    line = json.dumps(value, ensure_ascii=ascii_only).encode() + b"\n"
    masked = mask(TEXT)(b"before\n" + line)
    assert len(masked) == len(line) + 7
    value = json.loads(masked[7:])
    for _ in range(depth):
        assert isinstance(value, dict)
        value = json.loads(value["inner"])
    assert isinstance(value, dict)
    assert value["text"].startswith("[pruned]*")
    assert value["other"] == TEXT + "!"


def test_a_line_of_text_and_a_beginning_of_one() -> None:
    one = mask(long := "a line of a transcript in Markdown")
    assert one(f"  {long}\r\nanother\n".encode()) == f"  [pruned]{'*' * 26}\r\nanother\n".encode()
    assert one.mask_truncated_end("a line of a trans…") == "[pruned]"
    assert one.mask_truncated_end("another") == "another"
    assert one.turn(json.dumps({"content": long}).encode()) == b'{"content": "[pruned]"}'


def test_a_short_text_goes_in_its_scope_and_never_from_a_record_s_structure() -> None:
    one = mask("user", scope="c1")
    line = b'{"role": "user", "content": "user"}'
    assert one(line) == line
    one.scope = ("c0", "c1")
    assert one(line) == b'{"role": "user", "content": "****"}'


def test_a_record_in_pieces_is_known_as_a_whole() -> None:
    line = '{"delta": "Häl"}'
    places = in_bytes(line, [(one.start, one.stop) for one in literals(line)])
    one = TurnMask(KEY, (), (), {record_digest(KEY, line.encode()): places})
    assert one((line + "\n").encode()) == b'{"delta": "****"}\n'
    assert one(b'{"delta": "lo"}\n') == b'{"delta": "lo"}\n'
