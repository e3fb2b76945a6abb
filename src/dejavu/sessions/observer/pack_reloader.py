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
    """The operator's packs; `note` takes a sentence on what is wrong with them."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._folder = config_home() / "packs"
        self._last = self._stamp()
        self.packs = self._load()

    def changed(self) -> Packs | None:
        """Newer packs, if there are any since this was last asked. A stat a file."""
        stamp = self._stamp()
        if stamp == self._last:
            return None
        self._last = stamp
        return self._load()

    def _load(self) -> Packs | None:
        try:
            return operator_packs(self._folder)
        except (RulePackError, OSError, UnicodeDecodeError) as error:
            self._note(str(error))
            return None

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        stamps: list[tuple[str, int, int]] = []
        for path in sorted(self._folder.glob("*.toml")):
            try:
                info = Path(path).stat()
            except OSError:
                continue
            stamps.append((path.name, info.st_mtime_ns, info.st_size))
        return tuple(stamps)
