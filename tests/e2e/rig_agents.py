"""More agents for the rig: profiles of those that its own list lacks, and the rig with them.

    RIG_MORE=FOLDER RIG_NPM=... python tests/e2e/rig_agents.py RIG_FOLDER AGENT [SCENARIO] [rig's options]

RIG_MORE holds an installation each (`INSTALLED` says of what). Every agent gets a throw-away HOME,
a fake key and a model on 127.0.0.1, as in the rig. Imports the rig from the folder it is given.
"""

import os
import sys
from pathlib import Path
from typing import Any

RIG = Path(os.environ.get("RIG") or (sys.argv[1] if len(sys.argv) > 1 else "."))
sys.path.insert(0, str(RIG))

import agents as rig_agents  # noqa: E402 - stands in the rig's folder
import fakemodel  # noqa: E402 - as above
import rig  # noqa: E402 - as above

fakemodel.TOOLS["shell"].append("exec")  # OpenClaw's

MORE = Path(os.environ.get("RIG_MORE", str(Path.home() / ".cache" / "agent-clis")))


def npm(folder: str, name: str) -> str:
    """A program that npm installed."""
    return str(MORE / folder / "node_modules" / ".bin" / name)


def venv(folder: str, name: str) -> str:
    """A program that pip installed."""
    return str(MORE / folder / "bin" / name)


INSTALLED = {
    "pi-now": ("pi", "@earendil-works/pi-coding-agent@0.84.4"),
    "kilo": ("kilo", "@kilocode/cli@7.7.7"),
    "continue": ("cn", "@continuedev/cli@1.5.47"),
    "auggie": ("auggie", "@augmentcode/auggie@0.36.0"),
    "grok": ("grok", "@xai-official/grok@1.0.41"),
    "openclaw": ("openclaw", "openclaw@2026.9.6"),
    "vibe": ("vibe", "mistral-vibe==3.0.2"),
    "hermes": ("hermes", "hermes-agent==0.19.0"),
    "gptme": ("gptme", "gptme==0.35.1"),
    "mini-swe-agent": ("mini", "mini-swe-agent==2.4.6 mcp"),
    "openhands": ("openhands", "openhands==1.16.0"),
}
"""Each agent's folder below RIG_MORE, and what npm (`name@version`) or pip (`name==version`) puts there."""


class Asking(rig_agents.Agent):
    """An agent whose dialogs are answered alike: one about the folder, one about a call."""

    asks = trusts = r"$^"
    yes: tuple[str, ...] = ("<Enter>",)
    no: tuple[str, ...] = ("<Esc>",)

    @property
    def answers(self) -> list[tuple[str, list[str], bool]]:
        return [(self.trusts, ["<Enter>"], True)]

    @property
    def approve(self) -> list[tuple[str, list[str]]]:
        return [(self.asks, list(self.yes))]

    @property
    def deny(self) -> list[tuple[str, list[str]]]:
        return [(self.asks, list(self.no))]


class PiNow(rig_agents.Pi):
    name, bin, package = "pi-now", npm("pi", "pi"), "@earendil-works/pi-coding-agent"


class Kilo(rig_agents.OpenCode):
    name, bin, package = "kilo", npm("kilo", "kilo"), "@kilocode/cli"

    def env(self, port: int) -> dict[str, str]:
        return {
            name.replace("OPENCODE", "KILO"): value for name, value in super().env(port).items()
        }

    def setup(self, home: Path, port: int, work: Path) -> None:
        super().setup(home, port, work)
        written = home / ".config/opencode/opencode.json"
        rig_agents.put(home / ".config/kilo/kilo.json", written.read_text())
        written.unlink()
        written.parent.rmdir()


class Continue(Asking):
    name, bin, package = "continue", npm("cn", "cn"), "@continuedev/cli"
    ready = r"(?m)Ask anything|^\s*[│┃]?\s*[>❯●]"
    busy = r"(?i)esc to (cancel|interrupt)"
    asks = r"(?i)Would you like to continue|1\. Continue|Continue\b[\s\S]*No"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "--config", str(work.parent / "home/.continue/config.yaml")]

    def env(self, port: int) -> dict[str, str]:
        return {"CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_CLI_ENABLE_TELEMETRY": "0"}

    def setup(self, home: Path, port: int, work: Path) -> None:
        rig_agents.put(
            home / ".continue/config.yaml",
            f"""name: rig
version: 1.0.0
schema: v1
models:
  - name: Rig
    provider: openai
    model: rig-model
    apiKey: fake
    apiBase: http://127.0.0.1:{port}/v1
    roles: [chat, edit, apply]
    capabilities: [tool_use]
""",
        )

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [*self.argv(port, work), "--auto", "-p", prompt]


class Auggie(Asking):
    """Without an account it shows how to log in, and no more."""

    name, bin, package = "auggie", npm("auggie", "auggie"), "@augmentcode/auggie"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin]


class Grok(Asking):
    name, bin, package = "grok", npm("grok", "grok"), "@xai-official/grok"
    ready = r"(?m)^\s*[│┃]?\s*[❯>]"
    busy = r"(?i)esc to (cancel|interrupt)|ctrl\+c to (cancel|stop|interrupt)"
    trusts = r"(?i)trust (this|the)"
    asks = r"(?i)Yes, (proceed|allow)|Allow once|Do you want to"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "-m", "rig"]

    def env(self, port: int) -> dict[str, str]:
        base = f"http://127.0.0.1:{port}/v1"
        return {
            "XAI_API_KEY": "fake", "GROK_DISABLE_AUTOUPDATER": "1", "GROK_TELEMETRY_ENABLED": "false",
            "GROK_XAI_API_BASE_URL": base, "GROK_MODELS_BASE_URL": base,
            "GROK_CLI_CHAT_PROXY_BASE_URL": base, "GROK_FEEDBACK_ENABLED": "false",
        }  # fmt: skip

    def setup(self, home: Path, port: int, work: Path) -> None:
        rig_agents.put(
            home / ".grok/config.toml",
            f"""[models]
default = "rig"
[model.rig]
model = "rig-model"
name = "Rig"
base_url = "http://127.0.0.1:{port}/v1"
api_key = "fake"
context_window = 200000
""",
        )

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [
            *self.argv(port, work),
            "--always-approve",
            "--output-format",
            "streaming-json",
            "-p",
            prompt,
        ]


class Vibe(Asking):
    name, bin, package = "vibe", venv("vibe", "vibe"), "mistral-vibe"
    ready = r"(?m)^\s*[│┃]?\s*>"
    busy = r"(?i)esc to (cancel|interrupt)"
    trusts = r"(?i)trust this (folder|directory)"
    asks = r"(?i)1\. Yes|Allow once|Yes, allow"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin]

    def env(self, port: int) -> dict[str, str]:
        return {"RIG_KEY": "fake", "MISTRAL_API_KEY": "fake"}

    def setup(self, home: Path, port: int, work: Path) -> None:
        rig_agents.put(
            home / ".vibe/config.toml",
            f"""active_model = "rig"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[[providers]]
name = "rig"
api_base = "http://127.0.0.1:{port}/v1"
api_key_env_var = "RIG_KEY"

[[models]]
name = "rig-model"
provider = "rig"
alias = "rig"
""",
        )

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [self.bin, "-p", prompt, "--output", "streaming"]


class Hermes(Asking):
    name, bin, package = "hermes", venv("hermes", "hermes"), "hermes-agent"
    ready = r"(?m)^\s*[│┃]?\s*[❯>]"
    busy = r"(?i)esc to (cancel|interrupt)|interrupt|msg=interrupt"
    asks = r"(?i)Allow once|\[o\]nce|approve"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin]

    def env(self, port: int) -> dict[str, str]:
        return {"OPENAI_API_KEY": "fake", "HERMES_SKIP_UPDATE_CHECK": "1"}

    def setup(self, home: Path, port: int, work: Path) -> None:
        rig_agents.put(
            home / ".hermes/config.yaml",
            f"""model:
  default: rig-model
  provider: custom
  base_url: http://127.0.0.1:{port}/v1
  api_key: fake
  context_length: 200000
""",
        )

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [self.bin, "chat", "-q", prompt, "--yolo"]


class Gptme(Asking):
    name, bin, package = "gptme", venv("gptme", "gptme"), "gptme"
    ready = r"(?m)^\s*(User|You)?\s*[>❯:]"
    asks, yes, no = r"(?i)Execute|Run .*\?|\[y/n", ("y", "<Enter>"), ("n", "<Enter>")

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "-m", "local/rig-model", "--tool-format", "tool", "-t", "shell,save,read"]

    def env(self, port: int) -> dict[str, str]:
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "fake"}

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [*self.argv(port, work), "--non-interactive", prompt]


class MiniSweAgent(Asking):
    name, bin, package = "mini-swe-agent", venv("mini", "mini"), "mini-swe-agent"
    ready = r"(?m)^\s*>|What do you want"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "-m", "openai/rig-model"]

    def env(self, port: int) -> dict[str, str]:
        return {
            "OPENAI_API_BASE": f"http://127.0.0.1:{port}/v1", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_API_KEY": "fake", "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }  # fmt: skip

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        # It keeps the last run only, unless it is told where.
        name = f"run-{abs(hash(prompt))}.traj.json"
        return [*self.argv(port, work), "-y", "--exit-immediately", "-t", prompt,
                "-o", str(work.parent / "home/.config/mini-swe-agent" / name),
                "-c", "mini.yaml", "-c", "agent.step_limit=4"]  # fmt: skip


class OpenClaw(Asking):
    name, bin, package = "openclaw", npm("openclaw", "openclaw"), "openclaw"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "tui", "--local"]

    def env(self, port: int) -> dict[str, str]:
        return {"PATH": f"{MORE}/node24/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin"}

    def setup(self, home: Path, port: int, work: Path) -> None:
        model = {
            "id": "rig-model", "name": "Rig", "reasoning": True, "input": ["text"], "contextWindow": 200000,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "maxTokens": 8000,
        }  # fmt: skip
        provider = {
            "baseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "fake", "api": "openai-completions",
            "models": [model],
        }  # fmt: skip
        settings: dict[str, Any] = {
            "models": {"mode": "merge", "providers": {"rig": provider}},
            "agents": {"defaults": {"model": {"primary": "rig/rig-model"}, "workspace": str(work)}},
        }
        rig_agents.put(home / ".openclaw/openclaw.json", settings)

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [self.bin, "agent", "--local", "--agent", "main", "--json", "--message", prompt]


class Qoder(Asking):
    name, bin, package = "qoder", npm("qoder", "qodercli"), "@qoder-ai/qodercli"
    ready = r"(?m)^\s*[│┃]?\s*[❯>]"
    busy = r"(?i)esc to (cancel|interrupt)"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "--model", "rig/rig-model"]

    def env(self, port: int) -> dict[str, str]:
        return {"QODER_PERSONAL_ACCESS_TOKEN": "fake"}

    def setup(self, home: Path, port: int, work: Path) -> None:
        provider = {
            "type": "openai-compatible", "protocol": "openai", "apiKey": "fake",
            "baseUrl": f"http://127.0.0.1:{port}/v1", "models": [{"model": "rig-model"}],
        }  # fmt: skip
        rig_agents.put(home / ".qoder/settings.json", {"providers": {"rig": provider}})

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [*self.argv(port, work), "-p", prompt, "--output-format", "stream-json",
                "--dangerously-skip-permissions"]  # fmt: skip


class OpenHands(Asking):
    name, bin, package = "openhands", venv("openhands", "openhands"), "openhands"
    ready = r"(?m)^\s*[│┃]?\s*[❯>]|Type your message"

    def argv(self, port: int, work: Path) -> list[str]:
        return [self.bin, "--override-with-envs", "--exit-without-confirmation"]

    def env(self, port: int) -> dict[str, str]:
        return {
            "LLM_API_KEY": "fake", "LLM_MODEL": "openai/rig-model", "OPENHANDS_SUPPRESS_BANNER": "1",
            "LLM_BASE_URL": f"http://127.0.0.1:{port}/v1", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }  # fmt: skip

    def headless(self, prompt: str, port: int, work: Path) -> list[str]:
        return [*self.argv(port, work), "--headless", "--json", "-t", prompt]


for _class in (
    Auggie,
    Qoder,
    OpenHands,
    PiNow,
    Kilo,
    Continue,
    Grok,
    Vibe,
    Hermes,
    Gptme,
    MiniSweAgent,
    OpenClaw,
):
    rig_agents.AGENTS[_class.name] = _class()

if __name__ == "__main__":
    del sys.argv[1]
    if sys.argv[1:2] == ["--installed"]:
        print(*INSTALLED[sys.argv[2]])  # noqa: T201 - a command
    else:
        rig.main()
