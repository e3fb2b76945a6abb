"""`dejavu code commit [SHA]`: a trailer or note that names the conversations of a commit.

The git hook that `--hook` writes calls it. O(lines changed).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.redactor import archive_redactor
from dejavu.extensions.code.commits import Shares, commit_shares
from dejavu.extensions.code.git import Repository
from dejavu.extensions.code.open_index import open_edits
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.redact.conversation import NEAR, redact_title, redact_turns

from ..command_line.output import one_line, print_json
from ..command_line.parameters import Argument, Option

if TYPE_CHECKING:
    from dejavu.archive import Archive

    from ..command_line.options import Json

TRAILER = "Dejavu-Conversation"


def command(
    revision: Annotated[
        str | None, Argument(metavar="SHA", help="A commit; default: what is staged.")
    ] = None,
    note: Annotated[bool, Option("--note", help="Print it for `git notes add -F -`.")] = False,
    table: Annotated[
        bool, Option("--list", help="List the conversations with their share of SHA's lines.")
    ] = False,
    hook: Annotated[
        bool, Option("--hook", help="Write a git hook that adds the trailer to each commit here.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="With --hook: do not ask.")] = False,
    json: Json = False,
) -> None:
    """Print the conversations of a commit as a trailer."""
    if hook:
        from .init import install_git_hook

        install_git_hook(yes=yes, dry_run=False)
        return
    if table:
        if revision is None:
            raise InvalidValueError("--list needs a commit")
        from ..command_line.show_commit import print_commit

        print_commit(revision, as_json=json)
        return
    repository = repository_here()
    with open_edits() as (archive, index):
        shares = commit_shares(index, repository, revision)
        if json:
            print_json(document(shares))
            return
        if not shares.shares:
            raise NotFoundError("no conversation in the archive wrote any of these lines")
        for share in shares.shares:
            line = f"{TRAILER}: {share.conversation} ({share.agent}, {share.lines} of {shares.lines} lines)"
            print(one_line(line))
            if note:
                title = _title(archive, share.conversation)
                print(f"    {one_line(title, 100)}")


def _title(archive: Archive, conversation: str) -> str:
    """The title of a conversation, redacted: a note is pushed with its commits."""
    redact = archive_redactor().redact
    turns = list(archive.turns(conversation, 0, NEAR))
    clean = redact_turns(turns, redact)
    return redact_title(archive.summary(conversation).title, redact, zip(turns, clean, strict=True))


def repository_here() -> Repository:
    """The repository of the folder one stands in.

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
