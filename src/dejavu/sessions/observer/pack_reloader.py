"""The rule packs a session is read by, and their newer versions while it runs.

Packs are loaded anew when a file in the operator's pack folder was changed, added or removed. A
pack that breaks the schema is told of once, and the last good ones stay in force.
"""

from collections.abc import Callable
from pathlib import Path

from dejavu.config.paths import config_home
from dejavu.model import RulePackError
from dejavu.scrapers import Packs

from ..user_packs import operator_packs


class PackReloader:
    """The operator's packs; `told` hears what is wrong with them."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._hook_conversation = told
        self._folder = config_home() / "packs"
        self._mark = self._stamp()
        self.packs = self._load()

    def changed(self) -> Packs | None:
        """Newer packs, if there are any since this was last asked. A stat a file."""
        mark = self._stamp()
        if mark == self._mark:
            return None
        self._mark = mark
        return self._load()

    def _load(self) -> Packs | None:
        try:
            return operator_packs(self._folder)
        except (RulePackError, OSError, UnicodeDecodeError) as error:
            self._hook_conversation(str(error))
            return None

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        found: list[tuple[str, int, int]] = []
        for path in sorted(self._folder.glob("*.toml")):
            try:
                info = Path(path).stat()
            except OSError:
                continue
            found.append((path.name, info.st_mtime_ns, info.st_size))
        return tuple(found)
