"""A pgbouncer in transaction mode before a server of tests, ended by its pid."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from tests.postgres import Missing, Server

_SLOWEST = 20.0


class Pgbouncer:
    """A running pooler with two connections to the server. `stop` it."""

    def __init__(self, server: Server) -> None:
        program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
        if program is None:
            raise Missing("needs pgbouncer: no pgbouncer on PATH")
        self.folder = Path(tempfile.mkdtemp(prefix="dejavu-pgb-", dir="/tmp"))
        self._server = server
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        user = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        settings = self.folder / "pgbouncer.ini"
        users = self.folder / "users"
        users.write_text('"keeper" ""\n')
        settings.write_text(
            "[databases]\n"
            f"* = host={server.folder} port={server.port}\n"
            "[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
            f"auth_type = trust\nauth_file = {users}\npool_mode = transaction\ndefault_pool_size = 2\n"
            "max_client_conn = 100\n"
        )
        if user:
            shutil.chown(self.folder, **user)
            shutil.chown(settings, **user)
            shutil.chown(users, **user)
        self._log = (self.folder / "log").open("wb")
        self._process = subprocess.Popen(
            [program, str(settings)], stdout=self._log, stderr=self._log, cwd="/", **user
        )
        deadline = time.monotonic() + _SLOWEST
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    said = (self.folder / "log").read_text(errors="replace")[-300:]
                    self.stop()
                    raise Missing(f"pgbouncer did not start: {said}") from error
            time.sleep(0.05)

    def url(self, schema: str) -> str:
        """The URL of the archive in `schema`, through the pooler."""
        return (
            f"postgresql://keeper@127.0.0.1:{self.port}/postgres?options=-csearch_path%3D{schema}"
        )

    def stop(self) -> None:
        """End it, and remove its folder."""
        self._process.terminate()
        self._process.wait(10)
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
