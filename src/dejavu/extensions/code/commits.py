"""Which conversations a commit came from, with the share of its lines. O(files of the commit).

Tested in: tests/extensions/code/test_odd_repositories.py
"""

from collections import Counter
from typing import NamedTuple

from dejavu.model import NotFoundError

from .blame import blame_revision, blame_text
from .git import Repository
from .index import EditIndex

_FILES = 300


class Share(NamedTuple):
    """A conversation's part of a commit; `certain` of its `lines` are beyond doubt."""

    conversation: str
    agent: str
    lines: int
    certain: int
    turns: tuple[int, ...]


class Shares(NamedTuple):
    """What a commit came from: `lines` it added in all, `others` by no agent's hand that is known."""

    revision: str
    lines: int
    others: int
    shares: tuple[Share, ...]
    skipped: int = 0


def commit_shares(index: EditIndex, repository: Repository, revision: str | None) -> Shares:
    """The conversations behind a commit, or behind what is staged (None), the largest first.

    Raises:
        NotFoundError: there is no such commit.
    """
    commit = "" if revision is None else repository.resolve(revision)
    if commit is None:
        raise NotFoundError(f"no commit {revision!r} in {repository.top}")
    changed = repository.changed(commit) if commit else repository.staged()
    lines: Counter[str] = Counter()
    certain: Counter[str] = Counter()
    agents: dict[str, str] = {}
    turns: dict[str, set[int]] = {}
    total = 0
    for name, numbers in list(changed.items())[:_FILES]:
        wanted = set(numbers)
        total += len(wanted)
        try:
            if commit:
                blame = blame_revision(index, repository, commit, name)
            else:
                blame = blame_text(index, repository, name, repository.content("", name) or b"")
        except NotFoundError:
            continue
        for line in blame.lines:
            edit = line.attribution.edit
            if line.number in wanted and edit is not None:
                lines[edit.conversation] += 1
                certain[edit.conversation] += line.attribution.certain
                agents[edit.conversation] = edit.agent
                turns.setdefault(edit.conversation, set()).add(edit.seq)
    shares = tuple(
        Share(one, agents[one], count, certain[one], tuple(sorted(turns[one])))
        for one, count in lines.most_common()
    )
    skipped = max(0, len(changed) - _FILES)
    return Shares(commit, total, total - lines.total(), shares, skipped)
