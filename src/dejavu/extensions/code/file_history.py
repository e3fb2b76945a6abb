"""The commits of a file and of its lines, through renames that git does not see.

git sees a rename whose lines' white space changed as a file that went and one that came, and knows
nothing of one that is not committed: then the files that are gone are compared with this one by
lines. Reads stored objects and the names of the working tree, through `git`. Costs a few questions to
git and O(lines), and O(names of the commit) for a file that the last commit does not hold.

Tested in: tests/extensions/code/test_blame.py
"""

import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path

from dejavu.model import NotFoundError

from .git import FileCommit, GitLine, Repository
from .hunk_prints import line_prints
from .text_lines import text_lines

_HOPS = 4  # renames that git does not see
_DELETED = 20  # files of one commit that may be the former one
_GONE = 400  # files of the last commit that may have been moved since


def file_history(
    repository: Repository,
    revision: str,
    name: str,
    lines: Sequence[str],
    git: list[GitLine | None],
) -> list[FileCommit]:
    """The commits of a file, oldest first, also through renames that changed its white space.

    git sees such a rename as a file that went and one that came; then the lines that both share get
    the commits they had under the old name, in `git`.
    """
    history = repository.history(revision, name)
    for _ in range(_HOPS):
        if not history or history[0].root or history[0].copied:
            break
        first = history[0]
        prints = line_prints(first.added)
        former, before = _former(repository, first, prints)
        if not former:
            break
        parent = f"{first.commit}^"
        stored = repository.blame(parent, former)
        taken = set(before)
        indices = [
            n for n, line in enumerate(git) if line is not None and line.commit == first.commit
        ]
        now = line_prints(lines[index] for index in indices)
        for start, target, size in matching(before, now):
            for step in range(size):
                if start + step < len(stored):
                    git[indices[target + step]] = stored[start + step]
        kept = tuple(
            line for line, print_ in zip(first.added, prints, strict=True) if print_ not in taken
        )
        history = [*repository.history(parent, former), first._replace(added=kept), *history[1:]]
    return history


def _former(
    repository: Repository, first: FileCommit, prints: list[bytes]
) -> tuple[str, list[bytes]]:
    """The file that a commit took away and most of a new one stood in, with its lines; or ""."""
    wanted = set(prints)
    ending = posixpath.splitext(first.name)[1]
    deleted = [
        name for name in repository.deleted(first.commit) if posixpath.splitext(name)[1] == ending
    ]
    return _likest(repository, f"{first.commit}^", deleted, wanted)


def _likest(
    repository: Repository, revision: str, names: list[str], wanted: set[bytes]
) -> tuple[str, list[bytes]]:
    """Of some files of a commit the one that shares most lines, if most, with its lines; or ""."""
    best: tuple[int, str, list[bytes]] = (0, "", [])
    for name in names[:_DELETED]:
        data = repository.content(revision, name)
        try:
            before = line_prints(text_lines(data or b"", name))
        except NotFoundError:
            continue
        shared = len(wanted.intersection(before))
        if 2 * shared >= min(len(wanted), len(set(before))) and shared > best[0]:
            best = shared, name, before
    return best[1], best[2]


def moved_from(repository: Repository, revision: str, name: str, lines: list[str]) -> str:
    """The file of `HEAD` that was moved here since and holds most of the same lines; or ""."""
    base, ending = posixpath.basename(name), posixpath.splitext(name)[1]
    names = [one for one in repository.names(revision) if posixpath.splitext(one)[1] == ending]
    names.sort(key=lambda one: posixpath.basename(one) != base)
    gone = [one for one in names[:_GONE] if not Path(repository.top, one).exists()]
    return _likest(repository, revision, gone, set(line_prints(lines)))[0]


def lines_of_work(
    repository: Repository,
    revision: str,
    name: str,
    lines: list[str],
    stored: list[GitLine],
) -> list[GitLine | None]:
    """The commit of each line of the working file; None where `HEAD` has no such line."""
    if any("\0" in line.text for line in stored):  # git splits other codings by their bytes
        data = repository.content(revision, name)
        try:
            before = line_prints(text_lines(data or b"", name))
        except NotFoundError:
            return [None] * len(lines)
    else:
        before = line_prints(line.text for line in stored)
    after = line_prints(lines)
    git: list[GitLine | None] = [None] * len(lines)
    for start, target, size in matching(before, after):
        for step in range(size):
            if start + step < len(stored):
                git[target + step] = stored[start + step]
    return git


def matching(before: Sequence[bytes], after: Sequence[bytes]) -> Iterable[tuple[int, int, int]]:
    """Blocks (start before, start after, length) that two sequences of lines share, in order."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if head:
        yield 0, 0, head
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if old and new:
        from difflib import SequenceMatcher  # most files are as the last commit has them

        autojunk = len(old) * len(new) > 4_000_000
        for block in SequenceMatcher(None, old, new, autojunk=autojunk).get_matching_blocks():
            if block.size:
                yield head + block.a, head + block.b, block.size
    if tail:
        yield len(before) - tail, len(after) - tail, tail
