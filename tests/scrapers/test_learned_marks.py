"""Prompts and answers behind marks that no rule knows, learnt from the session itself."""

import pytest

from dejavu.model import Role
from dejavu.scrapers import SessionReader, load_packs

PACK = """
agent = "x"
title = "X"
date = 2026-11-21
[[region]]
id = "input"
name = "input"
first = '^═{20,}$'
last = '^═{20,}$'
inner = '^(> .*|>)$'
[[state]]
id = "input"
state = "idle"
region = "input"
[[line]]
id = "user"
kind = "user"
first = '^known> (?P<text>.*)$'
[[line]]
id = "text"
kind = "text"
first = '^known= (?P<text>.*)$'
"""
EDGE = "═" * 40


def session(prompt: str, answer: str) -> SessionReader:
    """A prompt that is typed, sent and answered behind these marks."""
    reader = SessionReader("x", 60, 24, packs=load_packs({"x.toml": PACK}))
    rows: list[str] = []
    asked = "what is the lamp made of"
    for at, typed, more in (
        (1.0, "", []),
        (2.0, asked, []),
        (3.0, "", [f"{prompt} {asked}", ""]),
        (4.0, "", [f"{answer} It is made of brass,", "  and of glass.", ""]),
    ):
        rows += more
        screen = "\r\n".join([*rows, EDGE, f"> {typed}", EDGE])
        reader.output(f"\x1b[H\x1b[J{screen}".encode(), at)
        reader.tick(at + 0.9)
    return reader


@pytest.mark.parametrize(("prompt", "answer"), [("»", "◇"), ("❯", "✦"), (">", "●")])
def test_marks_are_learnt_from_what_was_typed_and_from_what_stands_below_it(
    prompt: str, answer: str
) -> None:
    said = [(turn.role, turn.text) for turn in session(prompt, answer).turns]
    assert said == [
        (Role.USER, "what is the lamp made of"),
        (Role.ASSISTANT, "It is made of brass,\nand of glass."),
    ]


@pytest.mark.parametrize("answer", ["│", "1.", "-", "⠋", "ℹ"])
def test_boxes_lists_spinners_and_notes_are_no_marks_of_answers(answer: str) -> None:
    assert [turn.role for turn in session("»", answer).turns] == [Role.USER]


def test_a_mark_that_the_pack_knows_is_not_learnt_again() -> None:
    assert next(iter(session("known>", "known=").turns)).text == ("what is the lamp made of")
