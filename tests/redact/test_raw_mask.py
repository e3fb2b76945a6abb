import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.redact.raw_mask import RawMask

REDACTOR = Redactor(b"key")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Xk9pQ2z7"


def test_a_secret_becomes_its_label_and_stars_of_its_length() -> None:
    mask = RawMask(REDACTOR)
    line = json.dumps({"text": f"x\n{TOKEN}", "password": PASSWORD}).encode() + b"\n"
    masked = mask(line)
    assert len(masked) == len(line)
    value = json.loads(masked)
    assert value["password"] == "*" * 8
    assert value["text"].startswith("x\n[redacted:github:")
    assert len(mask.masked) == 2
    assert mask(masked) == masked


_PLAIN = st.text(max_size=12)
_JSON = st.recursive(
    _PLAIN | st.integers() | st.sampled_from([TOKEN, f"a\n{TOKEN}\\", f'"{TOKEN}"', f"é{TOKEN}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_PLAIN, inner, max_size=3),
    max_leaves=8,
)


@given(_JSON, st.booleans(), st.booleans())
def test_any_json_keeps_length_and_shape_and_loses_the_secret(
    value: Any, ascii_: bool, nested: bool
) -> None:
    inner = json.dumps(value, ensure_ascii=ascii_)
    data = json.dumps([inner] if nested else [value], ensure_ascii=ascii_).encode()
    for raw in (data, data + b"\n" + data + b"\n", b"# " + data):
        masked = RawMask(REDACTOR)(raw)
        assert len(masked) == len(raw)
        assert TOKEN.encode() not in masked
    assert json.loads(RawMask(REDACTOR)(data)) is not None


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_keep_their_length(before: bytes, after: bytes) -> None:
    data = before + b" " + TOKEN.encode() + b" " + after
    masked = RawMask(REDACTOR)(data)
    assert len(masked) == len(data)
    assert TOKEN.encode() not in masked
    assert masked.startswith(before)


def test_a_piece_of_a_document_is_masked_behind_its_escapes() -> None:
    document = json.dumps({"a": [f"x\n{TOKEN}\nz", f"a\\n{TOKEN}"]}).encode()
    piece = document[6:]
    assert TOKEN.encode() not in RawMask(REDACTOR)(piece)


def test_only_what_is_wanted_is_masked() -> None:
    line = json.dumps({"text": TOKEN, "password": PASSWORD}).encode()
    [(_, digest, _)] = REDACTOR.findings(TOKEN)
    masked = RawMask(REDACTOR, {digest}.__contains__)(line)
    assert PASSWORD.encode() in masked
    assert TOKEN.encode() not in masked


def test_a_secret_that_is_a_key_too_is_masked() -> None:
    mask = RawMask(REDACTOR)
    other = "Yk9pQ2z8"
    line = json.dumps({PASSWORD: 1, other: 2, "password": PASSWORD, "passwd": other}).encode()
    masked = mask(line)
    assert len(masked) == len(line)
    assert PASSWORD.encode() not in masked
    assert other.encode() not in masked
    assert list(json.loads(masked).values())[:2] == [1, 2]
    assert not mask.left


@pytest.mark.parametrize("levels", range(4))
def test_a_secret_is_masked_however_it_is_escaped(levels: int) -> None:
    token = f"{TOKEN[:6]}\\u{ord(TOKEN[6]):04x}{TOKEN[7:]}"
    data = f'{{"password": "Xk9\\u0070Q2\\/z7\\ud83d\\ude00", "a": "{token}"}}'
    for _ in range(levels):
        data = json.dumps({"inner": data})
    mask = RawMask(REDACTOR)
    masked = mask(data.encode())
    assert len(masked) == len(data.encode())
    assert len(mask.masked) == 2
    assert b"Xk9" not in masked
    assert TOKEN[7:].encode() not in masked
    assert not mask.left


@pytest.mark.parametrize("text", [f"use {TOKEN[:9]}…", f"use {TOKEN[:20]}"])
def test_the_beginning_of_a_known_value_at_an_end_goes(text: str) -> None:
    mask = RawMask(REDACTOR)
    mask(TOKEN.encode())
    assert TOKEN[:6] not in mask.mask_truncated_end(text)
    assert mask.mask_truncated_end("use it") == "use it"


_ASSIGNED = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzQ9vT31xLb"


@given(st.lists(st.sampled_from(["", ".", ",", ")", "]", '"', "!", ".)"]), min_size=1, max_size=4))
def test_a_secret_is_masked_whatever_follows_it(endings: list[str]) -> None:
    texts = [f"AWS_SECRET_ACCESS_KEY={_ASSIGNED}{end} Keep" for end in endings]
    mask = RawMask(REDACTOR)
    masked = mask(json.dumps(texts).encode())
    assert _ASSIGNED.encode() not in masked
    assert len(mask.masked) == 1
    assert mask.left == 0


def test_what_was_masked_under_the_digest_of_the_whole_value_stays_away() -> None:
    text = f"AWS_SECRET_ACCESS_KEY={_ASSIGNED}. Keep"
    whole = REDACTOR.digest_as_written(f"{_ASSIGNED}.")
    assert whole != REDACTOR.findings(text)[0][1]
    assert _ASSIGNED.encode() not in RawMask(REDACTOR, {whole}.__contains__)(text.encode())
    assert _ASSIGNED.encode() in RawMask(REDACTOR, {"00000000"}.__contains__)(text.encode())
