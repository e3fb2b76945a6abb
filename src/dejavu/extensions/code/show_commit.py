"""`dejavu code commit SHA --list`: the conversations that a commit came from. O(lines it changed).

Tested in: tests/packaging/test_ecosystem_files.py
"""

from __future__ import annotations

from pathlib import Path

from dejavu.interfaces.command_line.output import one_line, print_json, style
from dejavu.model import NotFoundError

from .commits import Shares, commit_shares
from .git import Repository
from .open_index import open_edits


def print_commit(revision: str, *, as_json: bool) -> None:
    """Print them, the largest share of its lines first."""
    repository = repository_here()
    with open_edits() as (archive, index):
        shares = commit_shares(index, repository, revision)
        if as_json:
            print_json(document(shares))
            return
        print(f"{shares.revision[:12]} added {shares.lines} lines")
        for share in shares.shares:
            percent = 100 * share.lines / max(1, shares.lines)
            title = one_line(archive.summary(share.conversation).title or "(no title)", 60)
            sure = f", {share.certain} certain" if share.certain < share.lines else ""
            print(
                f"{style(share.conversation, '2')}  {percent:3.0f} %  {share.lines} lines{sure}  "
                f"{one_line(share.agent)}  {title}"
            )
        if shares.others:
            percent = 100 * shares.others / max(1, shares.lines)
            print(f"{'no agent in the archive':25} {percent:3.0f} %  {shares.others} lines")
        if shares.skipped:
            print(f"{shares.skipped} more files were not looked at")


def repository_here() -> Repository:
    """The repository of the working folder.

    Raises:
        NotFoundError: there is none, or no git.
    """
    repository = Repository.of(Path.cwd(), bare=True)
    if repository is None:
        raise NotFoundError("no git repository here (or no `git` on the PATH)")
    return repository


def document(shares: Shares) -> dict[str, object]:
    """What a commit came from, as JSON."""
    return {
        "commit": shares.revision or None,
        "lines": shares.lines,
        "others": shares.others,
        "files_skipped": shares.skipped,
        "conversations": [
            {
                "id": share.conversation, "agent": share.agent, "lines": share.lines,
                "certain_lines": share.certain, "share": round(share.lines / max(1, shares.lines), 4),
                "turns": list(share.turns),
            }
            for share in shares.shares
        ],
    }  # fmt: skip
