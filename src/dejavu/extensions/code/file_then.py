"""What a file held at a moment, and whether that is certain.

Whole contents are known from writes, from results that recorded them, from reads, commits and the file
as it is now. The last one before the moment is followed forwards through agents' changes, the first
one after it backwards. Where both come to the same, it is certain. What a person wrote and took back
between the two cannot be seen. Texts lose how lines end: what kept the bytes must lead to it too.
O(changes of the file near the moment), and a few questions to git.

Tested in: tests/extensions/code/test_file_then.py
"""

import bisect
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import DejavuError, ToolCall

from .dated_commits import DatedCommits
from .exact_change import (
    Recorded,
    Replacement,
    backwards,
    call_and_result,
    can_be_undone,
    forwards,
    replacements,
)
from .file_edit import EditKind
from .index import EditIndex
from .queries import Edit
from .recover import recover
from .tool_arguments import NAMES, argument_fields

_GONE = frozenset({EditKind.DELETE, EditKind.MOVE, EditKind.TOUCH})
_STEPS = 60  # changes that are followed either way
_AROUND = _STEPS + 2  # and those next to the last of them, so that no end of the list is met before
_READS = 20  # reads between two changes that are looked at
_LARGEST = 1 << 24  # bytes of a working file that is looked at
_FOREVER = float("inf")


class FileThen(NamedTuple):
    """A file at a moment. `sha256` is empty where nothing says what it held; then `certain` is None."""

    path: str
    sha256: str
    certain: bool | None
    reason: str


class Content(NamedTuple):
    """A content: its text, and its bytes where something kept them."""

    text: str
    data: bytes | None = None


def file_then(
    archive: Archive, index: EditIndex, commits: DatedCommits | None, path: str, at: float
) -> FileThen:
    """The file at an absolute path as it was at a moment."""
    if index.has_undated_edit(path):
        return FileThen(path, "", None, "a change of it has no time")
    file = _File(archive, index, commits, path, at)
    number = file.last_until(at)
    before, after = file.forwards(number, at), file.backwards(number, at)
    known = before or after
    if known is None:
        guess = file.added_up(at)
        if guess is None:
            return FileThen(path, "", None, "nothing says what it held")
        return FileThen(path, _digest(guess), False, "no whole content before it is recorded")
    digest = _digest(_data(known))
    if number >= 0 and at < file.end(number):
        return FileThen(path, digest, False, "it was being changed just then")
    if before is None:
        return FileThen(path, digest, False, "only what came later says what it held")
    if after is None:
        return FileThen(path, digest, False, "nothing that came later confirms it")
    if before.text != after.text:
        return FileThen(path, digest, False, "what came later has another content")
    exact = (look(number, at, exact=True) for look in (file.forwards, file.backwards))
    for kept in chain((before, after), exact):
        if kept is not None and kept.data is not None and kept.text == before.text:
            return FileThen(path, _digest(kept.data), True, "")
    return FileThen(path, digest, False, "nothing says how its lines ended")


class _File:
    """What is known of one file near a moment; each question is answered once."""

    def __init__(
        self, archive: Archive, index: EditIndex, commits: DatedCommits | None, path: str, at: float
    ) -> None:
        self._archive, self._index, self._commits, self._path = archive, index, commits, path
        self.edits = index.edits_around(path, at, _AROUND)
        self._calls: dict[int, tuple[tuple[Replacement, ...] | None, Recorded | None]] = {}

    def last_until(self, at: float) -> int:
        """The number of the last change that had begun; -1 for none."""
        return bisect.bisect_right([edit.at or 0.0 for edit in self.edits], at) - 1

    def begin(self, number: int) -> float:
        """When a change began; far in the past or future where there is no such change."""
        if number < 0:
            return -_FOREVER
        return (self.edits[number].at or 0.0) if number < len(self.edits) else _FOREVER

    def end(self, number: int) -> float:
        """When a change had been made: its result came."""
        if number < 0:
            return -_FOREVER
        result = self._call(number)[1]
        return max(self.begin(number), (result.at if result else None) or 0.0)

    def forwards(
        self, number: int, until: float, steps: int = _STEPS, *, exact: bool = False
    ) -> Content | None:
        """The content at a time after a change and before the next one, from what came before.

        exact: only from what kept the file's bytes, not its text alone.
        """
        seen = self._seen(number, self.end(number), until, last=True)
        if seen is not None and exact and seen.data is None:
            seen = self._committed(self.end(number), until, last=True)
        if seen is not None or number < 0 or steps == 0:
            return seen
        made, result = self._call(number)
        if result is None:
            return None  # it was not answered
        whole = result.after
        if whole is None and made and made[0].before is None:
            whole = forwards(None, made)
        if whole is not None and (not exact or result.is_exact):
            return _plain(whole) if result.is_exact else Content(whole)
        if not made:
            return None
        if result.before is not None and not exact:
            return _text(forwards(result.before, made))
        base = self.forwards(number - 1, self.begin(number), steps - 1, exact=exact)
        return None if base is None else _moved(base, lambda text: forwards(text, made))

    def backwards(
        self, number: int, since: float, steps: int = _STEPS, *, exact: bool = False
    ) -> Content | None:
        """The content at a time after a change and before the next one, from what came later.

        exact: as in `forwards`.
        """
        seen = self._seen(number, since, self.begin(number + 1), last=False)
        if seen is not None and exact and seen.data is None:
            seen = self._committed(since, self.begin(number + 1), last=False)
        if seen is not None or steps == 0:
            return seen
        if number + 1 >= len(self.edits):
            return self._now
        made, result = self._call(number + 1)
        if result is not None and result.before is not None and not exact:
            return Content(result.before)
        if made is None or not can_be_undone(made):
            return None
        base = self.backwards(number + 1, self.end(number + 1), steps - 1, exact=exact)
        return None if base is None else _moved(base, lambda text: backwards(text, made))

    def added_up(self, at: float) -> bytes | None:
        """What the changes add up to, line by line, where no exact text does."""
        kinds = [edit.kind for edit in self.edits if (edit.at or 0.0) <= at]
        if len(kinds) == _AROUND and EditKind.WRITE not in kinds:
            edits = self._index.edits_at(self._path)  # the last whole content is further back
            kinds = [e.kind for e in edits if e.ok is not False and (e.at or 0.0) <= at]
        since = kinds[::-1].index(EditKind.WRITE) if EditKind.WRITE in kinds else len(kinds)
        if not kinds or _GONE.intersection(kinds[len(kinds) - since :]):
            return None
        try:
            found = recover(self._archive, self._index, [self._path], at=at, turn=None)
        except DejavuError:
            return None
        return found.text.encode("utf-8", "surrogatepass") if found.whole else None

    @cached_property
    def _now(self) -> Content | None:
        """The file as it is, where it is on this machine."""
        path = Path(self._path)
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST:
                return None
            return _decoded(path.read_bytes())
        except OSError:
            return None

    def _seen(self, number: int, since: float, until: float, *, last: bool) -> Content | None:
        """The whole content that was seen in a time, last or first: committed, or read by an agent.

        number: of the change before that time.
        """
        stored = self._commits and self._commits.content(self._path, since, until, last=last)
        if stored:  # only a read on the moment's side of it says more
            since, until = (stored[0], until) if last else (since, stored[0])
        around = self.edits[max(0, number) : number + 2]
        reads = [
            read
            for conversation in dict.fromkeys(edit.conversation for edit in around)
            if (read := self._read(conversation, since, until, last=last)) is not None
        ]
        if reads:
            return Content((max if last else min)(reads)[1])
        return _decoded(stored[1]) if stored else None

    def _committed(self, since: float, until: float, *, last: bool) -> Content | None:
        """What the first or last commit of a time has of it."""
        stored = self._commits and self._commits.content(self._path, since, until, last=last)
        return _decoded(stored[1]) if stored else None

    def _read(
        self, conversation: str, since: float, until: float, *, last: bool
    ) -> tuple[float, str] | None:
        """What an agent read of it as a whole first or last in a time, and when."""
        reads = self._index.reads_of(self._path, conversation, since, until)
        for call in (reads[::-1] if last else reads)[:_READS]:
            found = call_and_result(self._archive, conversation, call.seq, call.part)
            result = found and found[1]
            if result is None or result.read is None or result.at is None:
                continue
            if result.at <= until:
                return result.at, result.read
        return None

    def _call(self, number: int) -> tuple[tuple[Replacement, ...] | None, Recorded | None]:
        """What a change did, and its result."""
        if number not in self._calls:
            edit = self.edits[number]
            found = call_and_result(self._archive, edit.conversation, edit.seq, edit.part)
            if found is None:
                self._calls[number] = None, None
            else:
                call, result = found
                made = replacements(call.arguments) if self._is_stated(edit, call) else None
                self._calls[number] = made, result
        return self._calls[number]

    def _is_stated(self, edit: Edit, call: ToolCall) -> bool:
        """Whether the call names this file as the one that its texts are of."""
        fields = argument_fields(call.arguments)
        named = next((fields[name] for name in NAMES["path"] if fields.get(name)), None)
        kinds = (EditKind.WRITE, EditKind.REPLACE)
        return (
            isinstance(named, str) and edit.kind in kinds and self._path.endswith(Path(named).name)
        )


def _moved(base: Content, move: Callable[[str], str | None]) -> Content | None:
    """A content changed: its bytes too, where they hold nothing but the text."""
    text = move(base.text)
    if text is None:
        return None
    plain = base.data is not None and base.data == base.text.encode("utf-8", "surrogatepass")
    return Content(text, text.encode("utf-8", "surrogatepass") if plain else None)


def _plain(text: str) -> Content:
    return Content(text, text.encode("utf-8", "surrogatepass"))


def _text(text: str | None) -> Content | None:
    return None if text is None else Content(text)


def _decoded(data: bytes) -> Content | None:
    """Bytes as agents read them: without a mark at the start, lines ending in a newline."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Content(data.decode("latin-1"), data)
    return Content(text.replace("\r\n", "\n"), data)


def _data(content: Content) -> bytes:
    return content.text.encode("utf-8", "surrogatepass") if content.data is None else content.data


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
