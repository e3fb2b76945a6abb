"""What an agent can be wired for, read off its `Integration`.

The words are those of `dejavu init --list --json` and of the table in docs/agents.md. Must not read
an agent's files, except `is_here`, which looks whether its folder or its program is there.
"""

import shutil

from dejavu.providers import INTEGRATIONS, Home, agents
from dejavu.providers.integration import (
    Content,
    FlatHooks,
    HookGroups,
    Integration,
    JsonServer,
    OwnFile,
    Skill,
    TomlHooks,
    TomlServer,
    YamlServer,
)

MEANINGS = {
    "capture": "turns reach the archive as they are made",
    "memory": "past answers come with each prompt",
    "mcp": "it can search the archive itself",
    "plugin": "there is a plugin of the agent's kind (packaging/plugins)",
    "skill": "it knows when to search",
    "guard": "with --guard secrets in tools' results are redacted",
    "assist": "with --assist it learns of past fixes and decisions",
}
"""Each capability with what it means, in the order in which they are listed."""


def capabilities(agent: str) -> list[str]:
    """What `init` can wire an agent for, in the order of `MEANINGS`; empty for nothing."""
    integration = INTEGRATIONS.get(agent)
    if integration is None:
        return []
    can = {name for edit in integration.edits for content in edit.contents for name in _of(content)}
    can |= _switches(integration)
    can |= {"plugin"} if integration.plugin is not None else set()
    return [name for name in MEANINGS if name in can]


def _of(content: Content) -> set[str]:
    """What one content of an agent's files gives."""
    match content:
        case HookGroups() | TomlHooks():
            return {
                *(("capture",) if content.events else ()),
                *(("memory",) if content.inject else ()),
            }
        case FlatHooks():
            return {"capture"}
        case JsonServer() | TomlServer() | YamlServer():
            return {"mcp"}
        case OwnFile():
            return {"capture", content.what, *(("memory",) if content.memory else ())}
        case Skill():
            return {"skill"}


def _switches(integration: Integration) -> set[str]:
    """What is wired only where it is asked for."""
    wanted = {"guard": integration.guard_event, "assist": integration.assist_events}
    return {name for name, event in wanted.items() if event}


def is_here(agent: str, home: Home) -> bool:
    """Whether the agent is on this machine: its settings folder, or its program on the PATH."""
    if INTEGRATIONS[agent].folder(home).is_dir():
        return True
    return any(shutil.which(name) for name in agents()[agent].executables)
