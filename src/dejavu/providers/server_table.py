"""Registration with the agents of `servers.toml`, which get our MCP server and, at most, our skill.

An agent with hooks or a plugin of ours has a module `integration` in its folder instead.

Tested in: tests/integrations/test_registration.py
"""

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from .integration import (
    Content,
    FileEdit,
    Integration,
    JsonServer,
    Skill,
    TomlServer,
    YamlServer,
    application_folder,
    server_entry,
)
from .protocol import Home


class ServerTable(msgspec.Struct, forbid_unknown_fields=True):
    """One table of `servers.toml`; its head says what the fields mean."""

    file: str
    key: str = ""
    base: str = ""
    variable: str = ""
    config: str = ""
    application: str = ""
    entry: dict[str, str | bool] = {}
    skill: bool = False
    note: str = ""
    limits: str = "no hook of ours is registered with it"

    def folder(self, home: Home) -> Path:
        """Return the agent's configuration folder."""
        if self.application:
            name, _, below = self.application.partition("/")
            return application_folder(home, name) / below
        if self.config:
            return home.folder("XDG_CONFIG_HOME", ".config") / self.config
        return home.folder(self.variable, *self.base.split("/"))

    def server(self) -> Content:
        """Return what the file gets."""
        suffix = Path(self.file).suffix
        if suffix == ".toml":
            fields = {name: str(value) for name, value in self.entry.items()}
            return TomlServer(fields or None)
        form = YamlServer if suffix == ".yaml" else JsonServer
        return form(self.key, server_entry(**self.entry))


@cache
def _tables() -> dict[str, ServerTable]:
    text = Path(__file__).with_name("servers.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, ServerTable])


def integration_of(folder: str) -> Integration:
    """Return the registration of the agent with this folder.

    Raises:
        KeyError: it has no table.
    """
    table = _tables()[folder]
    skill = (FileEdit("skills", (Skill(),)),) if table.skill else ()
    edits = (FileEdit(table.file, (table.server(),)), *skill)
    return Integration(table.folder, edits, table.note, assist_limits=table.limits)
