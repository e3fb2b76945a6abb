"""What files truly held over time, and at which moments the records leave one content only."""

from collections import defaultdict
from pathlib import Path


class FileTruth:
    """The contents of some files, who saw them, and the changes without a record."""

    def __init__(self) -> None:
        self._held: dict[Path, list[tuple[float, bytes]]] = defaultdict(list)
        self._seen: dict[Path, list[tuple[float, bool]]] = defaultdict(list)
        self._unseen: dict[Path, list[float]] = defaultdict(list)
        self._exact: set[Path] = set()
        self._busy: dict[Path, list[tuple[float, float]]] = defaultdict(list)

    @property
    def paths(self) -> list[Path]:
        """The files that were ever there."""
        return list(self._held)

    def put(self, path: Path, at: float, data: bytes, *, unseen: bool = False) -> None:
        """A content from a time on; `unseen`: no record says so."""
        self._held[path].append((at, data))
        if unseen:
            self._unseen[path].append(at)

    def sees(self, path: Path, at: float, *, overwrites: bool = False, exact: bool = False) -> None:
        """The whole content is recorded; `overwrites`: only the new one, in place of another.

        exact: with its line ends.
        """
        self._seen[path].append((at, overwrites))
        if exact:
            self._exact.add(path)

    def is_busy(self, path: Path, begun: float, done: float) -> None:
        """A change was made somewhere between its call and its result."""
        self._busy[path].append((begun, done))

    def held(self, path: Path, at: float) -> bytes:
        """What the file held."""
        return next((data for since, data in reversed(self._held[path]) if since <= at), b"")

    def could_be_certain(self, path: Path, at: float, end: float) -> bool:
        """Whether what was recorded before and after leaves one content only. end: now."""
        if any(begun <= at < done for begun, done in self._busy[path]):
            return False
        seen = sorted((*self._seen[path], (end, False)))
        before = [one for one, _ in seen if one <= at]
        after, overwrites = next(((one, lost) for one, lost in seen if one > at), (0.0, True))
        if not before or overwrites or path not in self._exact:
            return False
        return not any(before[-1] < one <= after for one in self._unseen[path])
