"""`dejavu code commit [SHA]`: a trailer or note that names the conversations of a commit.

The git hook that `--hook` writes calls it. O(lines changed).

Tested in: tests/packaging/test_ecosystem_files.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.redactor import archive_redactor
from dejavu.interfaces.command_line.output import one_line, print_json
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.model.plural import counted
from dejavu.redact.conversation import NEAR, redact_title, redact_turns

from ..commits import commit_shares
from ..open_index import open_edits
from ..show_commit import document, print_commit, repository_here

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.interfaces.command_line.parameters import Json

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
        from dejavu.interfaces.cli.init import install_git_hook

        install_git_hook(yes=yes, dry_run=False)
        return
    if table:
        if revision is None:
            raise InvalidValueError("--list needs a commit")
        print_commit(revision, as_json=json)
        return
    repository = repository_here()
    with open_edits() as (archive, index):
        shares = commit_shares(index, repository, revision)
        if json:
            print_json(document(shares))
            return
        if not shares.shares:
            if revision is None and not shares.lines:
                raise NotFoundError("nothing is staged; `git add` first, or name a commit")
            added = counted(shares.lines, "added line")
            raise NotFoundError(f"no archived conversation wrote any of the {added}")
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
