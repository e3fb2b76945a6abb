"""Screens of our own whose answers quote dialogs, spinners, footers and errors.

    python -m benchmarks.scrapers.adversarial FOLDER

Writes one file a case: the first line is `# AGENT STATE TITLE`, the rest the screen's rows. The
texts are ours; the chrome around them is drawn as each agent draws it. In a third of the cases
the agent is idle, in a third it works, in a third a real dialog is open: the quote must change
none of them.
"""

import sys
from pathlib import Path

from benchmarks.scrapers.chrome import AGENTS, LINES

QUOTES = {
    "permission": [
        "The old build asked this before every run:",
        "",
        "Do you want to proceed?",
        "❯ 1. Yes",
        "  2. Yes, and don't ask again",
        "  3. No",
        "",
        "Esc to cancel · Tab to amend",
    ],
    "approval": [
        "In the log you will find the approval as it was shown:",
        "",
        "Would you like to run the following command?",
        "$ rm -rf build",
        "› 1. Yes, proceed (y)",
        "  2. No, and tell it what to do differently (esc)",
        "",
        "Press enter to confirm or esc to cancel",
    ],
    "spinner": [
        "While it thinks the status row reads like this:",
        "",
        "✻ Pondering… (12s · ↑ 2.1k tokens · esc to interrupt)",
        "",
        "and the dots never stop: ⠋ Working... ⠙ Working...",
    ],
    "working": [
        "The header of a running turn is",
        "",
        "• Working (8s • esc to interrupt)",
        "",
        "and it is gone as soon as the turn ends.",
    ],
    "braille": [
        "These three rows come from the test of the spinner:",
        "",
        "⠋ Working… · Tip: press ctrl-s to steer",
        "⠹ Thinking... (esc to cancel, 5s)",
        "🌔 · Tip: read the manual",
    ],
    "box": [
        "The tool box of that version looked so:",
        "",
        "╭──────────────────────────────────────╮",
        "│ ? Shell  make install                │",
        "│ Allow execution of [Shell]?          │",
        "│ ● 1. Allow once                      │",
        "│   2. No, suggest changes (esc)       │",
        "╰──────────────────────────────────────╯",
    ],
    "bar": [
        "A permission there is a bar with three answers:",
        "",
        "△ Permission required",
        "  Allow once   Allow always   Reject     ctrl+f fullscreen  ⇆ select  enter confirm",
        "■■■⬝⬝⬝ esc interrupt",
    ],
    "streaming": [
        "Its lower border said one of these:",
        "",
        "≈ Streaming response...  Esc to cancel",
        "Run this command?  Allow All for This Session  Deny with feedback",
        "Waiting for approval",
    ],
    "question": [
        "The installer stopped at its own question:",
        "",
        "Add file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]:",
        "Continue? [y/n]",
    ],
    "failure": [
        "The report lists what users see when the key is wrong:",
        "",
        "API Error: 401 invalid key. Please run /login",
        "Error: rate limit reached, you've hit your limit",
        "■ stream disconnected before completion",
    ],
    "footer": [
        "Three footers, from the three versions:",
        "",
        "? for shortcuts",
        "⏸ manual mode on · esc to interrupt",
        "press esc to interrupt, ctrl+c to stop",
    ],
}


def cases() -> list[tuple[str, str]]:
    """Name and text of every case."""
    made: list[tuple[str, str]] = []
    for row, (agent, draw) in enumerate(AGENTS.items()):
        for column, (name, quote) in enumerate(QUOTES.items()):
            state = ("idle", "working", "blocked")[(row + column) % 3]
            if agent == "pi" and state == "blocked":
                state = "idle"
            body, title = draw(quote, state)
            rows = ["" for _ in range(LINES - len(body))] + body
            made.append(
                (
                    f"{agent}-{name}-{state}",
                    "\n".join([f"# {agent} {state} {title}".rstrip(), *rows]) + "\n",
                )
            )
    return made


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in cases():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    print(f"{len(cases())} cases in {folder.name}")


if __name__ == "__main__":
    main()
