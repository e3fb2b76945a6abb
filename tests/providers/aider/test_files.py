"""Aider's markdown."""

from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import PROVIDERS, Home

CHAT = b"# aider chat started at 2026-03-01 10:00:00\n\n"


def turns(parse: Any, raw: bytes) -> list[tuple[str, str]]:
    book, _ = parse("aider", CHAT + raw)
    (kept,) = book.turns.values()
    return [(str(turn.role), turn.text) for turn in kept]


def test_a_heading_of_the_answer_is_no_prompt(parse: Any) -> None:
    assert turns(parse, b"#### go  \n\nFirst:\n\n#### Step 1\ndo it\n\n#### more  \n") == [
        ("user", "go"),
        ("assistant", "First:\n\n#### Step 1\ndo it"),
        ("user", "more"),
    ]


def test_without_the_two_blanks_only_the_first_heading_is_one(parse: Any) -> None:
    assert turns(parse, b"#### go\nFirst:\n#### Step 1\ndo it\n> Applied edit\n") == [
        ("user", "go"),
        ("assistant", "First:\n#### Step 1\ndo it"),
        ("system", "Applied edit"),
    ]


def test_is_found_three_folders_down_and_by_its_variable(tmp_path: Path) -> None:
    def put(*folders: str) -> Path:
        path = tmp_path.joinpath(*folders, ".aider.chat.history.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CHAT)
        return path

    near, far = put("a", "b", "c"), put("a", "b", "c", "d")
    hidden, packed = put(".cache", "x"), put("node_modules", "x")
    found = {source.path for source in PROVIDERS["aider"].discover(Home(tmp_path, {}))}
    assert near in found
    assert not {far, hidden, packed} & found
    named = Home(tmp_path, {"AIDER_CHAT_HISTORY_FILE": str(far)}, workspace=str(packed.parent))
    found = {source.path for source in PROVIDERS["aider"].discover(named)}
    assert {near, far, packed} <= found


@pytest.mark.parametrize(
    ("words", "expected"),
    [("1.5k sent, 20", (1500, 20)), ("1..2k sent, 20", None), ("9" * 400 + " sent, 1", None)],
)
def test_counts_that_are_no_numbers_are_not_known(
    parse: Any, words: str, expected: tuple[int, int] | None
) -> None:
    chat = b"#### go  \n\nDone.\n\n> Tokens: %b received.\n\n#### more  \n" % words.encode()
    book, _ = parse("aider", CHAT + chat)
    (kept,) = book.turns.values()
    usage = next(turn.usage for turn in kept if turn.role == "assistant")
    assert (usage and (usage.input_tokens, usage.output_tokens)) == expected
