"""What a file was in the commits of the branch that is checked out, by their times.

Asks git once for the commits, and once for each content. Commits older than the newest 2,000 do not count.

Tested in: tests/extensions/code/test_file_then.py
"""

import bisect
from pathlib import Path

from .git import Repository

_COMMITS = 2_000
_TICK = 1.0  # seconds: git keeps no finer times


class DatedCommits:
    """The commits of the branch that is checked out in a repository, oldest first."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        output = repository.git(
            "log", "--first-parent", f"--max-count={_COMMITS}", "--format=%H %ct", "HEAD"
        )
        rows = (output or b"").decode("ascii", "replace").split("\n")
        self._all = sorted((float(row.split()[1]), row.split()[0]) for row in rows if row)
        self._times = [at for at, _ in self._all]
        self._known: dict[tuple[str, str], bytes | None] = {}

    def content(
        self, path: str, since: float, until: float, *, last: bool
    ) -> tuple[float, bytes] | None:
        """The file in the first or `last` commit of a time, and when; None without it."""
        first = bisect.bisect_left(self._times, since)
        stop = bisect.bisect_right(self._times, until - _TICK)
        try:
            name = str(Path(path).relative_to(self._repository.top))
        except ValueError:
            return None
        if first >= stop:
            return None
        at, revision = self._all[stop - 1 if last else first]
        key = revision, name
        if key not in self._known:
            self._known[key] = self._repository.content(*key)
        data = self._known[key]
        return None if data is None else (at, data)
