"""Real agents on a scripted model that lose a conversation and get it back.

A control run never loses anything. Each loss is put back by `undelete`; then the agent must list the
conversation, and the messages of its next request must be those of the control run.

    RIG_NPM=... python -m tests.e2e.lost_home RIG_FOLDER [AGENT ...]      prints the table
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.lost_machine import FIRST, NEXT, PICKERS, SECOND, TURNS, Machine
from tests.e2e.rigrun import BIN
from tests.e2e.scripted_model import load

from dejavu.providers.restorer import dashed

AGENTS = (
    "claude", "codex", "gemini", "qwen", "kimi", "pi", "opencode", "copilot", "cline", "amp",
)  # fmt: skip
LOSSES = ("deleted", "expired", "home thrown away", "another machine", "another user name")
PROFILES = {"amp": "amp-old"}  # newer versions keep their threads on a server
HERE = "/here"
_CLOCK = re.compile(r"<current_datetime>[^<]*</current_datetime>")  # of the new prompt
_MESSAGES = ("messages", "input", "contents")


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
            if isinstance(text := kept.get("content"), str):
                kept["content"] = _CLOCK.sub("", text)
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

    def machine(self, agent: str, user: str, port: int, work: str = "shop") -> Machine:
        """A machine of an agent; the project's folder is in the user's home."""
        rig = load(self.shared, "agents")
        home = self.base / agent / "users" / user
        profile = rig.AGENTS[PROFILES.get(agent, agent)]
        return Machine(agent, profile, home, home / work, port, Path(rig.NODE))


def dejavu(data: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Our own command, with the home whose agents it is to read."""
    environ = {
        "HOME": str(home), "PATH": f"{BIN}:/usr/bin:/bin", "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(data), "DEJAVU_STATE_HOME": f"{data}-state",
        "DEJAVU_CONFIG_HOME": f"{data}-config",
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
    kept: bool = False
    """The agent purged nothing, so nothing was lost."""

    @property
    def word(self) -> str:
        """The cell of the table."""
        if self.kept:
            return "not purged"
        return (
            "same, and a note of the folder" if self.noted else "same" if self.same else "differs"
        )


def hold(rig: Rig, agent: str) -> "Held":
    """A conversation of two prompts, archived; and what a control run asks next."""
    base = rig.base / agent
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    fake = load(rig.shared, "fakemodel")
    server = fake.serve(0, TURNS, base / "log", ["rig-model"])
    machine = rig.machine(agent, "ann", server.server_port)
    machine.set_up()
    machine.say(FIRST)
    _sync(base, machine)
    (listed,) = [
        one
        for one in json.loads(dejavu(base / "data", machine.home, "list", "--json").stdout)[
            "conversations"
        ]
        if one["agent"] == agent and not one.get("parent")
    ]
    identity, native = listed["id"], listed["native_id"]
    machine.say(SECOND, native)
    _sync(base, machine)
    shutil.copytree(machine.home, base / "kept", symlinks=True)
    listed_then = machine.agent in PICKERS and machine.lists(native, "lantern")
    machine.say(NEXT, native)
    control = next_messages(base / "log")
    return Held(rig, machine, identity, native, control, server, listed_then)


def _sync(base: Path, machine: Machine) -> None:
    done = dejavu(base / "data", machine.home, "sync", "--agent", machine.agent)
    assert done.returncode == 0, done.stderr


class Held(NamedTuple):
    """A conversation that can be lost in several ways."""

    rig: Rig
    machine: Machine
    identity: str
    native: str
    control: Any
    server: Any
    is_listed: bool
    """The agent's own list showed it before it was lost."""

    @property
    def base(self) -> Path:
        """The folder of all runs of this agent."""
        return self.rig.base / self.machine.agent

    def lose(self, loss: str) -> Result:
        """Lose the conversation, put it back, have it listed, ask the next question, compare."""
        data, machine, mapped = self.base / "data", self.machine, []
        shutil.rmtree(self.base / "users")
        shutil.copytree(self.base / "kept", machine.home, symlinks=True)
        (self.base / "log" / "requests.jsonl").unlink(missing_ok=True)
        if loss == "deleted":
            machine.delete(self.native)
        elif loss == "expired":
            if not machine.expire(self.native):
                return Result(True, 0.0, [], kept=True)
        else:
            shutil.rmtree(machine.home)
            if loss != "home thrown away":
                data, machine, mapped = self._elsewhere(loss)
            machine.set_up()
        if machine.agent == "opencode":
            machine.run(machine.profile.bin, "session", "list")  # makes the database
        began = time.monotonic()
        done = dejavu(
            data, machine.home, "undelete", self.identity, "-y", "--json",
            "--to", str(machine.home), *mapped,
        )  # fmt: skip
        seconds = time.monotonic() - began
        if done.returncode:
            return Result(False, seconds, [done.stdout[-1500:] + done.stderr[-500:]])
        if self.is_listed and not machine.lists(self.native, "lantern"):
            return Result(False, seconds, ["its own list does not show it"])
        return self._asked(machine, seconds, moved=bool(mapped))

    def _elsewhere(self, loss: str) -> tuple[Path, Machine, list[str]]:
        """A machine with a copy of the archive, and the option that names its folder."""
        data, old = self.base / "copied", self.machine
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.base / "data", data)
        user, work = ("ann", "pond") if loss == "another machine" else ("bob", "shop")
        new = self.rig.machine(old.agent, user, old.port, work)
        pair = (old.work, new.work) if user == "ann" else (old.home, new.home)
        return data, new, ["--folder", f"{pair[0]}={pair[1]}"]

    def _asked(self, machine: Machine, seconds: float, *, moved: bool) -> Result:
        """What the next question came to."""
        try:
            machine.say(NEXT, self.native)
        except AssertionError as error:
            return Result(False, seconds, [str(error)])
        wanted, found = self._plain(self.control), self._plain(next_messages(self.base / "log"))
        if moved and is_noted(wanted, found):
            return Result(True, seconds, [], noted=True)
        notes = list(differences(wanted, found))
        return Result(not notes, seconds, notes)

    def _plain(self, messages: Any) -> Any:
        """Messages with the folders of all machines under one name, as `plain` has them."""
        text = json.dumps(messages)
        for folder in ("ann/pond", "ann/shop", "bob/shop", "ann", "bob"):
            path = str(self.base / "users" / folder)
            text = text.replace(path, HERE).replace(dashed(path), dashed(HERE))
        for folder in ("pond", "shop"):  # prompts name the project from the home
            text = text.replace(f"~/{folder}", f"~{HERE}")
        return [plain(message) for message in json.loads(text)]


def table(results: dict[tuple[str, str], Result], listed: dict[str, bool]) -> str:
    """The results as a table; `listed`: whose own list showed the conversation, lost or not."""
    agents = dict.fromkeys(agent for agent, _ in results)
    rows = [
        f"| agent | {' | '.join(LOSSES)} | listed | slowest |",
        "|---" * (len(LOSSES) + 3) + "|",
    ]
    for agent in agents:
        cells = [results.get((agent, loss)) for loss in LOSSES]
        words = ["not run" if one is None else one.word for one in cells]
        slowest = max(one.seconds for one in cells if one is not None)
        seen = "yes" if listed[agent] else "never was"
        rows.append(f"| {agent} | {' | '.join(words)} | {seen} | {slowest:.1f} s |")
    return "\n".join(rows)


def main() -> int:
    """Run all and print the table."""
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvu{os.getpid()}"
    rig = Rig(Path(sys.argv[1]), base)
    results: dict[tuple[str, str], Result] = {}
    listed: dict[str, bool] = {}
    for agent in sys.argv[2:] or AGENTS:
        held = hold(rig, agent)
        listed[agent] = held.is_listed
        for loss in LOSSES:
            results[agent, loss] = held.lose(loss)
            for note in results[agent, loss].notes:
                print(f"{agent}, {loss}: {note}", file=sys.stderr)
        held.server.shutdown()
    print(table(results, listed))
    if not os.environ.get("DEJAVU_E2E_KEEP"):
        shutil.rmtree(base, ignore_errors=True)
    return 0 if all(one.same for one in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
