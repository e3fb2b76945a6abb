"""What is said in the recordings of `record.py`: all words are ours, none an agent's.

`scenario` returns the rig's form: turns of a prompt and of replies, each a list of blocks. It holds
an answer longer than any screen, a table, fences that quote dialogs and spinners, a call that is
allowed and one that is refused, a pasted prompt with a blank line behind a resize, and an answer
that is interrupted.
"""

from typing import Any

_SUBJECTS = (
    ("harbour", "The pilot boards beyond the bar and reads the tide before he reads the chart"),
    ("orchard", "Every third row was grafted in a wet spring and bears two weeks after the others"),
    ("foundry", "Sand that was tempered overnight takes a sharper edge than sand wetted at noon"),
    (
        "library",
        "Cards were typed twice, once for the reader and once for the binder in the cellar",
    ),
    ("bakery", "Rye keeps its crumb for a week when the sour was fed at even hours"),
    ("mill", "The lower stone lies still while the upper one turns with the brook"),
    ("observatory", "A clear night in March is worth nine in August for double stars"),
    ("ropewalk", "Hemp is laid against the twist of its yarns so that neither can open"),
)

_DIALOG = """Do you want to proceed?
❯ 1. Yes
  2. No, and tell me what to do differently (esc)

Enter to select · Esc to cancel"""

_SPINNER = "✻ Thinking… (12s · esc to interrupt)\n⠋ Working (3s • esc to interrupt)"

PASTED = """Please keep these three remarks for later:

first remark: the lamp on the pier was green
second remark: the bell rang twice before noon

third remark: nobody saw the ferry leave"""


def _long() -> str:
    parts = ["## A walk through eight trades"]
    for number, (name, sentence) in enumerate(_SUBJECTS, 1):
        parts.append(
            f"{number}. The **{name}** comes {_ordinal(number)}. {sentence}, and whoever comes to "
            f"the {name} for the first time should ask about it before touching anything there."
        )
        parts.append(f"   - Rule {number} of the {name}: never hurry the work of others.")
    return "\n\n".join([*parts, "That ends the walk through the eight trades."])


def _ordinal(number: int) -> str:
    names = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
    return names[number - 1]


def _quoting() -> str:
    return (
        "An older tool drew its question like this:\n\n"
        f"```text\n{_DIALOG}\n```\n\n"
        "While it was busy, its last rows read as follows:\n\n"
        f"```text\n{_SPINNER}\n```\n\n"
        "| trade | tools | apprentices |\n|---|---|---|\n"
        "| harbour | lead and line | four |\n| mill | pick and bill | two |\n"
        "| ropewalk | top and sledge | seven |\n\n"
        "Nothing of that is asked now; it is only a quotation."
    )


def scenario() -> dict[str, Any]:
    """The turns, in the form of the rig's scenarios."""
    slow = " ".join(f"Step {n} of the count is taken without any haste." for n in range(1, 60))
    return {
        "turns": [
            {"user": "Describe eight old trades at length.", "reply": [[{"text": _long()}]]},
            {
                "user": "Write the word lantern into lantern.txt and show it.",
                "reply": [
                    [
                        {"text": "I write the file and show it."},
                        {
                            "tool": "shell",
                            "args": {"command": "echo lantern > lantern.txt && cat lantern.txt"},
                        },
                    ],
                    [{"sleep": 2}, {"text": "The file holds one word, as you asked for."}],
                ],
            },
            {
                "user": "Remove the folder /tmp/never-there-at-all.",
                "deny": True,
                "reply": [
                    [
                        {"text": "This would remove the folder for good."},
                        {"tool": "shell", "args": {"command": "rm -rf /tmp/never-there-at-all"}},
                    ],
                    [{"text": "Then the folder stays where it is."}],
                ],
            },
            {
                "user": PASTED,
                "paste": True,
                "resize": True,
                "reply": [[{"sleep": 1}, {"text": "I keep all three remarks for later."}]],
            },
            {
                "user": "Count to sixty in full sentences.",
                "interrupt": 5,
                "reply": [[{"text": slow, "cps": 60}]],
            },
            {
                "user": "How did an older tool ask its questions?",
                "reply": [[{"text": _quoting(), "cps": 220}]],
            },
            {
                "user": "Name the colour of the lamp.",
                "reply": [[{"sleep": 1}, {"text": "The lamp on the pier was green, you wrote."}]],
            },
        ]
    }
