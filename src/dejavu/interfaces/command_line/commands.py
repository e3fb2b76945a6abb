"""All commands as data: the core's, and those that extensions add by a module `commands`.

Help, completion and the reference are made from this table, so none of them imports the commands
themselves. It imports a module of each extension, so a line that names a command of the core must
not import this module.
"""

from types import ModuleType

from dejavu.config.extensions import parts

from .core_commands import CORE
from .entry import Entry, Table

COMMANDS = dict(CORE.commands)
"""The commands in the order in which help shows them."""
GROUPS = dict(CORE.groups)
OLD_NAMES = dict(CORE.old_names)
ALL = Table(COMMANDS, GROUPS, OLD_NAMES)


def _join(extension: ModuleType) -> None:
    folder = f"{extension.__package__}.cli."
    for name, entry in extension.COMMANDS.items():
        COMMANDS[name] = entry._replace(module=folder + entry.module)
    GROUPS.update(getattr(extension, "GROUPS", {}))
    OLD_NAMES.update(getattr(extension, "OLD_NAMES", {}))


for _extension in parts("commands"):
    _join(_extension)


def in_group(group: str) -> dict[str, Entry]:
    """The commands below a heading or in a group, by name."""
    return {name: entry for name, entry in COMMANDS.items() if entry.heading == group}
