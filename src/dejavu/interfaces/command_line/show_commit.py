"""`dejavu code commit SHA --list`: the conversations that a commit came from. O(lines it changed)."""

from __future__ import annotations

from dejavu.extensions.code.commits import commit_shares
from dejavu.extensions.code.open_index import open_edits

from ..cli.commit_note import document, repository_here
from .output import one_line, print_json, style


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
