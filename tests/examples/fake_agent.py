"""An agent as far as a terminal shows one: a prompt box, a spinner, a dialog, an answer.

Takes keys, pastes and Enter; answers each prompt after asking leave once. Ends on Ctrl-C.
"""

import os
import select
import sys
import time
import tty
from pathlib import Path

from dejavu.interfaces.demo.view import View


def keys(seconds: float) -> bytes:
    """What was typed, at the latest after `seconds`."""
    return os.read(0, 4096) if select.select([0], [], [], seconds)[0] else b""


def work(view: View, seconds: float) -> None:
    end, beat = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        beat += 1
        view.status = f"{'✢✳✶✻'[beat % 4]} Pondering… ({beat // 8}s · esc to interrupt)"
        view.paint()
        time.sleep(0.12)
    view.status = ""


def ask(view: View) -> None:
    labels, pointed, read = ("Yes", "No, and say what to do instead (esc)"), 0, b""
    while b"\r" not in read:
        rows = [
            f"{'❯' if n == pointed else ' '} {n + 1}. {label}" for n, label in enumerate(labels)
        ]
        view.dialog = ["Bash command", "", "  make", "", "Do you want to run this command?", *rows,
                       "", "Enter to confirm · Esc to cancel"]  # fmt: skip
        view.paint()
        read = keys(60)
        pointed = min(1, max(0, pointed + read.count(b"\x1b[B") - read.count(b"\x1b[A")))
    note(labels[pointed].partition(",")[0])
    view.dialog = []


def note(text: str) -> None:
    """Remember for the test what came in."""
    with Path(os.environ["PROMPTS"]).open("a") as log:
        log.write(text + "\n")


def main() -> None:
    tty.setraw(0)
    sys.stdout.write("\x1b[?2004h")
    view = View(100, 24, title="✳ Demo agent")
    view.open()
    typed = b""
    while True:
        view.draft = typed.decode(errors="replace").replace("\r", " ")  # as its one line shows it
        view.paint()
        read = keys(60)
        typed += read.replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b"")
        if b"\x03" in typed:
            return
        if read == b"\r":
            prompt, typed, view.draft = typed.rstrip(b"\r").decode().replace("\r", " "), b"", ""
            note(prompt)
            view.transcript += ["", *view.say("❯ ", prompt)]
            work(view, 1.0)
            ask(view)
            work(view, 0.6)
            view.transcript += ["", *view.say("● ", f"Did it: {prompt}.")]


main()
