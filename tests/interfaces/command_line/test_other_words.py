"""Other programs' words for our commands."""

import pytest

from dejavu.interfaces.command_line import other_words
from dejavu.interfaces.command_line.commands import COMMANDS, OLD_NAMES

SHOWN = {name: entry.summary for name, entry in COMMANDS.items()}


@pytest.mark.parametrize(
    ("word", "meant"),
    [("rm", "delete"), ("install", "init"), ("find", "search"), ("ls", "list"), ("lst", "list"),
     ("undo", "code recover"), ("continue", "resume")],
)  # fmt: skip
def test_a_word_of_other_programs_leads_to_ours(word: str, meant: str) -> None:
    assert f"did you mean {meant!r}?" in other_words.suggestion(word, SHOWN)


def test_the_opposite_of_a_command_is_an_option_of_it() -> None:
    for word, option in (("unstar", "star --remove"), ("untag", "tag --remove")):
        assert other_words.suggestion(word, SHOWN) == f"; did you mean {option!r}?"
    assert "delete --undo" in other_words.suggestion("trash", SHOWN)


def test_what_is_a_key_in_the_browser_is_told() -> None:
    assert "y in the browser" in other_words.suggestion("copy", SHOWN)
    assert other_words.suggestion("xyzzy", SHOWN) == ""


def test_the_words_are_not_ours_and_lead_to_commands_that_are() -> None:
    assert not set(other_words._COMMANDS) & {*COMMANDS, *OLD_NAMES}
    assert not set(other_words._ANSWERS) & {*COMMANDS, *OLD_NAMES}
    assert set(other_words._COMMANDS.values()) <= set(SHOWN)
