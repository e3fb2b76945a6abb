"""Which conversation each line of a file came from, next to git's commit.

The file as it is on disk is compared with git's `HEAD` by lines here, not by git (see `git`), so a
line is of a commit or of none yet; `attribution` then finds the change it came from among the
index's changes of the file, under every name that git's history or a recorded move gives it.

Costs three questions to git, and O(lines + changes of the file).
"""

import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from dejavu.model import NotFoundError

from .attribution import Attribution, attribute
from .file_history import file_history, lines_of_work, moved_from
from .git import FileCommit, GitLine, Repository
from .hunk_prints import line_prints, prints_of
from .index import EditIndex
from .line_sources import Commit, SourcedLine
from .queries import Edit
from .text_lines import read_lines, text_lines

_ELSEWHERE = 3_000  # changes of files of the same name in other folders
_NAMES = 20  # names a file had
_GONE = 400  # paths that are looked at for a name that git never saw
_SHARED = 4  # lines that a file under another name must share


class BlamedLine(NamedTuple):
    """A line: its number from 1, its text, its commit, and where it came from."""

    number: int
    text: str
    git: GitLine | None
    attribution: Attribution


class Blame(NamedTuple):
    """A file's lines; `name` is its path in the repository at `top`, if it is in one."""

    path: str
    top: str
    name: str
    revision: str
    lines: tuple[BlamedLine, ...]
    previous: tuple[str, ...] = ()


def blame_file(index: EditIndex, path: Path) -> Blame:
    """Each line of the file at `path` as it is now.

    Raises:
        NotFoundError: it is no file of text.
    """
    lines = read_lines(path)
    shown = str(path.absolute())
    real = path.resolve()
    repository = Repository.of(real)
    name = _below(real, repository)
    revision = repository.resolve("HEAD") if repository is not None else None
    if repository is None or revision is None or not name:
        edits = _edits_of(index, [posixpath.normpath(shown), str(real)], "", ())
        came = attribute([SourcedLine(text) for text in lines], edits, ())
        return Blame(shown, "", name, "", _joined(lines, [None] * len(lines), came))
    return _of_work(index, repository, revision, [shown, str(real)], name, lines)


def blame_text(index: EditIndex, repository: Repository, name: str, data: bytes) -> Blame:
    """Each line of a text as the content of a file beyond `HEAD`, such as what is staged.

    Raises:
        NotFoundError: it is no text.
    """
    lines, paths = text_lines(data, name), [posixpath.join(repository.top, name)]
    revision = repository.resolve("HEAD")
    if revision is None:
        came = attribute([SourcedLine(text) for text in lines], _edits_of(index, paths, "", ()), ())
        return Blame(paths[0], repository.top, name, "", _joined(lines, [None] * len(lines), came))
    return _of_work(index, repository, revision, paths, name, lines)


def _of_work(
    index: EditIndex,
    repository: Repository,
    revision: str,
    paths: list[str],
    name: str,
    lines: list[str],
) -> Blame:
    stored = repository.blame(revision, name)
    former = name if stored else moved_from(repository, revision, name, lines)
    if not stored and former:
        stored = repository.blame(revision, former)
    git = lines_of_work(repository, revision, former, lines, stored)
    history = file_history(repository, revision, former, lines, git) if any(git) else []
    return _blamed(index, repository, revision, paths, name, lines, git, history)


def blame_revision(index: EditIndex, repository: Repository, revision: str, name: str) -> Blame:
    """Each line of a file as a commit holds it.

    Raises:
        NotFoundError: the commit has no such file of text.
    """
    data = repository.content(revision, name)
    if data is None:
        raise NotFoundError(f"{revision[:12]} has no file {name!r}")
    lines = text_lines(data, name)
    git: list[GitLine | None] = list(repository.blame(revision, name))
    git += [None] * (len(lines) - len(git))
    path = posixpath.join(repository.top, name)
    history = file_history(repository, revision, name, lines, git)
    return _blamed(index, repository, revision, [path], name, lines, git, history)


def _blamed(
    index: EditIndex,
    repository: Repository,
    revision: str,
    paths: list[str],
    name: str,
    lines: list[str],
    git: Sequence[GitLine | None],
    history: list[FileCommit],
) -> Blame:
    names = list(dict.fromkeys([name, *(commit.name for commit in reversed(history))]))[:_NAMES]
    paths = [*paths, *(posixpath.join(repository.top, other) for other in names)]
    edits = _edits_of(index, paths, repository.top, names)
    commits = _commits(history) if edits else []
    with_commits = [
        SourcedLine(text) if line is None else SourcedLine(text, line.commit, line.at)
        for text, line in zip(lines, git, strict=False)
    ]
    came = attribute(with_commits, edits, commits)
    first = history[0] if history else None
    if first is not None and any(
        one.edit is None and line.commit == first.commit
        for line, one in zip(with_commits, came, strict=True)
    ):
        unseen = _unseen_names(index, repository.top, first, line_prints(lines), names)
        if unseen.edits:
            commits = commits or _commits(history)
        edits = sorted([*edits, *unseen.edits], key=lambda edit: edit.at or 0.0)
        came = attribute(with_commits, edits, commits, first.commit if unseen.others else "")
    if first is not None and first.copied:
        came = _of_copies(index, repository, first, with_commits, came)
    joined = _joined(
        lines, git, [_doubted(one, line) for one, line in zip(came, git, strict=False)]
    )
    return Blame(paths[0], repository.top, name, revision, joined, tuple(names[1:]))


def _of_copies(
    index: EditIndex,
    repository: Repository,
    first: FileCommit,
    lines: Sequence[SourcedLine],
    came: list[Attribution],
) -> list[Attribution]:
    """For lines that no change of the file holds: the changes of the file that git takes it for a copy of.

    Never certain: the same text may have been written twice.
    """
    if all(one.edit is not None or line.commit != first.commit
           for one, line in zip(came, lines, strict=True)):  # fmt: skip
        return came
    path = posixpath.join(repository.top, first.copied)
    edits = _edits_of(index, [path], repository.top, [first.copied])
    before = [edit for edit in edits if (edit.at or 0.0) <= first.at + 1]
    copies = attribute([SourcedLine(line.text) for line in lines], before, ())
    reason = f"was in {first.copied} before, which git takes for its source"
    return [
        Attribution(copy.edit, reason=reason)
        if one.edit is None and line.commit == first.commit
        else one
        for one, copy, line in zip(came, copies, lines, strict=True)
    ]


def _doubted(came: Attribution, line: GitLine | None) -> Attribution:
    """Where a line came from, which is not certain where a shallow clone begins with it."""
    if line is None or not line.oldest:
        return came
    return came._replace(certain=False, reason="the clone is shallow: older commits are missing")


def _commits(history: list[FileCommit]) -> list[Commit]:
    return [
        Commit(
            commit.commit, commit.at, frozenset(line_prints(commit.added)),
            frozenset(line_prints(commit.removed)),
        )
        for commit in history
    ]  # fmt: skip


class _Unseen(NamedTuple):
    """Changes under names that git never saw; `others`: some agent changed files there before."""

    edits: list[Edit]
    others: bool


def _unseen_names(
    index: EditIndex, top: str, first: FileCommit, prints: list[bytes], names: Sequence[str]
) -> _Unseen:
    """The changes of files that are gone and hold what a file held in its first commit.

    A file that was moved before it was ever committed has no former name in git.
    """
    until = first.at + 1
    ending = posixpath.splitext(first.name)[1]
    known = {posixpath.join(top, name) for name in names}
    paths = index.paths_below(top, until, ending, _GONE)
    others = [path for path in paths if path not in known]
    wanted = set(prints)
    edits: list[Edit] = []
    for path in others:
        if Path(path).exists():
            continue
        changes = [edit for edit in index.edits_at(path) if (edit.at or 0.0) <= until]
        written = {
            print_ for edit in changes for hunk in edit.hunks for print_ in prints_of(hunk.after)
        }
        if len(written & wanted) >= max(_SHARED, len(written) // 3):
            edits += changes
    return _Unseen(edits, bool(others))


def _joined(
    lines: list[str], git: Sequence[GitLine | None], came: list[Attribution]
) -> tuple[BlamedLine, ...]:
    return tuple(
        BlamedLine(number, text, line, one)
        for number, (text, line, one) in enumerate(zip(lines, git, came, strict=False), 1)
    )


def _below(path: Path, repository: Repository | None) -> str:
    """A file's path in a repository; "" where it is in none."""
    if repository is None:
        return ""
    try:
        return path.relative_to(Path(repository.top).resolve()).as_posix()
    except ValueError:
        return ""


def _edits_of(index: EditIndex, paths: Iterable[str], top: str, names: Sequence[str]) -> list[Edit]:
    """The changes of a file under its paths, before moves, and in other copies of its repository."""
    edits: dict[tuple[str, int, int, str], list[Edit]] = {}
    pending, seen = list(dict.fromkeys(paths)), set[str]()

    def keep(found: Iterable[Edit]) -> None:
        groups: dict[tuple[str, int, int, str], list[Edit]] = {}
        for edit in found:
            groups.setdefault((edit.conversation, edit.seq, edit.part, edit.path), []).append(edit)
        for group, members in groups.items():
            edits.setdefault(group, members)

    while pending and len(seen) < 4 * _NAMES:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        found = index.edits_at(path)
        keep(found)
        pending += [edit.source for edit in found if edit.source]
    for name in names:
        end = name if "/" in name else f"{posixpath.basename(top)}/{name}"
        keep(index.edits_ending(end, _ELSEWHERE, seen))
    flat = [edit for group in edits.values() for edit in group]
    return sorted(flat, key=lambda edit: edit.at or 0.0)
