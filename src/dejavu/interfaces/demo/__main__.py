"""Play the demo session in this terminal: `python -m dejavu.interfaces.demo [--speed N]`.

Exit code 0 at the end, 130 on Ctrl-C. Every wait is bounded, so it always ends.
"""

import argparse
import contextlib
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Generator
from types import FrameType

from .script import SCRIPT, Command, Exchange, Say
from .view import View

_SPINNER = "·✢✳✶✻✽✻✶✳✢"


class _Interrupted(Exception):  # noqa: N818 - a key, not an error
    """Ctrl-C was typed."""


class Player:
    """Plays the script on a view. `speed` 2.0 takes half the time."""

    def __init__(self, view: View, speed: float) -> None:
        self.view, self.speed = view, speed
        self.resized = False

    def rest(self, seconds: float) -> None:
        """Wait, looking for Ctrl-C and for a new window size meanwhile."""
        end = time.monotonic() + seconds / self.speed
        while True:
            left = end - time.monotonic()
            if self.resized:
                self.resized = False
                self.view.resize(*_size())
                self.view.paint()
            if left <= 0:
                return
            with contextlib.suppress(InterruptedError):
                if select.select([sys.stdin], [], [], left)[0]:
                    keys = os.read(sys.stdin.fileno(), 1024)
                    if not keys or b"\x03" in keys:
                        raise _Interrupted

    def spin(self, verb: str, seconds: float) -> None:
        """Turn the spinner for a while."""
        self.view.title = f"◐ {verb}"
        for beat in range(max(1, int(seconds / 0.12))):
            glyph, elapsed = _SPINNER[beat % len(_SPINNER)], int(beat * 0.12) + 1
            self.view.status = f"{glyph} {verb}… ({elapsed}s · esc to interrupt)"
            self.view.paint()
            self.rest(0.12)

    def say(self, step: Say) -> None:
        """Stream an answer in, a few words at a time."""
        self.view.transcript.append("")
        words = step.text.split(" ")
        for count in range(4, len(words) + 4, 4):
            self.view.streaming = self.view.say("● ", " ".join(words[:count]))
            self.view.paint()
            self.rest(0.1)
        self.view.transcript += self.view.streaming
        self.view.streaming = []

    def ask(self, step: Command) -> None:
        """Ask for permission to run a command, wait, print what the command printed."""
        self.view.status, self.view.title = "", "✳ Permission needed"
        self.view.dialog = [
            "Bash command",
            "",
            f"  {step.command}",
            "",
            "Do you want to run this command?",
            "❯ 1. Yes",
            "  2. No, and say what to do instead (esc)",
            "",
            "Enter to confirm · Esc to cancel",
        ]
        self.view.paint()
        self.rest(1.6)
        self.view.dialog = []
        self.view.transcript += ["", f"● Bash({step.command})"]
        self.view.transcript += self.view.say("  ⎿  ", step.output)
        self.view.paint()

    def play(self, exchange: Exchange) -> None:
        """One prompt and its reply."""
        for count in range(0, len(exchange.prompt) + 1, 3):
            self.view.draft = exchange.prompt[:count]
            self.view.paint()
            self.rest(0.03)
        self.view.draft = exchange.prompt
        self.view.paint()
        self.rest(0.5)
        self.view.draft = ""
        self.view.transcript += ["", *self.view.say("❯ ", exchange.prompt, bold=True)]
        self.spin(exchange.verb, 1.6)
        for step in exchange.reply:
            if isinstance(step, Say):
                self.say(step)
            else:
                self.ask(step)
            self.spin(exchange.verb, 0.5)
        self.view.status, self.view.title = "", "✳ Demo agent"
        self.view.paint()
        self.rest(1.4)


def _size() -> tuple[int, int]:
    """Columns and lines; 80x24 for a terminal that does not know, 20x8 at the least."""
    size = os.get_terminal_size(sys.stdout.fileno())
    return max(size.columns or 80, 20), max(size.lines or 24, 8)


@contextlib.contextmanager
def _raw_keys() -> Generator[None]:
    """Keys one by one and unechoed, where there is a terminal; its old mode afterwards."""
    if not sys.stdin.isatty():
        yield
        return
    old = termios.tcgetattr(sys.stdin)
    try:
        tty.setraw(sys.stdin, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, old)


def main() -> int:
    """Play the whole script and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="demo", description="A scripted agent that needs no input."
    )
    parser.add_argument("--speed", type=float, default=1.0, help="2 plays twice as fast")
    speed = max(0.1, parser.parse_args().speed)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write("demo: needs a terminal; try `dejavu-run --screen --headless demo`\n")
        return 1
    columns, lines = _size()
    view = View(columns, lines, title="✳ Demo agent")
    view.transcript = view.say("✻ ", "Demo agent of Déjà Vu: everything you see is scripted.")
    player = Player(view, speed)

    def resized(_signal: int, _frame: FrameType | None) -> None:
        player.resized = True

    signal.signal(signal.SIGWINCH, resized)
    with _raw_keys():
        view.open()
        try:
            for exchange in SCRIPT:
                player.play(exchange)
        except _Interrupted:
            return 130
        finally:
            view.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
