"""Secrets in the words of a command line."""

import pytest

from dejavu.redact import Redactor
from dejavu.sessions.observer.observed_session import redact_arguments

_KEY = "sk-ant-api03-" + "Zx9" * 31 + "AA"


@pytest.mark.parametrize(
    "words",
    [
        ["claude", f"--api-key={_KEY}"],
        ["claude", "--api-key", _KEY],
        ["env", f"ANTHROPIC_API_KEY={_KEY}", "claude", "-p", "hello there"],
        ["agent", "--password", "correct-horse-7-Battery"],
        ["agent", "--db-password=correct-horse-7-Battery"],
        ["agent", "-p", "my own stapler-4711-xyz is it"],
    ],
)
def test_no_key_stands_in_the_words_and_their_number_stays(words: list[str]) -> None:
    redactor = Redactor(b"k" * 32, ["stapler-4711-xyz"])
    redacted = redact_arguments(words, redactor.redact)
    assert len(redacted) == len(words)
    assert redacted[0] == words[0]
    for secret in (_KEY, "correct-horse-7-Battery", "stapler-4711-xyz"):
        assert secret not in " ".join(redacted)


def test_other_words_stay_as_they_are() -> None:
    words = ["codex", "exec", "--model", "gpt-5", "--", "fix the tests in src/app.py", "", "-"]
    assert redact_arguments(words, Redactor(b"k" * 32, []).redact) == words
