"""What a file held at a moment, and whether that is certain: by the index of edits and by git.

Two witnesses count: what agents' changes add up to, and commits. A content is certain if a witness
before the moment and one after it agree, and no change of an agent came between. What a person wrote
and took back between the two cannot be seen. O(changes of the file), and a few questions to git.

Tested in: tests/extensions/code/test_moment.py
"""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import DejavuError

from .file_edit import EditKind
from .git import Repository
from .index import EditIndex
from .queries import Edit
from .recover import recover

_COMMITS = 2_000  # of the current branch that are looked at
_GONE = frozenset({EditKind.DELETE, EditKind.MOVE, EditKind.TOUCH})
_TICK = 1.0  # seconds: git keeps no finer times


class FileThen(NamedTuple):
    """A file at a moment. `sha256` is empty where nothing says what it held; then `certain` is None."""

    path: str
    sha256: str
    certain: bool | None
    reason: str


class Commits:
    """The commits of the branch that is checked out in a repository, oldest first."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        output = repository.git(
            "log", "--first-parent", f"--max-count={_COMMITS}", "--format=%H %ct", "HEAD"
        )
        rows = (output or b"").decode("ascii", "replace").split("\n")
        found = [(float(row.split()[1]), row.split()[0]) for row in rows if row]
        self._all = sorted(found)

    def content(self, path: str, since: float, until: float, *, last: bool) -> bytes | None:
        """The file in the first or `last` commit of a time; None without one, or without the file."""
        within = [name for at, name in self._all if since <= at and at + _TICK <= until]
        try:
            name = str(Path(path).relative_to(self._repository.top))
        except ValueError:
            return None
        return self._repository.content(within[-1 if last else 0], name) if within else None


def file_then(
    archive: Archive, index: EditIndex, commits: Commits | None, path: str, at: float
) -> FileThen:
    """The file at an absolute path as it was at a moment."""
    edits = [edit for edit in index.edits_at(path) if edit.ok is not False]
    if any(edit.at is None for edit in edits):
        return FileThen(path, "", None, "a change of it has no time")
    begin = max((edit.at or 0.0 for edit in edits if (edit.at or 0.0) <= at), default=0.0)
    end = min((edit.at or 0.0 for edit in edits if (edit.at or 0.0) > at), default=float("inf"))
    text = _added_up(archive, index, edits, path, at)
    before = commits.content(path, begin, at, last=True) if commits else None
    after = commits.content(path, at, end, last=False) if commits else None
    witnesses = [before] if before is not None else list(text)
    if not witnesses:
        if after is None:
            return FileThen(path, "", None, "nothing says what it held")
        return FileThen(path, _digest(after), False, "only a later commit says what it held")
    if after is not None and after in witnesses:
        return FileThen(path, _digest(after), True, "")
    reason = "no later commit confirms it" if after is None else "a later commit has another"
    return FileThen(path, _digest(witnesses[0]), False, reason)


def _added_up(
    archive: Archive, index: EditIndex, edits: list[Edit], path: str, at: float
) -> tuple[bytes, ...]:
    """What the changes add up to; they do not say whether the last line ends."""
    kinds = [edit.kind for edit in edits if (edit.at or 0.0) <= at]
    since = kinds[::-1].index(EditKind.WRITE) if EditKind.WRITE in kinds else len(kinds)
    if not kinds or _GONE.intersection(kinds[len(kinds) - since :]):
        return ()
    try:
        found = recover(archive, index, [path], at=at, turn=None)
    except DejavuError:
        return ()
    data = found.text.encode("utf-8", "surrogatepass")
    return (data, data.removesuffix(b"\n")) if found.whole else ()


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
