"""The rule packs a session is read by, and their newer versions while it runs.

Packs are reloaded when a file in the operator's pack folder was changed, added or removed. A
pack that breaks the schema is reported once, and the last good ones stay in force.
"""

from collections.abc import Callable
from contextlib import suppress

from dejavu.config.paths import config_home
from dejavu.model import RulePackError
from dejavu.providers.follow.stamp import Stamp, stamp_of
from dejavu.scrapers import Packs

from ..user_packs import operator_packs


class PackReloader:
    """The operator's packs; `note` takes a sentence on what is wrong with them."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._folder = config_home() / "packs"
        self._last = self._looks()
        self.packs = self._load()

    def changed(self) -> Packs | None:
        """Newer packs, if there are any since this was last asked. A stat a file."""
        looks = self._looks()
        if looks == self._last:
            return None
        self._last = looks
        return self._load()

    def _load(self) -> Packs | None:
        try:
            return operator_packs(self._folder)
        except (RulePackError, OSError, UnicodeDecodeError) as error:
            self._note(str(error))
            return None

    def _looks(self) -> tuple[tuple[str, Stamp], ...]:
        stamps: list[tuple[str, Stamp]] = []
        for path in sorted(self._folder.glob("*.toml")):
            with suppress(OSError):
                stamps.append((path.name, stamp_of(path.stat())))
        return tuple(stamps)
