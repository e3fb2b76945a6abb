"""The text of the demo agent's session: data only.

`SCRIPT` has the exchanges in order. Each step of a reply is text that streams in, or a command
that must be allowed first and then prints its output.

Tested in: tests/interfaces/test_demo.py
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Say:
    """Text that streams in, plain paragraphs and lists."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command that the agent asks permission for, and its output."""

    command: str
    output: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt, what the spinner says while the agent thinks, and the reply."""

    prompt: str
    verb: str
    reply: tuple[Say | Command, ...]


SCRIPT = (
    Exchange(
        "Why does the retry test fail only on Mondays?",
        "Pondering",
        (
            Say(
                "The test builds its deadline from the local week number. In the first hours of a "
                "Monday the worker still counts in UTC, where it is Sunday, so the deadline lies a "
                "week in the past and every retry is refused at once."
            ),
            Say(
                "Two ways out:\n\n"
                "- compare moments, not calendar weeks\n"
                "- or give both sides the same clock, which also makes the test repeatable"
            ),
        ),
    ),
    Exchange(
        "Do the second one, and show me that it passes.",
        "Tinkering",
        (
            Say("I'll hand the clock in as an argument, then run the test under a Monday."),
            Command("pytest -q tests/test_retry.py", "....\n4 passed in 0.12s"),
            Say("Done. All four pass, with the clock set to Monday 00:30 in three time zones."),
        ),
    ),
    Exchange(
        "Grüße! Please say it once in 日本語 for the changelog.",
        "Translating",
        (Say("再試行のテストは月曜日にも通るようになりました。🎉"),),
    ),
)
