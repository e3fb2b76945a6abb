"""Write the plugin folders in packaging/plugins from what the agents' folders say.

    make plugins

Each folder is installed by the agent's own command. Its hooks and its server start `launch/dejavu`,
a script that finds the Déjà Vu on this machine; where `dejavu init` has registered the agent, the
script leaves hooks to it. `agent-plugins` is the vendor-neutral form, `skills` the skill alone. A
test holds the folders to this program.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dejavu.providers import INTEGRATIONS
from dejavu.providers.integration import HookGroups, OwnFile, Plugin, TomlHooks
from dejavu.recall.skill import skill_text

REPO = Path(__file__).parents[1]
FOLDER = REPO / "packaging" / "plugins"
_NAME = "dejavu"
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
_LAUNCH = "launch/dejavu"
_SKILL = f"skills/{_NAME}/SKILL.md"
_SCRIPT = """\
#!/bin/sh
# Starts the Déjà Vu of this machine for the plugin around it. A hook without one does nothing.
data="${DEJAVU_DATA_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/dejavu}"
if [ "$1" = hook ] && grep -q "\\"agent\\": *\\"$4\\"" "$data/install/ledger.json" 2>/dev/null; then
  exit 0 # `dejavu init` has registered this agent: its own hooks run
fi
[ -x "$data/bin/dejavu" ] && exec "$data/bin/dejavu" "$@"
command -v dejavu >/dev/null 2>&1 && exec dejavu "$@"
[ "$1" = hook ] && exit 0
echo "dejavu is not installed: see the README of https://github.com/dejavu-capture/dejavu" >&2
exit 127
"""


def files() -> dict[str, str]:
    """The text of every file, by its path below packaging/plugins."""
    made: dict[str, str] = {}
    catalogues: dict[str, dict[str, Any]] = {}
    installs: list[tuple[str, str]] = []
    for agent in sorted(INTEGRATIONS):
        plugin = INTEGRATIONS[agent].plugin
        if plugin is None:
            for path, text in _own_files(agent, json.dumps(_NAME)):
                made[f"{agent}/{path}"] = text
                installs.append((agent, f"copy `{path}` into the agent's folder `plugins`"))
            continue
        made.update({f"{agent}/{path}": text for path, text in _plugin(agent, plugin).items()})
        folder = "packaging/plugins" + ("" if plugin.catalogue else f"/{agent}")
        installs.append((agent, f"`{plugin.install.replace('FOLDER', folder)}`"))
        if plugin.catalogue:
            _enter(catalogues.setdefault(plugin.catalogue, _catalogue()), plugin)
    made.update({path: _json(value) for path, value in catalogues.items()})
    made.update({f"agent-plugins/{path}": text for path, text in _agent_plugin().items()})
    made[_SKILL] = skill_text()
    made["README.md"] = _readme(installs)
    return made


def _about() -> dict[str, Any]:
    project = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]
    return {"name": _NAME, "version": project["version"], "description": project["description"]}


def _plugin(agent: str, plugin: Plugin) -> dict[str, str]:
    """The files of one agent's plugin."""
    start = f'"{plugin.root}/{_LAUNCH}"' if plugin.root else f"sh ./{_LAUNCH}"
    manifest = {**_about(), **plugin.fields}
    made = {_SKILL: skill_text()}
    if plugin.servers != "-" or plugin.program:
        made[_LAUNCH] = _SCRIPT
    if plugin.program:
        up = "../" * plugin.program.count("/")
        path = f'new URL("{up}{_LAUNCH}", import.meta.url).pathname'
        launcher = f"decodeURIComponent({path})"
        text = dict(_own_files(agent, launcher))
        made[plugin.program] = (
            plugin.text.replace('"{launcher}"', launcher) or text[Path(plugin.program).name]
        )
    if plugin.servers != "-":
        program = [f"{plugin.root}/{_LAUNCH}"] if plugin.root else ["sh", f"./{_LAUNCH}"]
        server = {**plugin.server, "command": program[0], "args": [*program[1:], "mcp"]}
        servers = {"mcpServers": {_NAME: server}}
        if plugin.servers:
            made[plugin.servers] = _json(servers)
        else:
            manifest.update(servers)
    if plugin.hooks == "*":
        manifest["hooks"] = [
            {"event": event, "command": f"{start} {words}", "timeout": options["timeout"]}
            for event, words, options in _hooks(agent)
        ]
    elif plugin.hooks:
        groups: dict[str, list[Any]] = {}
        for event, words, options in _hooks(agent):
            hook = {"type": "command", "command": f"{start} {words}", **options}
            if "name" in hook:  # some agents run one hook of a name
                hook["name"] = f"{hook['name']} {words.split()[1]}"
            groups.setdefault(event, []).append({"hooks": [hook]})
        made[plugin.hooks] = _json({"hooks": groups})
    made[plugin.manifest] = _json(manifest)
    for path, value in plugin.documents.items():
        made[path] = _json({"name": _NAME, "version": manifest["version"], **value})
    return made


def _hooks(agent: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Events, what follows the launcher, and what stands beside the command."""
    for edit in INTEGRATIONS[agent].edits:
        for content in edit.contents:
            if not isinstance(content, HookGroups | TomlHooks):
                continue
            shared: Mapping[str, Any] = (
                {"timeout": content.timeout} if isinstance(content, TomlHooks) else content.options
            )
            for event in content.events:
                yield event, f"hook capture --agent {agent}", shared
            yield content.inject, f"hook inject --agent {agent}", shared


def _own_files(agent: str, program: str) -> Iterator[tuple[str, str]]:
    """A plugin that is one file, by name, with neither guard nor assistance.

    program: what stands for the path of Déjà Vu, as an expression of its language.
    """
    for edit in INTEGRATIONS[agent].edits:
        for content in edit.contents:
            if isinstance(content, OwnFile) and isinstance(edit.path, str):
                text = content.text.replace('"{launcher}"', program)
                text = text.replace('"{guard}"', '""').replace('"{assist}"', '""')
                mark = f"// Déjà Vu's {content.what}: needs `{_NAME}` on this machine\n"
                yield Path(edit.path).name, mark + text.removeprefix(content.mark)


def _catalogue() -> dict[str, Any]:
    about = _about()["description"]
    return {"name": _NAME, "description": about, "owner": {"name": "Déjà Vu"}, "plugins": []}


def _enter(catalogue: dict[str, Any], plugin: Plugin) -> None:
    entry = {"name": _NAME, "description": _about()["description"], **plugin.entry}
    catalogue["plugins"].append(entry)


def _agent_plugin() -> dict[str, str]:
    """The vendor-neutral plugin, whose documents are closed: no other field may stand in them."""
    server = {"type": "stdio", "command": _NAME, "args": ["mcp"]}
    return {
        "plugin.json": _json(
            {"$schema": f"{_SCHEMAS}/plugin.schema.json", **_about(), "license": "MIT"}
        ),
        "mcp.json": _json(
            {"$schema": f"{_SCHEMAS}/mcp.schema.json", "mcpServers": {_NAME: server}}
        ),
        _SKILL: skill_text(),
    }


def _readme(installs: list[tuple[str, str]]) -> str:
    rows = "".join(f"| {agent} | {how} |\n" for agent, how in installs)
    return f"""\
# Plugins

Made by `make plugins` from the agents' folders; do not edit them here. They need `dejavu` on this
machine. `dejavu init` does the same without a plugin; with both, hooks run once.

| agent | installed by |
|---|---|
{rows}| others | `agent-plugins` is an Agent Plugins 1.0 folder; `skills` holds the skill alone |
"""


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write() -> None:
    """Make the folder what `files` says, and nothing else."""
    wanted = files()
    for path in sorted(FOLDER.rglob("*"), reverse=True) if FOLDER.is_dir() else ():
        if path.is_file() and str(path.relative_to(FOLDER)) not in wanted:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, text in wanted.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)


if __name__ == "__main__":
    write()
