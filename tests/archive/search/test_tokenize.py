"""Identifiers and paths become the words they are made of, in text and query alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.search import tokenize
from dejavu.archive.search.query import tokens
from dejavu.model import Blob, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/net/retry.py", "src net retry py"),
        ("RetryBudget.tick", "retry budget tick"),
        ("retry_budget", "retry budget"),
        ("HTTPServer parseJSONFile getURL x2Y", "http server parse json file get url x2 y"),
        ("日本語のテスト", "日 本 語 の テ ス ト"),
        ("Straße ÉTÉ don't", "strasse ete don t"),
        ("\u0130stanbul", "istanbul"),
        ("a" * 70, ""),
        ("", ""),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert tokens(text) == tuple(expected.split())


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_tokens_and_they_are_stable(text: str) -> None:
    made = tokens(text)
    assert tokens(" ".join(made)) == made


def test_what_of_a_turn_is_searched() -> None:
    turn = Turn(
        role=Role.ASSISTANT,
        parts=(
            Text("said"),
            Reasoning("thought"),
            ToolCall("1", "Edit", {"file_path": "src/a.py", "edits": [{"old": "before"}], "n": 3}),
            ToolCallResponse(
                "1", [{"type": "text", "text": "x" * 900 + " the end"}], is_error=True
            ),
            ToolCallResponse("2", "y" * 900),
            Blob("image/png", "aGVsbG8="),
        ),
    )
    text, tools, paths = tokenize.searchable_text(turn)
    pieces = text.split("\n")
    assert pieces[:5] == ["said", "thought", "Edit", "src/a.py", "before"]
    assert [len(piece) for piece in pieces[5:]] == [tokenize.RESPONSE] * 3
    assert pieces[6].endswith("x the end")
    assert pieces[7] == "y" * tokenize.RESPONSE
    assert (tools, paths) == (["Edit"], ["src/a.py"])


@pytest.mark.parametrize("value", ["/etc/hosts", "a.py", "../x/y", "C:/x/y.txt", "src/"])
def test_what_looks_like_a_path(value: str) -> None:
    turn = Turn(role=Role.ASSISTANT, parts=(ToolCall("1", "t", value),))
    assert tokenize.searchable_text(turn).paths == [value]


@pytest.mark.parametrize("value", ["echo a/b", "hello", "", "x" * 600 + "/y", "1.5"])
def test_what_does_not(value: str) -> None:
    turn = Turn(role=Role.ASSISTANT, parts=(ToolCall("1", "t", value),))
    assert tokenize.searchable_text(turn).paths == []


def test_a_string_is_found_however_deep_it_is() -> None:
    value: object = "deep"
    for _ in range(5_000):
        value = [value]
    turn = Turn(role=Role.TOOL, parts=(ToolCallResponse("1", value),))
    assert tokenize.searchable_text(turn).text.strip() == "deep"


def test_a_text_of_megabytes_is_several_documents() -> None:
    turn = Turn(role=Role.USER, parts=(Text("word " * 400_000 + "late"),))
    text = tokenize.searchable_text(turn).text
    pieces = list(tokenize.documents_of(text))
    assert len(pieces) == 2
    assert all(len(piece) <= tokenize.LONGEST for piece in pieces)
    assert text.startswith(pieces[0])
    assert text.endswith(pieces[1])
    assert {word for piece in pieces for word in piece.split()} == {"word", "late"}
    assert len(next(tokenize.documents_of("x" * 3_000_000))) == tokenize.LONGEST
    assert list(tokenize.documents_of("")) == [""]
