"""Real agents on a scripted model that lose a conversation and get it back.

`Machine` is a throw-away home with a project's folder. `lose_and_compare` runs one agent twice:
a control that never lost anything, and one that lost its files and had them put back. It compares
the messages of the next request that each sends.

    RIG_NPM=... python -m tests.e2e.lost_home RIG_FOLDER [AGENT ...]      prints the table
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.rigrun import BIN
from tests.e2e.scripted_model import load

from dejavu.providers.restorer import dashed

AGENTS = ("claude", "codex", "gemini", "qwen", "kimi", "pi", "opencode")
LOSSES = ("deleted", "home thrown away", "another home")
FIRST, SECOND, NEXT = "Remember the word lantern.", "Print the big list.", "Which word was it?"
SHELL = {"tool": "shell", "args": {"command": "echo hello-from-the-tool"}}
TURNS = {
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
    ]
}
HERE = "/here"
_MESSAGES = ("messages", "input", "contents")
_LIMIT = 240.0  # seconds for one run of an agent


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

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command with this home in this folder."""
        environ = {
            "HOME": str(self.home), "PATH": f"{self.node}:/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
            **self.profile.env(self.port),
        }  # fmt: skip
        return subprocess.run(
            arguments, cwd=self.work, env=environ, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=_LIMIT, check=False,
        )  # fmt: skip

    def say(self, prompt: str, native_id: str | None = None) -> None:
        """One prompt without a terminal, in a new conversation or in one that is resumed."""
        command = self.profile.headless(prompt, self.port, self.work)
        if native_id is not None:
            command = resumed(self.agent, command, native_id, prompt)
        done = self.run(*command)
        assert done.returncode == 0, f"{shown(command)}: {done.stdout[-600:]}{done.stderr[-600:]}"


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
    option = {"kimi": "-r", "pi": "--session"}.get(agent, "--resume")
    return [program, option, native_id, *rest]


def next_messages(log: Path) -> Any:
    """The messages of the first request with the last prompt, as the model got them."""
    for line in (log / "requests.jsonl").read_text("utf-8").splitlines():
        body = json.loads(line).get("body")
        if isinstance(body, dict) and NEXT in line:
            for name in _MESSAGES:
                if name in body and body.get("tools"):
                    return body[name]
    raise AssertionError("the agent asked nothing")


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{path}[{index}]")
    elif isinstance(one, list) and isinstance(other, list):
        yield from (f"{path}: lost {json.dumps(item)[:600]}" for item in one if item not in other)
        yield from (f"{path}: new {json.dumps(item)[:600]}" for item in other if item not in one)
    elif one != other:
        a, b = json.dumps(one), json.dumps(other)
        at = max(0, next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0) - 80)
        yield f"{path}: {a[at : at + 240]} != {b[at : at + 240]}"


def plain(message: Any) -> Any:
    """A message without what the agent makes up for each request: cache marks, the new prompt's id."""
    if isinstance(message, dict):
        kept = {key: plain(value) for key, value in message.items() if key != "cache_control"}
        content = kept.get("content")
        if isinstance(content, list) and len(content) == 1 and set(content[0]) == {"type", "text"}:
            kept["content"] = content[0]["text"]
        if NEXT in json.dumps(message):
            kept.pop("id", None)
        return kept
    return [plain(value) for value in message] if isinstance(message, list) else message


def is_noted(control: list[Any], found: list[Any]) -> bool:
    """Whether all messages are there in order, and the others are the agent's word of its new folder."""
    left, more = list(control), []
    for message in found:
        if left and message == left[0]:
            left.pop(0)
        else:
            more.append(message)
    return not left and bool(more) and all(HERE in json.dumps(message) for message in more)


class Rig(NamedTuple):
    """Where the rig is, and where runs leave their files."""

    shared: Path
    base: Path

    def machine(self, agent: str, name: str, port: int, work: str = "work") -> Machine:
        """A machine of an agent."""
        rig = load(self.shared, "agents")
        folder = self.base / agent
        return Machine(agent, rig.AGENTS[agent], folder / name, folder / work, port, Path(rig.NODE))


def dejavu(base: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Our own command, with the home whose agents it is to read."""
    environ = {
        "HOME": str(home), "PATH": f"{BIN}:/usr/bin:/bin", "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(base / "data"), "DEJAVU_STATE_HOME": str(base / "state"),
        "DEJAVU_CONFIG_HOME": str(base / "config"),
    }  # fmt: skip
    return subprocess.run(
        [str(BIN / "dejavu"), *arguments], env=environ, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


class Result(NamedTuple):
    """What came of one agent and one loss."""

    same: bool
    seconds: float
    notes: list[str]
    noted: bool = False
    """The agent added a message that names the new folder."""


def hold(rig: Rig, agent: str) -> "Held":
    """A conversation of two prompts, archived; and what a control run asks next."""
    base = rig.base / agent
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    fake = load(rig.shared, "fakemodel")
    server = fake.serve(0, TURNS, base / "log", ["rig-model"])
    machine = rig.machine(agent, "home", server.server_port)
    machine.set_up()
    machine.say(FIRST)
    _sync(base, machine)
    (listed,) = [
        one for one in json.loads(dejavu(base, machine.home, "list", "--json").stdout)["conversations"]
        if one["agent"] == agent and not one.get("parent")
    ]  # fmt: skip
    identity, native = listed["id"], listed["native_id"]
    machine.say(SECOND, native)
    _sync(base, machine)
    shutil.copytree(machine.home, base / "kept", symlinks=True)
    machine.say(NEXT, native)
    control = next_messages(base / "log")
    return Held(rig, machine, identity, native, control, server)


def _sync(base: Path, machine: Machine) -> None:
    done = dejavu(base, machine.home, "sync", "--agent", machine.agent)
    assert done.returncode == 0, done.stderr


class Held(NamedTuple):
    """A conversation that can be lost in several ways."""

    rig: Rig
    machine: Machine
    identity: str
    native: str
    control: Any
    server: Any

    @property
    def base(self) -> Path:
        """The folder of all runs of this agent."""
        return self.rig.base / self.machine.agent

    def lose(self, loss: str) -> Result:
        """Lose the conversation, put it back, ask the next question, compare."""
        machine, folder = self.machine, []
        shutil.rmtree(machine.home)
        shutil.copytree(self.base / "kept", machine.home, symlinks=True)
        (self.base / "log" / "requests.jsonl").unlink()
        if loss == "deleted":
            delete_session(machine, self.native)
        elif loss == "home thrown away":
            shutil.rmtree(machine.home)
            machine.set_up()
        else:
            machine = machine._replace(
                home=self.base / "users" / "bob", work=self.base / "users" / "project"
            )
            shutil.rmtree(self.base / "users", ignore_errors=True)
            machine.set_up()
            folder = ["--folder", f"{self.machine.work}={machine.work}"]
        if machine.agent == "opencode":
            machine.run(machine.profile.bin, "session", "list")  # makes the database
        began = time.monotonic()
        done = dejavu(
            self.base, machine.home, "undelete", self.identity, "-y", "--json",
            "--to", str(machine.home), *folder,
        )  # fmt: skip
        seconds = time.monotonic() - began
        if done.returncode:
            return Result(False, seconds, [done.stdout[-1500:] + done.stderr[-500:]])
        try:
            machine.say(NEXT, self.native)
        except AssertionError as error:
            return Result(False, seconds, [str(error)])
        wanted, found = self._plain(self.control), self._plain(next_messages(self.base / "log"))
        if loss == "another home" and (noted := is_noted(wanted, found)):
            return Result(True, seconds, [], noted=noted)
        notes = list(differences(wanted, found))
        return Result(not notes, seconds, notes)

    def _plain(self, messages: Any) -> Any:
        """Messages with the folders of both machines under one name, as `plain` has them."""
        text = json.dumps(messages)
        for folder in ("users/bob", "users/project", "home", "work"):
            path = str(self.base / folder)
            text = text.replace(path, HERE).replace(dashed(path), dashed(HERE))
        for home in ("home", "bob"):  # system prompts name files of the home from the project
            text = text.replace(f"../{home}/", f"..{HERE}/")
        return [plain(message) for message in json.loads(text)]


def delete_session(machine: Machine, native: str) -> None:
    """Delete what a person deletes: the files or rows of the session."""
    if machine.agent == "opencode":
        done = machine.run(machine.profile.bin, "session", "delete", native)
        assert done.returncode == 0, done.stderr
        return
    short = native.removeprefix("session_")
    marks = (short, short.split("-")[0]) if machine.agent == "gemini" else (short,)
    for path in sorted(machine.home.rglob("*"), key=lambda path: -len(path.parts)):
        if any(mark in path.name for mark in marks):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def table(results: dict[tuple[str, str], Result]) -> str:
    """The results as a table."""
    agents = dict.fromkeys(agent for agent, _ in results)
    rows = [f"| agent | {' | '.join(LOSSES)} | slowest |", "|---" * (len(LOSSES) + 2) + "|"]
    for agent in agents:
        cells = [results.get((agent, loss)) for loss in LOSSES]
        words = [_word(one) for one in cells]
        slowest = max(one.seconds for one in cells if one is not None)
        rows.append(f"| {agent} | {' | '.join(words)} | {slowest:.1f} s |")
    return "\n".join(rows)


def _word(result: Result | None) -> str:
    if result is None:
        return "not run"
    return (
        "same, and a note of the folder" if result.noted else "same" if result.same else "differs"
    )


def main() -> int:
    """Run all and print the table."""
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvu{os.getpid()}"
    rig = Rig(Path(sys.argv[1]), base)
    results: dict[tuple[str, str], Result] = {}
    for agent in sys.argv[2:] or AGENTS:
        held = hold(rig, agent)
        for loss in LOSSES:
            results[agent, loss] = held.lose(loss)
            for note in results[agent, loss].notes:
                print(f"{agent}, {loss}: {note}", file=sys.stderr)
        held.server.shutdown()
    print(table(results))
    if not os.environ.get("DEJAVU_E2E_KEEP"):
        shutil.rmtree(base, ignore_errors=True)
    return 0 if all(one.same for one in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
