"""Real agents that are told things at the moment of action: a session that fails without it.

The work: change a parser (which is generated, as another conversation decided), light a lamp (whose
failure another conversation repaired), and after a compaction go on with what was open. The model
is scripted and knows none of this; it takes the right branch only where the request tells it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN
from tests.e2e.scripted_model import Fork, load, serve
from tests.factories.edits import Script

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

CHANGE, LIGHT = "Please let the parser read empty lines.", "Please light the harbour lamp."
PLAN, GO_ON = "Please plan both lanterns.", "Please go on."
AGENTS = ("claude", "codex", "gemini", "qwen", "copilot", "opencode")
FOLDERS = {"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "qwen": ".qwen",
           "copilot": ".copilot", "opencode": ".config/opencode"}  # fmt: skip
GENERATE = """echo "RULES = '$(cat {folder}/grammar.txt)'" > {folder}/parser.py
"""
LAMP = """#!/bin/sh
grep -q 'wick = long' {folder}/lamp.cfg 2>/dev/null && echo lit > {folder}/lamp.lit && exit 0
echo "fatal: the copper harbor has no lantern wick at /run/lamp/$$" >&2
exit 1
"""


class Work:
    """A project, an agent's home and the archive of what was done before."""

    def __init__(self, rig: Path, base: Path, name: str) -> None:
        self.fakemodel, agents = load(rig, "fakemodel"), load(rig, "agents")
        self.name, self.profile, self.node = name, agents.AGENTS[name], agents.NODE
        if not Path(self.profile.bin).exists():
            pytest.skip(f"needs {name} in RIG_NPM (see rig/install.sh)")
        self.base, self.home, self.folder = base, base / "home", base / "work"
        self.home.mkdir(mode=0o700)
        self.folder.mkdir()
        self.parser = self.folder / "parser.py"
        self.parser.write_text("RULES = 'lines'\n")
        (self.folder / "grammar.txt").write_text("lines\n")
        (self.folder / "generate.sh").write_text(GENERATE.format(folder=self.folder))
        lamp = self.folder / "lamp.sh"
        lamp.write_text(LAMP.format(folder=self.folder))
        lamp.chmod(0o755)
        self.plain = {
            "HOME": str(self.home),
            "PATH": f"{self.node}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }

    def remember(self) -> None:
        """Archive a conversation of another agent that decided and repaired."""
        script = Script("earlier", self.folder, agent="goose")
        script.user(
            "Let the parser read comments. Never edit parser.py by hand, it is made from grammar.txt."
        )
        script.edit(self.parser, "a", "b")
        script.run(
            f"sh {self.folder}/lamp.sh",
            "Exit code 1\nfatal: the copper harbor has no lantern wick at /run/lamp/12",
            error=True,
        )
        script.call(
            "Write", {"file_path": str(self.folder / "lamp.cfg"), "content": "wick = long\n"}
        )
        script.run(f"sh {self.folder}/lamp.sh", "Exit code 0\nlit")
        program = (
            "import sys, msgspec\nfrom dejavu.archive import Archive\n"
            "from dejavu.config.paths import archive_location\n"
            "from dejavu.model import Conversation\n"
            "with Archive.open(archive_location()) as archive:\n"
            "    archive.put(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Conversation))\n"
        )
        import msgspec

        subprocess.run(
            [sys.executable, "-c", program], input=msgspec.msgpack.encode(script.conversation()),
            env=self.plain, check=True, timeout=60,
        )  # fmt: skip

    def init(self, *options: str) -> None:
        """Register, with the assistance or without."""
        (self.home / FOLDERS[self.name]).mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [str(BIN / "dejavu"), "init", self.name, *options, "--yes"],
            env=self.plain, check=True, timeout=60, capture_output=True,
        )  # fmt: skip

    def serve(self, turns: list[dict[str, Any]]) -> Any:
        return serve(self.fakemodel, turns, self.base / "log", ("rig-model", *self.profile.models))

    def setup(self, port: int) -> None:
        self.profile.setup(self.home, port, self.folder)
        if self.name == "claude":
            (self.home / ".claude" / "settings.json").unlink()  # the rig's own hooks
        if self.name == "opencode":
            settings = self.home / ".config" / "opencode" / "opencode.json"
            value = json.loads(settings.read_text())
            value["permission"] = {"bash": "allow", "edit": "allow"}
            settings.write_text(json.dumps(value))

    def ask(self, prompt: str, port: int, *options: str) -> None:
        """One headless run of the agent."""
        command = self.profile.headless(prompt, port, self.folder)
        if self.name == "claude":
            command = [*command[:-1], "Bash,Read,Edit,Write,TodoWrite", *options]
        elif self.name == "codex":
            command = [
                *command[:-1], "--dangerously-bypass-hook-trust",
                "-c", 'sandbox_mode="danger-full-access"', *options, command[-1],
            ]  # fmt: skip
        done = subprocess.run(
            command,
            env={**self.plain, "TERM": "xterm", "SHELL": "/bin/bash", "DEJAVU_HOOK_LIMIT": "20",
                 **self.profile.env(port)},
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]

    # The calls that the scripted model makes, as each agent's tools take them.

    def shell(self, command: str) -> dict[str, Any]:
        kind, argument = ("exec_command", "cmd") if self.name == "codex" else ("shell", "command")
        return {"tool": kind, "args": {argument: command}}

    def read(self, path: Path) -> dict[str, Any]:
        if self.name == "codex":
            return self.shell(f"cat {path}")
        argument = {"opencode": "filePath", "copilot": "path"}.get(self.name, "file_path")
        name = {"copilot": "view", "claude": "Read", "opencode": "read"}.get(self.name, "read_file")
        return {"tool": name, "args": {argument: str(path)}}

    def edit(self, path: Path, old: str, new: str) -> dict[str, Any]:
        if self.name == "codex":
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
            return self.shell(f"apply_patch <<'EOF'\n{patch}\nEOF")
        names = {
            "copilot": ("edit", "path", "old_str", "new_str"),
            "opencode": ("edit", "filePath", "oldString", "newString"),
        }
        tool, *keys = names.get(self.name, ("edit", "file_path", "old_string", "new_string"))
        tool = {"claude": "Edit", "gemini": "replace"}.get(self.name, tool)
        args = dict(zip(keys, (str(path), old, new), strict=True))
        if self.name == "gemini":
            args["instruction"] = "as asked"
        return {"tool": tool, "args": args}


@pytest.fixture
def base(tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder outside /tmp, where Codex refuses to live; daemons in it are ended."""
    cache = os.environ.get("RIG_NPM", str(Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", cache)
    folder = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dva{os.getpid()}-{tmp_path.name}"
    folder.mkdir(parents=True)
    yield folder
    subprocess.run(
        [sys.executable, "-c", "from dejavu.services.daemon import instance_lock as one; one.stop()"],
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}, check=False, timeout=60,
    )  # fmt: skip
    shutil.rmtree(folder, ignore_errors=True)


def day(shared: Path, base: Path, name: str, *options: str) -> Work:
    """The two tasks, each a run of its own."""
    work = Work(shared, base, name)
    work.remember()
    old, new = "RULES = 'lines'", "RULES = 'lines, empty'"
    grammar = work.folder / "grammar.txt"
    right = work.shell(f"echo lines, empty > {grammar} && sh {work.folder}/generate.sh")
    lamp = work.shell(f"sh {work.folder}/lamp.sh")
    turns = [
        {"user": CHANGE, "reply": [
            [work.read(work.parser)],
            [work.edit(work.parser, old, new)],
            Fork("made from grammar.txt", [right], [{"text": "Done."}]),
            [{"text": "Done."}],
        ]},
        {"user": LIGHT, "reply": [
            [lamp],
            Fork("wick = long", [work.shell(f"echo 'wick = long' > {work.folder}/lamp.cfg")],
                 [{"text": "It cannot be lit."}]),
            [lamp],
            [{"text": "Lit."}],
        ]},
    ]  # fmt: skip
    server = work.serve(turns)
    try:
        work.setup(server.server_port)
        work.init(*options)
        work.ask(CHANGE, server.server_port)
        work.ask(LIGHT, server.server_port)
    finally:
        server.shutdown()
        server.server_close()
    return work


def is_right(work: Work) -> tuple[bool, bool]:
    """Whether the parser is what its grammar makes it, and the lamp is lit."""
    grammar = (work.folder / "grammar.txt").read_text().strip()
    made = work.parser.read_text().strip() == f"RULES = '{grammar}'" and "empty" in grammar
    return made, (work.folder / "lamp.lit").exists()


@pytest.mark.parametrize("name", AGENTS)
def test_what_was_decided_and_repaired_is_known_in_time(
    shared: Path, base: Path, name: str
) -> None:
    assert is_right(day(shared, base, name, "--assist")) == (True, True)


@pytest.mark.parametrize("name", AGENTS)
def test_without_it_the_session_fails(shared: Path, base: Path, name: str) -> None:
    assert is_right(day(shared, base, name)) == (False, False)


def compacted(shared: Path, base: Path, *options: str) -> Work:
    """A conversation that plans, is compacted, and goes on; its summary forgets what was open."""
    work = Work(shared, base, "claude")
    lit = work.shell(f"touch {work.folder}/second.lit")
    turns = [
        {"user": PLAN, "reply": [[{"text": "The first is lit.\nNext: light the second lantern."}]]},
        {"user": "create a detailed summary", "reply": [[{"text": "The lanterns were planned."}]]},
        {"user": GO_ON, "reply": [
            Fork("light the second lantern", [lit], [{"text": "Nothing is open."}]),
            [{"text": "Lit."}],
        ]},
    ]  # fmt: skip
    server = work.serve(turns)
    try:
        work.setup(server.server_port)
        work.init(*options)
        work.ask(PLAN, server.server_port)
        work.ask("/compact", server.server_port, "--continue")
        work.ask(GO_ON, server.server_port, "--continue")
    finally:
        server.shutdown()
        server.server_close()
    return work


def test_what_a_compaction_lost_is_known_again(shared: Path, base: Path) -> None:
    assert (compacted(shared, base, "--assist").folder / "second.lit").exists()


def test_without_it_what_was_open_is_forgotten(shared: Path, base: Path) -> None:
    assert not (compacted(shared, base).folder / "second.lit").exists()
