"""Typed bytes as the texts that Enter sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.scrapers.typed_keys import MAX_TEXT, TypedText


def sent(*pieces: bytes) -> list[tuple[str, bool]]:
    typed = TypedText()
    return [(text.text, text.exact) for piece in pieces for text in typed.feed(piece, 1.0)]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"hello\r", "hello"),
        (b"hellp\x7fo\r", "hello"),
        (b"wrong\x15right\r", "right"),
        (b"wrong\x03right\r", "right"),
        (b"one\ntwo\r", "one\ntwo"),
        (b"one\x1b\rtwo\r", "one\ntwo"),
        (b"one\\\rtwo\r", "one\ntwo"),
        (b"one\x1b[13;2utwo\x1b[13u", "one\ntwo"),
        (b"\x1b[72;2u\x1b[105u\x1b[105;1:3u\r", "Hi"),
        (b"a \x1b[200~b\rc\x1b[Ad\x1b[201~ e\r", "a b\nc\x1b[Ad e"),
        (b"\x1b[?1;2c\x1b]11;rgb:0/0/0\x1b\\\x1b[3;1R\x1b[I\x1b[<0;3;4Mhello\r", "hello"),
        ("caf\u00e9 \u6587\r".encode(), "caf\u00e9 \u6587"),
    ],
)
def test_keys_make_a_text(data: bytes, text: str) -> None:
    assert sent(data) == [(text, True)]
    assert sent(*(data[n : n + 1] for n in range(len(data)))) == [(text, True)], "byte by byte"


@pytest.mark.parametrize("key", [b"\x1b[A", b"\x1bOC", b"\t", b"\x17", b"\x1bb", b"\x1b[3~"])
def test_what_only_the_agent_knows_is_not_exact(key: bytes) -> None:
    assert sent(b"hello" + key + b"\r", b"next\r") == [("hello", False), ("next", True)]


def test_the_escape_key_is_no_part_of_a_text() -> None:
    typed = TypedText()
    assert not [*typed.feed(b"\x1b", 1.0)]
    assert [(one.text, one.exact) for one in typed.feed(b"hello\r", 2.0)] == [("hello", True)]


def test_enter_alone_sends_nothing() -> None:
    assert sent(b"\r\r") == []


def test_a_text_behind_keys_that_were_not_seen_is_not_exact() -> None:
    typed = TypedText()
    assert not list(typed.feed(b"hel", 1.0))
    typed.lose()
    assert [text.exact for text in typed.feed(b"lo\rnext\r", 2.0)] == [False, True]


def test_a_text_has_an_end() -> None:
    [(text, exact)] = sent(b"x" * (MAX_TEXT + 5), b"\r")
    assert (len(text), exact) == (MAX_TEXT, False)


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_nothing_raises_and_pieces_do_not_matter(pieces: list[bytes]) -> None:
    typed = TypedText()
    for piece in pieces:
        list(typed.feed(piece, 0.0))
