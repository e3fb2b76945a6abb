"""Our entries in agents' TOML files: `[[hooks]]` tables and the MCP server, in one marked block."""

import json
from collections.abc import Mapping
from typing import Any

from . import toml_edit
from .json_edit import UnreadableFileError, items, mapping
from .json_entries import calls_launcher
from .launcher import is_ours, launcher
from .text_edit import SERVER, TextEdit

_SERVERS = "mcp_servers"


def hooks_block(commands: list[tuple[str, str]], timeout: int) -> str:
    """A `[[hooks]]` table for each event and command."""
    # Every string that JSON writes in ASCII is a basic string of TOML, too.
    return "\n".join(
        f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(command)}\ntimeout = {timeout}\n'
        for event, command in commands
    )


def server_block() -> str:
    """The table of our server."""
    return f'[{_SERVERS}.{SERVER}]\ncommand = {json.dumps(str(launcher()))}\nargs = ["mcp"]'


def toml_block(block: str) -> TextEdit:
    """`block` at the end of a TOML file."""

    def remove(text: str, before: str) -> str:
        del before
        wanted = _without_ours(toml_edit.parse(text))
        cut = toml_edit.cut(text)
        try:
            if _without_ours(toml_edit.parse(cut)) == toml_edit.parse(cut) == wanted:
                return cut
        except UnreadableFileError:
            pass
        return toml_edit.rewrite(text, ((_SERVERS, SERVER),), is_ours)

    def add(text: str) -> str:
        present = _ours(toml_edit.parse(text))
        if present == _ours(toml_edit.parse(block)):
            return text
        return toml_edit.add(remove(text, text) if present else text, block)

    return TextEdit(add, remove)


def _ours(document: Mapping[str, Any]) -> dict[str, Any]:
    """Our entries in a document."""
    hooks = [hook for hook in items(document.get("hooks")) if _is_our_hook(hook)]
    entries: dict[str, Any] = {"hooks": hooks}
    server = mapping(document.get(_SERVERS)).get(SERVER)
    if calls_launcher(server):
        entries["server"] = {key: mapping(server).get(key) for key in ("command", "args")}
    return {key: value for key, value in entries.items() if value}


def _without_ours(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without our entries, and without the tables that only held them."""
    rest = dict(document)
    if hooks := items(rest.get("hooks")):
        rest["hooks"] = [hook for hook in hooks if not _is_our_hook(hook)]
    servers = mapping(rest.get(_SERVERS))
    if calls_launcher(servers.get(SERVER)):
        rest[_SERVERS] = {key: servers[key] for key in servers if key != SERVER}
    return {k: v for k, v in rest.items() if k not in ("hooks", _SERVERS) or v}


def _is_our_hook(hook: Any) -> bool:
    return is_ours(str(mapping(hook).get("command", "")))
