"""Each plugin in its real agent: installed by the agent's own command, at work, and out again.

A machine with `dejavu` on its PATH and without `dejavu init`. In a session the hooks fire, a fact
kept before arrives with the prompt, and the archive gets the turns. Taken out, the home is as it was.
"""

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN
from tests.e2e.scripted_model import load
from tests.factories.waiting import until

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

PLUGINS = Path(__file__).parents[2] / "packaging" / "plugins"
FACT = "The zebra_crossing palette is ochre."
ASK, ANSWER = "Which palette does the zebra_crossing have?", "The palette is ochre, as you decided."
TURNS = [{"user": ASK, "reply": [[{"text": ANSWER}]]}]
FOLDERS = {
    "claude": ".claude", "codex": ".codex", "gemini": ".gemini", "kimi": ".kimi-code",
    "openclaw": ".openclaw", "opencode": ".config/opencode", "pi": ".pi", "qwen": ".qwen",
}  # fmt: skip
INSTALL = {
    "claude": (["plugin", "marketplace", "add", "{}"], ["plugin", "install", "dejavu@dejavu"]),
    "codex": (["plugin", "marketplace", "add", "{}"], ["plugin", "add", "dejavu@dejavu"]),
    "gemini": (["extensions", "install", "--consent", "{}/gemini"],),
    "openclaw": (
        ["plugins", "install", "{}/openclaw", "--force", "--accept-capabilities"],
        ["config", "set", "plugins.entries.dejavu.hooks.allowConversationAccess", "true"],
        ["plugins", "enable", "dejavu", "--accept-capabilities"],  # the second time: see KEEPS
    ),
    "pi": (["install", "{}/pi"],),
    "qwen": (["extensions", "install", "--consent", "{}/qwen"],),
}
REMOVE = {
    "claude": (
        ["plugin", "uninstall", "dejavu@dejavu"], ["plugin", "marketplace", "remove", "dejavu"],
    ),
    "codex": (["plugin", "remove", "dejavu@dejavu"], ["plugin", "marketplace", "remove", "dejavu"]),
    "gemini": (["extensions", "uninstall", "dejavu"],),
    "openclaw": (["plugins", "uninstall", "dejavu", "--force"],),
    "pi": (["remove", "{}/pi"],),
    "qwen": (["extensions", "uninstall", "dejavu"],),
}  # fmt: skip

KEEPS = {
    "claude": (
        ".claude/plugins/cache/dejavu",  # marked `.orphaned_at`: it deletes that later
        ".cache/claude-cli-nodejs/",  # what servers printed
    ),
    "codex": (".codex/plugins/cache/dejavu",),  # an empty folder
    "gemini": (
        ".gemini/trustedFolders.json",  # that this person trusted the plugin's folder
        ".gemini/extension_integrity.json",  # a hash of each extension it ever installed
    ),
    "kimi": (
        ".kimi-code/plugins/managed/dejavu",  # "plugin files are left in place", it says
        ".kimi-code/user-history/",  # what was typed: the command that removed it
    ),
    "openclaw": (
        ".openclaw/openclaw.json",  # that it is not to be enabled again unasked, and backups
        ".openclaw/plugin-skills/dejavu",  # a link to where its skill was
        ".openclaw/state/openclaw.sqlite",
    ),
    "qwen": (".qwen/extension-store/state.previous.json",),  # its own record of the state before
}
"""What the agent itself keeps of any plugin it removes; nothing in it is loaded or run."""


def _more(rig: Path, name: str) -> Any:
    """An agent that the rig's own list lacks."""
    os.environ["RIG"] = str(rig)
    return import_module("tests.e2e.rig_agents").rig_agents.AGENTS[name]


class Machine:
    """A home with one agent, a work folder, and a model on loopback."""

    def __init__(self, rig: Path, base: Path, name: str) -> None:
        agents, fakemodel = load(rig, "agents"), load(rig, "fakemodel")
        self.name, self.profile = name, agents.AGENTS.get(name) or _more(rig / "rig", name)
        if not Path(self.profile.bin).exists():
            pytest.skip(f"needs {name} in RIG_NPM (see rig/install.sh)")
        self.home, self.work, self.log = base / "home", base / "work", base / "log"
        self.home.mkdir(mode=0o700)
        self.work.mkdir()
        models = ("rig-model", *self.profile.models)
        self.model = fakemodel.serve(0, {"turns": TURNS}, self.log, models)
        self.port = self.model.server_port
        self.profile.setup(self.home, self.port, self.work)
        if name == "claude":
            (self.home / ".claude" / "settings.json").unlink()  # the rig's own hooks
        own = {"PATH": f"{agents.NODE}:/usr/bin:/bin", **self.profile.env(self.port)}
        self.environ = {
            "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "SHELL": "/bin/bash", "DEJAVU_HOOK_LIMIT": "20",
            **own, "PATH": f"{BIN}:{own['PATH']}",
        }  # fmt: skip

    @property
    def consent(self) -> str:
        """What is typed where an installation asks: Gemini has no option for a folder's trust."""
        return "y\n" if self.name == "gemini" else ""

    def run(self, *command: str, ok: bool = True) -> str:
        done = subprocess.run(
            command, env=self.environ, cwd=self.work, input=self.consent, text=True,
            capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert not ok or done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
        return done.stdout

    def install(self) -> None:
        """As the plugins' README says."""
        if self.name == "opencode":
            plugins = self.home / FOLDERS["opencode"] / "plugins"
            plugins.mkdir()
            shutil.copy(PLUGINS / "opencode" / "dejavu.js", plugins)
        elif self.name == "kimi":
            self.typed(f"/plugins install {PLUGINS}/kimi")
        for words in INSTALL.get(self.name, ()):
            self.run(self.profile.bin, *(word.format(PLUGINS) for word in words))

    def remove(self) -> None:
        if self.name == "opencode":
            shutil.rmtree(self.home / FOLDERS["opencode"] / "plugins")
        elif self.name == "kimi":
            self.typed("/plugins remove dejavu")
        for words in REMOVE.get(self.name, ()):
            self.run(self.profile.bin, *(word.format(PLUGINS) for word in words))

    def ask(self) -> None:
        command = self.profile.headless(ASK, self.port, self.work)
        if self.name == "codex":
            command = [*command[:-1], "--dangerously-bypass-hook-trust", command[-1]]
        self.run(*command)

    def typed(self, line: str) -> None:
        """Type a line into the agent's own screen, answer what it asks, and leave."""

        def tmux(*words: str) -> str:
            command = ["tmux", "-S", str(self.home.parent / "tmux"), "-f", "/dev/null", *words]
            return subprocess.run(command, env=self.environ, capture_output=True, text=True,
                                  check=True, timeout=30).stdout  # fmt: skip

        tmux("new-session", "-d", "-x", "120", "-y", "40", "-c", str(self.work), self.profile.bin)
        try:
            screen: Callable[[], str] = lambda: tmux("capture-pane", "-p")  # noqa: E731 - a name for a screen
            until(lambda: "Trust this folder" in screen() or "context:" in screen())
            if "Trust this folder" in screen():
                tmux("send-keys", "Enter")
                until(lambda: "context:" in screen())
            time.sleep(2)
            tmux("send-keys", "-l", line)
            time.sleep(1)
            tmux("send-keys", "Enter")
            until(lambda: "Enter/Space select" in screen())
            tmux("send-keys", "Down")  # from "Exit" or "Cancel" to the only other choice
            time.sleep(0.5)
            tmux("send-keys", "Enter")
            until(lambda: "Enter/Space select" not in screen())
            time.sleep(3)
            print(screen())  # noqa: T201 - what the agent said of it
        finally:
            tmux("kill-server")

    def files(self) -> dict[str, str]:
        """Every file of the home with a hash of its content, and every folder."""
        found: dict[str, str] = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if path.is_file():
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                found[name] = "folder"
        return found

    @property
    def keeps(self) -> tuple[str, ...]:
        return (".local/", *KEEPS.get(self.name, ()))

    def rest(self, before: dict[str, str]) -> set[str]:
        """What is other than before, without our archive and what the agent keeps of any plugin."""
        now = self.files()
        changed = {name for name, content in now.items() if before.get(name) != content}
        return {name for name in changed if not name.startswith(self.keeps)}

    def names_us(self, name: str) -> bool:
        path = self.home / name
        content = path.read_bytes() if path.is_file() else b""
        return "dejavu" in name.lower() or (b"dejavu" in content and "backup" not in name)

    def requests(self) -> list[str]:
        """The bodies that the model got and that hold the question."""
        lines = (self.log / "requests.jsonl").read_text("utf-8").splitlines()
        bodies = [json.dumps(json.loads(line).get("body"), ensure_ascii=False) for line in lines]
        return [body for body in bodies if ASK in body]

    def dejavu(self, *words: str) -> Any:
        return json.loads(self.run(str(BIN / "dejavu"), *words, "--json"))


@pytest.fixture
def machine(request: pytest.FixtureRequest, shared: Path) -> Iterator[Machine]:
    folder = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvp{os.getpid()}-{request.param}"
    folder.mkdir()
    machine = Machine(shared, folder, request.param)
    yield machine
    machine.run(str(BIN / "dejavu"), "daemon", "--stop", ok=False)
    machine.model.shutdown()
    machine.model.server_close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("machine", sorted(FOLDERS), indirect=True)
def test_a_plugin_works_and_leaves_nothing(machine: Machine) -> None:
    machine.run(str(BIN / "dejavu"), "memory", "add", FACT)
    before = machine.files()
    machine.install()
    assert machine.files() != before
    machine.remove()
    rest = machine.rest(before)
    print(machine.name, "of its own after remove:", sorted(rest))  # noqa: T201 - the evidence
    assert not [name for name in rest if machine.names_us(name)], "a rest of the plugin"

    machine.install()
    machine.ask()
    asked = machine.requests()
    assert any("memory-context nonce=" in body and FACT in body for body in asked), asked[:1]

    def captured() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = machine.dejavu("list")["conversations"]
        return [one for one in found if one["agent"] == machine.name]

    (head,) = until(captured)
    until(lambda: ANSWER in json.dumps(machine.dejavu("show", head["id"])["turns"]))
    shown = machine.dejavu("show", head["id"])
    assert {turn["vector"] for turn in shown["turns"]} <= {"hook", "native"}
    prompts = [turn for turn in shown["turns"] if turn["role"] == "user"]
    assert [ASK in json.dumps(turn["parts"]) for turn in prompts] == [True]
    machine.remove()
    left = [str(path.relative_to(machine.home)) for path in machine.home.rglob("*dejavu*")]
    assert not [name for name in left if not name.startswith(machine.keeps)]
