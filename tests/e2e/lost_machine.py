"""A throw-away machine with a real agent on a scripted model: what a person does on it.

`Machine` asks the agent, resumes, lists its conversations, deletes one, and lets its own clean-up run.
Every process that an agent leaves behind is ended by its id.
"""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.screen import Terminal

FIRST, SECOND, NEXT, HELLO = (
    "Remember the word lantern.",
    "Print the big list.",
    "Which word was it?",
    "Say hello to the birch.",
)
SHELL = {"tool": "shell", "args": {"command": "echo hello-from-the-tool"}}
TURNS: dict[str, Any] = {
    "turns": [
        {"user": FIRST, "reply": [[{"text": "I will remember lantern."}]]},
        {
            "user": SECOND,
            "reply": [
                [{"thinking": "I need a shell."}, {"text": "Running it."}, SHELL],
                [{"text": "The list is printed."}],
            ],
        },
        {"user": NEXT, "reply": [[{"text": "It was lantern."}]]},
        {"user": HELLO, "reply": [[{"text": "Hello."}]]},
    ]
}
ANSWERS: dict[str, str] = {turn["user"]: turn["reply"][-1][-1]["text"] for turn in TURNS["turns"]}
_LIMIT = 240.0  # seconds for one run of an agent
_ENDS = 5.0  # seconds in which a process ends that is told to
_QUIET = 3.0  # seconds until an agent takes keys, and until it has written its files
_PAUSE = 0.7  # seconds before each key
_PURGED = 60.0  # seconds in which an agent purges what is old
_LISTED = 120.0  # seconds until a list of conversations must be on the screen
_YEAR = 400 * 86_400.0  # older than anything that an agent keeps
_LATER = """
const shift = 400 * 864e5, Real = Date, now = Date.now.bind(Date);
globalThis.Date = class extends Real {
  constructor(...words) { words.length ? super(...words) : super(now() + shift); }
  static now() { return now() + shift; }
};
"""
_UP, _DOWN, _ENTER, _ESCAPE = b"\x1b[A", b"\x1b[B", b"\r", b"\x1b"
_DIALOGS = (
    ("Yes, I trust this folder", (_DOWN, _ENTER)),
    ("Detected a custom API key", (_UP, _ENTER)),
    ("Yes, continue", (_ENTER,)),
    ("Trust this folder?", (_ENTER,)),
    ("Confirm folder trust", (_ENTER,)),
    ("Do you want to proceed?", (_ENTER,)),
    ("any other key to close", (_ESCAPE,)),
)
_RESUMED = {
    "kimi": ("-r",), "pi": ("--session",), "cline": ("--id",), "amp": ("threads", "continue"),
}  # fmt: skip
PICKERS = {
    "claude": ("--resume",),
    "codex": ("resume", "--all", "--include-non-interactive"),
    "gemini": ("--list-sessions", "--skip-trust"),
    "qwen": ("sessions", "list"),
    "kimi": ("-r",),
    "pi": ("--provider", "rig", "--model", "rig-model", "--resume"),
    "opencode": ("session", "list"),
    "copilot": ("--resume",),
    "cline": ("history",),
}


class Machine(NamedTuple):
    """A home and a project's folder; `port` is where the scripted model is."""

    agent: str
    profile: Any
    home: Path
    work: Path
    port: int
    node: Path

    def set_up(self) -> None:
        """Write the agent's configuration, as a person does on a new machine."""
        self.home.mkdir(parents=True, exist_ok=True)
        self.work.mkdir(parents=True, exist_ok=True)
        self.profile.setup(self.home, self.port, self.work)
        self.end_left()

    def environ(self) -> dict[str, str]:
        """What the agent gets."""
        return {
            "HOME": str(self.home), "PATH": f"{self.node}:/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
            "USER": self.home.name, "LOGNAME": self.home.name, **self.profile.env(self.port),
        }  # fmt: skip

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command with this home in this folder."""
        try:
            return subprocess.run(
                arguments, cwd=self.work, env={**self.environ(), **more}, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT, check=False,
            )  # fmt: skip
        finally:
            self.end_left()

    def say(self, prompt: str, native_id: str | None = None) -> None:
        """One prompt without a terminal, in a new conversation or in one that is resumed."""
        command = self.profile.headless(prompt, self.port, self.work)
        # Claude Code lists only what was said on a terminal; Cline resumes only there.
        if self.agent == "claude" or (self.agent == "cline" and native_id is not None):
            self.say_on_screen(prompt, native_id, ANSWERS[prompt])
            return
        if native_id is not None:
            command = resumed(self.agent, command, native_id, prompt)
        done = self.run(*command)
        assert done.returncode == 0, f"{shown(command)}: {done.stdout[-600:]}{done.stderr[-600:]}"

    def lists(self, native_id: str, words: str) -> bool:
        """Whether the agent's own list shows the conversation: its id, or words of it."""
        command = [self.profile.bin, *PICKERS[self.agent]]
        return self._watched(command, lambda text: native_id in text or words in text, _LISTED)

    def say_on_screen(self, prompt: str, native_id: str | None, answer: str) -> None:
        """One prompt on a terminal, where the agent resumes or lists only what was said there."""
        typed: list[float] = []
        begun = "lantern" if native_id else "manual mode"

        def act(text: str) -> bytes:
            now = time.monotonic()
            if not typed and begun in text:
                typed.append(now)
                return b""
            if len(typed) == 1 and now - typed[0] > _QUIET:
                typed.append(now)
                return prompt.encode()
            if len(typed) == 2 and prompt in text and now - typed[1] > 1.0:
                typed.append(now)
                return b"\r"
            return b""

        command = self.profile.argv(self.port, self.work)
        if native_id is not None:
            command = [self.profile.bin, *_RESUMED.get(self.agent, ("--resume",)), native_id]
        seen = self._watched(command, lambda text: len(typed) > 2 and answer in text, _LIMIT, act)
        assert seen, f"{self.agent} did not answer {prompt!r} on its screen"

    def _watched(
        self,
        command: list[str],
        done: Callable[[str], bool],
        limit: float,
        act: Callable[[str], bytes] | None = None,
    ) -> bool:
        """Run a command in a terminal until what it shows is enough; whether it ever was.

        act: what is typed when it shows this.
        """
        terminal, dialogs = Terminal(120, 40), _Dialogs()
        pid, tty = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve(command[0], command, self.environ())
        fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        end = time.monotonic() + limit
        text = ""
        try:
            while time.monotonic() < end and not done(text):
                if select.select([tty], [], [], 0.2)[0]:
                    try:
                        piece = os.read(tty, 65536)
                    except OSError:  # it ended
                        break
                    terminal.feed(piece)
                    os.write(tty, terminal.replies())
                text = "\n".join((*map(str, terminal.history), *terminal.snapshot().rows))
                os.write(tty, dialogs.key(text) or (act(text) if act else b""))
            if act is not None:
                time.sleep(_QUIET)  # it writes its files a moment after its screen
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(tty)
            self.end_left()
        return done(text)

    def delete(self, native: str) -> None:
        """Delete what a person deletes: the files or rows of the session."""
        if self.agent == "opencode":
            done = self.run(self.profile.bin, "session", "delete", native)
            assert done.returncode == 0, done.stderr
            return
        for path in self.own_files(native):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def own_files(self, native: str) -> list[Path]:
        """The session's files and folders, the deepest first."""
        short = native.removeprefix("session_")
        marks = (short, short.split("-")[0]) if self.agent == "gemini" else (short,)
        found = sorted(self.home.rglob("*"), key=lambda path: -len(path.parts))
        return [path for path in found if any(mark in path.name for mark in marks)]

    def expire(self, native: str) -> bool:
        """Let 400 days pass and the agent start; whether it purged the conversation."""
        then = time.time() - _YEAR
        for path in [path for path in self.home.rglob("*") if path.is_file()]:
            os.utime(path, (then, then), follow_symlinks=False)
        later = self.home.parent / "later.js"
        later.write_text(_LATER)
        before = len(self.own_files(native))
        command = self.profile.headless(HELLO, self.port, self.work)
        self.run(*command, NODE_OPTIONS=f"--require={later}")
        if self.agent == "claude":  # it cleans up in the background of its screen
            self._watched(
                [self.profile.bin], lambda _: len(self.own_files(native)) < before, _LISTED
            )
        return len(self.own_files(native)) < before

    def end_left(self) -> None:
        """End what the agent left running, and wait until it has ended."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            end = time.monotonic() + _ENDS
            while (left := self._left()) and time.monotonic() < end:
                for pid in left:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                time.sleep(0.2)

    def _left(self) -> list[int]:
        """The processes that have this home."""
        mark = f"HOME={self.home}".encode()
        found: list[int] = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found


class _Dialogs:
    """The keys for dialogs that come before everything else: each dialog once, a key at a time."""

    def __init__(self) -> None:
        self._answered: set[str] = set()
        self._keys: list[bytes] = []
        self._at = 0.0

    def key(self, text: str) -> bytes:
        """The next key; empty where none is due."""
        for mark, keys in _DIALOGS:
            if mark in text and mark not in self._answered:
                self._answered.add(mark)
                self._keys, self._at = list(keys), time.monotonic()
        if not self._keys or time.monotonic() - self._at < _PAUSE:
            return b""
        self._at = time.monotonic()
        return self._keys.pop(0)


def shown(command: list[str]) -> str:
    """A command for an error message."""
    return " ".join(Path(word).name if i == 0 else word for i, word in enumerate(command))


def resumed(agent: str, command: list[str], native_id: str, prompt: str) -> list[str]:
    """The command of one prompt, resuming a conversation."""
    program, *rest = command
    if agent == "codex":
        options = ["--json", "--skip-git-repo-check", "-c", 'approval_policy="never"']
        return [program, "exec", "resume", *options, native_id, prompt]
    if agent == "opencode":
        return [program, "run", "-s", native_id, "--format", "json", prompt]
    return [program, *_RESUMED.get(agent, ("--resume",)), native_id, *rest]
