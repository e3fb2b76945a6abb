"""Connections to one PostgreSQL server, and its errors in our words.

A few connections are kept between transactions; one that breaks raises `ConnectionLostError`. No
message holds the password. A network that fell silent is noticed within a minute, a server that
does not answer within ten seconds, unless the URL says otherwise.
"""

import getpass
import logging
import os
import re
import select
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from dejavu.config.paths import without_password, without_secrets
from dejavu.model import (
    ArchiveError,
    ArchiveLockedError,
    ArchiveUnavailableError,
    ConfigError,
    CorruptArchiveError,
    LegalHoldError,
)

# It reports what it lets go of after an error; the error itself is raised, and said by us.
logging.getLogger("psycopg").setLevel(logging.ERROR)

_KEPT = 4
_HELD = "DV001"  # SQLSTATE of `sql/holds.sql`
_DEFAULTS = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
# What a server in English says to a login that it does not take.
_REFUSED = re.compile(
    r'not permitted to log in|authentication failed|role ".*" does not exist|no pg_hba\.conf entry'
)
# What a server says that may answer soon, and the system where none listens yet.
_SOON = re.compile(
    r"Connection refused|timed? ?out|starting up|shutting down|closed the connection", re.IGNORECASE
)
# Below these the server cannot go on, whatever is asked: shutting down, crashed, starting up.
_LEAVING = ("57P01", "57P02", "57P03", "57P05")


def _is_about_connection(error: "psycopg.Error") -> bool:
    """Whether the server leaves, or the library cannot use the connection any more.

    The library's own errors have no state of the server's. One is "cannot exit pipeline mode while
    busy", where a session ends in the middle of its answers: it hides the error that says so.
    """
    return error.sqlstate in _LEAVING or (
        error.sqlstate is None and isinstance(error, psycopg.OperationalError)
    )


class ConnectionLostError(Exception):
    """The connection broke, or none could be made; what went on may be tried again."""


class Connections:
    """Connections to the server behind `url`. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """Connect to nothing yet.

        Raises:
            ConfigError: the URL cannot be read.
        """
        self.name = without_password(url)
        try:
            parameters = conninfo_to_dict(url)
        except psycopg.Error:
            # Its own words may quote the password.
            raise ConfigError(
                f"DEJAVU_ARCHIVE: {self.name} cannot be read; write postgresql://USER@HOST/DATABASE"
                " with % escapes, and the password in ~/.pgpass or PGPASSWORD"
            ) from None
        self._secrets = [str(v) for k, v in parameters.items() if "password" in k and v]
        self._secrets += [value for value in (os.environ.get("PGPASSWORD"),) if value]
        self.path, options = _search_path(str(parameters.pop("options", "") or ""))
        """The schemas that the URL names; none is the server's own choice."""
        # Behind a pooler that hands the connection to others after each transaction nothing may
        # belong to it: no prepared statement, no setting of the session (so no `options`, either).
        self._given: dict[str, Any] = {
            **_DEFAULTS, "application_name": _application(), **parameters,
            "autocommit": True, "prepare_threshold": None,
            **({"options": options} if options else {}),
        }  # fmt: skip
        self._idle: list[psycopg.Connection[Any]] = []
        self._ending: set[psycopg.Connection[Any]] = set()  # idle, except for a commit's answer
        self._guard = threading.Lock()

    @contextmanager
    def cursor(self) -> Generator[psycopg.Cursor[Any]]:
        """A cursor with binary rows on its own connection for the block.

        Raises:
            ConnectionLostError: the connection broke, or none could be made.
            ArchiveError, CorruptArchiveError, ArchiveLockedError: the server refused; says what and the cure.
        """
        try:
            with self._guard:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = psycopg.connect(**self._given)
            elif connection in self._ending:
                self._ended(connection)
        except psycopg.Error as error:
            raise ConnectionLostError(self.describe(error)) from error
        try:
            yield connection.cursor(binary=True)
        except psycopg.Error as error:
            if connection.closed or connection.broken or _is_about_connection(error):
                connection.close()
                raise ConnectionLostError(self.describe(error)) from error
            raise self.translated(error) from error
        finally:
            self._give_back(connection)

    def end_later(self, cursor: "psycopg.Cursor[Any]") -> None:
        """Commit what was only read; its answer is taken when the connection is used again."""
        connection = cursor.connection
        connection.pgconn.send_query(b"commit")
        connection.pgconn.flush()
        self._ending.add(connection)

    def _ended(self, connection: "psycopg.Connection[Any]") -> None:
        self._ending.discard(connection)
        pgconn = connection.pgconn
        waiting = select.poll()
        waiting.register(pgconn.socket, select.POLLIN)
        while pgconn.is_busy():  # get_result would wait with the interpreter's lock held
            waiting.poll(1_000)
            pgconn.consume_input()
        while pgconn.get_result() is not None:
            pass
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.close()
            raise psycopg.OperationalError("the connection broke after it was used")

    def _give_back(self, connection: "psycopg.Connection[Any]") -> None:
        ending = connection in self._ending
        with suppress(psycopg.Error):
            if not ending and connection.info.transaction_status is not TransactionStatus.IDLE:
                connection.rollback()
        with self._guard:
            if len(self._idle) < _KEPT and (
                ending
                or (
                    not connection.closed
                    and connection.info.transaction_status is TransactionStatus.IDLE
                )
            ):
                self._idle.append(connection)
                return
        self._ending.discard(connection)
        connection.close()

    def describe(self, error: BaseException) -> str:
        """What the server or its library said, on one line, without a password."""
        text = " ".join(str(error).split()) or type(error).__name__
        return without_secrets(text, self._secrets)

    def translated(self, error: "psycopg.Error") -> ArchiveError:
        """A refusal of the server's in our words, with the cure."""
        message = self.describe(error)
        if error.sqlstate == _HELD:
            return LegalHoldError(
                f"{error.diag.message_primary}; nothing was deleted. An owner of the archive "
                f"{self.name} ends a hold with `dejavu team release`"
            )
        if isinstance(error, psycopg.errors.LockNotAvailable):
            return ArchiveLockedError(f"the archive {self.name} is being written; try again")
        if error.sqlstate and error.sqlstate.startswith("XX"):
            return CorruptArchiveError(
                f"the archive {self.name} is damaged ({message}); "
                "restore it with `dejavu archive restore` from a backup, or sync again"
            )
        message = message.partition(" CONTEXT: ")[0].replace(" HINT: ", "; ")
        kind: type[ArchiveError] = ArchiveError
        cure = "nothing of this change was kept, everything before it is there"
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            if error.diag.message_hint:  # of our own functions
                return ArchiveError(
                    f"{error.diag.message_primary} in the archive {self.name}; {error.diag.message_hint}"
                )
            return ArchiveError(
                f"the archive {self.name} refuses this login ({message}); "
                "ask its keeper for the rights in docs/guides/teams.md"
            )
        if isinstance(error, psycopg.errors.FeatureNotSupported) and "recovery" in message:
            kind = ArchiveUnavailableError
            cure = "that server is a copy, or still recovers: name the one that may be written, or wait"
        elif isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
            kind = ArchiveUnavailableError
            cure = "name the server that may be written, not its copy"
        elif isinstance(error, psycopg.errors.DiskFull):
            kind = ArchiveUnavailableError
            cure = "the server's disk is full: nothing of this change was kept; its keeper has to make room"
        elif isinstance(error, psycopg.errors.UndefinedTable):
            cure = "its tables are gone: `dejavu archive restore` a backup, or `dejavu sync` again"
        return kind(f"the archive {self.name} could not be used ({message}); {cure}")

    def is_final(self, lost: ConnectionLostError) -> bool:
        """Whether trying again cannot help: every server that answers refuses the login."""
        return bool(_REFUSED.search(str(lost))) and not _SOON.search(str(lost))

    def unreachable(self, lost: ConnectionLostError) -> ArchiveUnavailableError:
        """The message when trying again did not help."""
        if _REFUSED.search(str(lost)):
            return ArchiveUnavailableError(
                f"the server of the archive {self.name} refuses this login ({lost}); the password is another "
                "(~/.pgpass, PGPASSWORD), or the login was taken away: ask its keeper"
            )
        return ArchiveUnavailableError(
            f"the archive {self.name} cannot be reached ({lost}); look whether the server runs, "
            "and whether host, user and password (~/.pgpass, PGPASSWORD) are right"
        )

    def drop(self) -> None:
        """Close what is kept."""
        with self._guard:
            idle, self._idle = self._idle, []
            self._ending.difference_update(idle)
        for connection in idle:
            connection.close()


def _search_path(options: str) -> tuple[tuple[str, ...], str]:
    """The schemas of `-csearch_path=...`, and the options without it."""
    path: tuple[str, ...] = ()
    rest: list[str] = []
    for option in re.findall(r"(?:-c\s*|--)(?:\\.|\S)+", options):
        name, _, value = re.sub(r"^(-c\s*|--)", "", option).partition("=")
        if name.replace("-", "_") == "search_path":
            value = re.sub(r"\\(.)", r"\1", value)
            path = tuple(one.strip().strip('"') for one in value.split(",") if one.strip())
        else:
            rest.append(option)
    return path, " ".join(rest)


def _application() -> str:
    """Who we are, for others who wait for us: the server shows at most 63 bytes."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"dejavu {user}@{socket.gethostname()} {os.getpid()}"[:63]
