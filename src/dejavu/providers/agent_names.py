"""The agents by the names people type: which executable is which agent, and how to get it.

Takes a command line; gives the agent's id (the name of its rule pack and provider), or a hint on
how to install what is missing. Standard library only. This is the one list of commands; what an
agent's screen or files look like is the business of `scrapers` and `providers`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

# executable name -> agent id, where they differ
_ALIASES = {
    "claude-code": "claude",
    "cursor-agent": "cursor",
    "agent": "cursor",
    "kimi-cli": "kimi",
    "kimi-code": "kimi",
    "gemini-cli": "gemini",
    "agy": "antigravity",
    "qwen-code": "qwen",
    "github-copilot": "copilot",
    "q": "amazonq",
    "kiro-cli": "kiro",
}

INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
    "amp": "npm install -g @ampcode/cli",
    "kimi": "npm install -g @moonshot-ai/kimi-code",
    "opencode": "npm install -g opencode-ai",
    "gemini": "npm install -g @google/gemini-cli",
    "qwen": "npm install -g @qwen-code/qwen-code",
    "copilot": "npm install -g @github/copilot",
    "pi": "npm install -g @mariozechner/pi-coding-agent",
    "cline": "npm install -g cline",
    "aider": "pipx install aider-chat",
}

# Interpreters and launchers that stand before the agent's own name.
_LAUNCHERS = {"env", "node", "bun", "deno", "npx", "bunx", "uvx", "uv", "pipx", "python", "python3"}


def agent_of(argv: Sequence[str]) -> str:
    """The agent's id, read from a command line: `["/usr/bin/amp", "-x"]` is `amp`.

    Launchers such as `npx` and `env` are looked through; scopes and versions of packages
    (`@openai/codex@0.169.0`) are taken off.
    """
    for word in argv:
        if word.startswith("-") or "=" in word:
            continue
        name = Path(word.rsplit("@", 1)[0] if word.rfind("@") > 0 else word).stem.lower()
        if name in _LAUNCHERS or name in {"run", "exec", "tool"}:
            continue
        return _ALIASES.get(name, name)
    return Path(argv[0]).stem.lower() if argv else ""


def command_of(argv: Sequence[str]) -> list[str]:
    """The command line to start: `demo` is the agent that comes with Déjà Vu."""
    if argv and argv[0] == "demo":
        return [sys.executable, "-m", "dejavu.interfaces.demo", *argv[1:]]
    return list(argv)


def install_hint(command: str) -> str:
    """One sentence on how to get a missing agent; a general one for a command not known."""
    agent = agent_of([command])
    if agent in INSTALL:
        return f"install it with `{INSTALL[agent]}`"
    return "check the spelling and your PATH"
