"""`dejavu team init|invite|grant|private|share|retention|prune|hold|release|audit|status|upgrade`.

Rights in a team's archive, how long it keeps, and what it may not lose. The SQL that is run is
printed; with --dry-run `init` only prints it. The server keeps rights and holds, so they hold for
psql, too. Exit codes: 0 done, 2 usage, 3 no such role, 4 refused or out of reach.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.redactor import counting_redactor
from dejavu.config.extras import extra_hint
from dejavu.config.paths import archive_location, is_server
from dejavu.interfaces.command_line.output import one_line, print_json, print_list, print_note, safe
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.model import ConfigError, InvalidValueError

from .team_retention import MOST, prune, statement

if TYPE_CHECKING:
    from dejavu.interfaces.command_line.parameters import Json

    from ..postgres_team import Status, Team

ACTIONS = (
    "init", "invite", "grant", "private", "share", "retention", "prune", "hold", "release", "audit",
    "status", "upgrade",
)  # fmt: skip
_KEEPING = ("retention", "hold", "release")
_LINES = 50  # of the audit
_NAMELESS = ("init", "audit", "status", "prune", "hold", "release", "upgrade")


def command(
    action: Annotated[str, Argument(help=" | ".join(ACTIONS))],
    name: Annotated[
        str,
        Argument(
            help="A role; for private and share a project, for hold and release a conversation, "
            "for retention 90d, 2y or forever."
        ),
    ] = "",
    right: Annotated[
        str, Argument(help="reader, writer, curator, owner; for grant also none.")
    ] = "",
    workspace: Annotated[
        str | None, Option("--workspace", "-w", help="Only in this project: its name, or a folder.")
    ] = None,
    instance: Annotated[
        str | None, Option("--instance", help="With invite: their machine.")
    ] = None,
    reason: Annotated[str, Option("--reason", help="With hold: why.")] = "",
    closed: Annotated[
        bool | None,
        Option(
            "--closed/--open",
            help="With init: make new projects private until an owner shares them, or not any more.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="With init, prune and upgrade: change nothing, show what would."),
    ] = False,
    limit: Annotated[
        int | None,
        Option(
            "--limit",
            "-n",
            min=1,
            help="With audit: maximum number of lines (50); with prune: of conversations deleted (1,000).",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say who may do what in a team's archive.

    init turns rights on. invite ROLE RIGHT makes a login and gives it a right; grant changes it.
    private PROJECT hides a project from everyone without a right in it; share undoes that. A project is
    named as `dejavu stats --by project` lists it, or by a folder.

    retention 2y sets how long conversations are kept, with -w in one project. prune deletes older ones.
    upgrade changes the tables to this version's; older and newer programs can read them until then.

    hold ID (or -w PROJECT) keeps everyone from deleting it until release.
    """
    _check(action, name, right)
    if action == "upgrade":
        _upgrade(dry_run=dry_run, json=json)
        return
    team = _open()
    try:
        if action == "prune":
            prune(team, limit or MOST, dry_run=dry_run, json=json)
            return
        if action == "status":
            _print_status(team.status(), json=json)
            return
        if action == "audit":
            _print_audit(team, limit or _LINES, json=json)
            return
        if action == "init":
            ran = team.init_statements(closed) if dry_run else team.init(closed)
        elif action == "invite":
            ran = team.invite(name, right, workspace, instance)
        elif action == "grant":
            ran = team.grant(name, right, workspace)
        elif action in _KEEPING:
            redactor = counting_redactor()
            ran = team.apply(statement(action, name, workspace, redactor.redact(reason)))
            if redactor.total:
                print_note(f"the reason is kept without {redactor.summary()}: every reader sees it")
        else:
            ran, doubt = team.set_private(name, hidden=action == "private")
            if doubt:
                print_note(
                    f"{one_line(name)}: {doubt}; `dejavu stats --by project` lists the names"
                )
    finally:
        team.close()
    if json:
        print_json({"sql": ran})
    else:
        print("\n".join(safe(line) for line in ran.split("\n")), end="")
    if "create role" in ran and action == "invite":
        print_note(f"{name} has no password yet: `\\password {name}` in psql sets one")


def _check(action: str, name: str, right: str) -> None:
    """Refuse an action that there is not, or that needs more words.

    Raises:
        InvalidValueError: it is one.
    """
    if action not in ACTIONS:
        raise InvalidValueError(f"{action!r} is none of {', '.join(ACTIONS)}")
    if action not in _NAMELESS and not name:
        what = "a time to keep for (90d, 2y, forever)" if action == "retention" else "a name"
        raise InvalidValueError(f"`team {action}` needs {what}")
    if action in ("invite", "grant") and not right:
        raise InvalidValueError(f"`team {action} {name}` needs a right: reader, writer, ...")


def _upgrade(*, dry_run: bool, json: bool) -> None:
    url = _location()
    from ..postgres_team import upgrade

    done = upgrade(url, dry_run=dry_run)
    if json:
        print_json({"from": done.reached, "to": done.newest, "sql": done.sql})
        return
    print("\n".join(safe(line) for line in done.sql.split("\n")), end="")
    if not done.sql:
        print_note(f"the archive has the schema {done.newest} already")
    elif dry_run:
        print_note(f"this would bring the archive from schema {done.reached} to {done.newest}")
    else:
        print_note(f"the archive has the schema {done.newest} now, and had {done.reached} before")


def _location() -> str:
    """The server's URL, where the teams extra is installed."""
    url = archive_location()
    if not is_server(url):
        raise ConfigError(
            "a team's archive is on a server: set DEJAVU_ARCHIVE=postgresql://USER@HOST/DATABASE"
        )
    try:
        import_module("psycopg")
    except ImportError as missing:
        raise ConfigError(
            f"`dejavu team` needs the extra teams: {extra_hint('teams')} ({missing})"
        ) from missing
    return url


def _open() -> Team:
    url = _location()
    from ..postgres_team import Team

    return Team(url)


def _print_audit(team: Team, limit: int, *, json: bool) -> None:
    lines = team.audit(limit)
    if json:
        print_list("audit", [line._asdict() for line in lines])
        return
    if not lines:
        print_note("nothing to show: curators and owners read the audit, and `team init` begins it")
    for line in lines:
        place = f" in {line.workspace}" if line.workspace else ""
        print(one_line(f"{line.at}  {line.login}  {line.action} {line.object}{place}"))


def _print_status(status: Status, *, json: bool) -> None:
    if json:
        members = [member._asdict() for member in status.members]
        instances = [{"name": name, "owner": owner} for name, owner in status.instances]
        keeping = {
            "extensions": [one._asdict() for one in status.extensions],
            "holds": [hold._asdict() for hold in status.holds],
            "retention": [one._asdict() for one in status.retention],
        }
        print_json({**status._asdict(), "members": members, "instances": instances, **keeping})
        return
    print(f"PostgreSQL {status.server}, schema {status.reached}")
    print(f"views: {status.views or 'none: this role may not make a schema for them'}")
    print("rights: on" if status.rights else "rights: off; `dejavu team init` turns them on")
    print(f"new projects: {'private until shared' if status.closed else 'open to all members'}")
    print(f"exact search by trigrams: {'yes' if status.trigrams else 'no'}")
    print(f"recall by meaning: {'yes' if status.meanings else 'no'}")
    for member in status.members:
        where = member.workspace or "all that is not private"
        print(one_line(f"{member.role}  {member.right}  {where}"))
    for workspace in status.private:
        print(one_line(f"{workspace}  private"))
    for place, days in status.retention:
        span = "1 day" if days == 1 else f"{days} days"
        print(one_line(f"{place or 'every other project'}  kept {span}"))
    for hold in status.holds:
        what = hold.workspace or hold.conversation
        print(one_line(f"{what}  held since {hold.since} by {hold.by}: {hold.reason}", 1_000))
    for name, owner in status.instances:
        print(one_line(f"{name}  {owner or 'no owner yet'}"))
