"""Our entries in agents' TOML files: `[[hooks]]` tables and the MCP server, in one marked block.

Tested in: tests/integrations/test_json_entries.py
"""

import json
from collections.abc import Mapping
from typing import Any

from . import toml_edit
from .json_edit import UnreadableFileError, items, mapping
from .json_entries import calls_launcher
from .launcher import is_ours, launcher
from .marked_block import cut_block
from .text_edit import SERVER, TextEdit

_SERVERS = "mcp_servers"


def hooks_block(commands: list[tuple[str, str]], timeout: int) -> str:
    """A `[[hooks]]` table for each event and command."""
    # Every string that JSON writes in ASCII is a basic string of TOML, too.
    return "\n".join(
        f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(command)}\ntimeout = {timeout}\n'
        for event, command in commands
    )


def server_block(fields: Mapping[str, str] | None = None) -> str:
    """The table of our server; with `fields` an item of a list of tables."""
    command = f'command = {json.dumps(str(launcher()))}\nargs = ["mcp"]'
    if fields is None:
        return f"[{_SERVERS}.{SERVER}]\n{command}"
    lines = [f"{key} = {json.dumps(value)}" for key, value in {"name": SERVER, **fields}.items()]
    return "\n".join([f"[[{_SERVERS}]]", *lines, command])


def toml_block(block: str) -> TextEdit:
    """`block` at the end of a TOML file."""

    def remove(text: str, before: str) -> str:
        del before
        wanted = _without_ours(toml_edit.parse(text))
        cut = cut_block(text)
        try:
            rest = toml_edit.parse(cut)
            if not _ours(rest) and _without_ours(rest) == wanted:
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
    servers = document.get(_SERVERS)
    listed = [entry for entry in items(servers) if _is_our_server(entry)]
    server = next(iter(listed), mapping(servers).get(SERVER))
    entries: dict[str, Any] = {"hooks": hooks}
    if calls_launcher(server):
        entries["server"] = {key: mapping(server).get(key) for key in ("command", "args")}
    return {key: value for key, value in entries.items() if value}


def _without_ours(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without our entries, and without the tables that only held them."""
    rest = dict(document)
    if hooks := items(rest.get("hooks")):
        rest["hooks"] = [hook for hook in hooks if not _is_our_hook(hook)]
    servers = rest.get(_SERVERS)
    if listed := items(servers):
        rest[_SERVERS] = [entry for entry in listed if not _is_our_server(entry)]
    elif calls_launcher(mapping(servers).get(SERVER)):
        rest[_SERVERS] = {key: value for key, value in mapping(servers).items() if key != SERVER}
    return {k: v for k, v in rest.items() if k not in ("hooks", _SERVERS) or v}


def _is_our_server(entry: Any) -> bool:
    return mapping(entry).get("name") == SERVER and calls_launcher(entry)


def _is_our_hook(hook: Any) -> bool:
    return is_ours(str(mapping(hook).get("command", "")))
