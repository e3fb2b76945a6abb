"""Agents by the names people type: which command line starts which agent.

Standard library only: `dejavu-run` asks this before it starts the agent.
"""

from collections.abc import Sequence
from pathlib import Path

from .registry import agents, find_agent

# Interpreters and launchers that stand before the agent's own name.
_LAUNCHERS = {"env", "node", "bun", "deno", "npx", "bunx", "uvx", "uv", "pipx", "python", "python3"}
_SUBCOMMANDS = {"run", "exec", "tool"}


def agent_of(argv: Sequence[str]) -> str:
    """The agent's id, read from a command line: `["/usr/bin/tool", "-x"]` is `tool`.

    Launchers such as `npx` and `env` are looked through; scopes and versions of packages
    (`@scope/tool@0.169.0`) are taken off. A program that is no agent is its own name.
    """
    for word in argv:
        if word.startswith("-") or "=" in word:
            continue
        name = word.rpartition("/")[2]
        name = Path(name.rpartition("@")[0] if name.find("@") > 0 else name).stem.lower()
        if name in _LAUNCHERS or name in _SUBCOMMANDS:
            continue
        agent = find_agent(name)
        return name if agent is None else agent.name
    return Path(argv[0]).stem.lower() if argv else ""


def command_of(argv: Sequence[str]) -> list[str]:
    """The command line to start; an agent that comes with Déjà Vu is no program on the PATH."""
    agent = find_agent(argv[0]) if argv else None
    return [*agent.command, *argv[1:]] if agent is not None and agent.command else list(argv)


def install_hint(command: str) -> str:
    """One sentence on how to get a missing agent; a general one for a command not known."""
    agent = find_agent(agent_of([command]))
    if agent is not None and agent.install:
        return f"install it with `{agent.install}`"
    from difflib import get_close_matches  # nothing runs that could be delayed

    name = agent_of([command])
    known = [program for agent in agents().values() for program in (agent.name, *agent.executables)]
    near = next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None)
    return f"did you mean {near!r}?" if near else "check the spelling and your PATH"
