"""`dejavu secrets list`: the secrets in the archive, what to rotate first at the top.

Looks into turns and into the agents' raw bytes, remembers what it has read, and shows of a secret its
kind and its end, never the value. Costs O(what was archived since the last call).

Tested in: tests/interfaces/cli/test_secrets_mask.py
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.archive.redactor import redaction_key
from dejavu.model.conversation import turn_name

from ..command_line.output import local_time, one_line, print_json, print_note, style
from ..command_line.parameters import Option
from ..filters import check_names

if TYPE_CHECKING:
    from dejavu.services.secrets import Secret

    from ..command_line.parameters import Agent, Json

_IN_FILE = {True: "still there", False: "not there", None: "no file"}


def command(
    agent: Agent = None,
    limit: Annotated[
        int | None,
        Option(
            "--limit", "-n", min=1, help="Maximum number of secrets (default: 50; with --json all)."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the secrets in the archive, most urgent first."""
    try:
        with open_archive() as archive:
            check_names(archive, agent=agent)
            from dejavu.redact import Redactor
            from dejavu.services.secrets import Scan, listed

            scan = Scan(archive, Redactor(redaction_key()), _progress())
            scan.catch_up()
            secrets = listed(archive, scan, agent=agent)
    except NoArchiveError:
        secrets = []
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if json:
        rows = [secret.to_dict(rank) for rank, secret in enumerate(secrets, 1)]
        shown = rows[:limit]
        following = len(shown) if len(shown) < len(rows) else None
        print_json({"total": len(secrets), "secrets": shown, "next": following})
        return
    limit = limit or 50
    for rank, secret in enumerate(secrets[:limit], 1):
        for line in _lines(rank, secret):
            print(line)
    _say(secrets, limit)


def _lines(rank: int, secret: Secret) -> list[str]:
    first = secret.places[0]
    where = (
        turn_name(first.conversation, first.seq) if first.seq is not None else first.conversation
    )
    count = len(secret.places)
    more = f" and {count - 1} more" if count > 1 else ""
    head = f"{rank:3}  {secret.kind:18} …{secret.last:5} {local_time(secret.last_at)}"
    return [
        style(one_line(head), "1") + "  " + one_line(f"{first.agent:10} {where}{more}"),
        style(one_line(f"     {first.source or '-'} ({_IN_FILE[secret.in_file]})"), "2"),
    ]


def _say(secrets: list[Secret], limit: int) -> None:
    """On stderr: how many there are, and what can be done about them."""
    if not secrets:
        print_note("no secrets found")
        return
    kinds = Counter(secret.kind for secret in secrets)
    shown = f", {limit} shown (--limit)" if len(secrets) > limit else ""
    named = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(5))
    total = "1 secret" if len(secrets) == 1 else f"{len(secrets)} secrets"
    print_note(f"{total}{shown}: {named}{' ...' if len(kinds) > 5 else ''}")
    print_note(
        "rotate them from the top: what is in a turn has been sent to a model. `dejavu secrets mask` masks "
        "them in screen turns, with --native in agents' own text here; `dejavu archive prune --turn "
        "ID#N` takes a whole turn out"
    )


def _progress() -> Callable[[str], None]:
    """Return what is called with the name of what is read, on a terminal."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda name: print(f"\r\x1b[Kreading {one_line(name)[:60]}", end="", file=sys.stderr)
