"""How long the server's search and its pages take, as the archive grows to 1,000,000 turns.

Turns are those of archive/search.py, and so are most of the questions, each kind mixed evenly; they are asked
over HTTP of `dejavu serve` on its Unix socket, one after the other: `/v1/search` (20 hits) and the page
`/conversations?q=` (50 hits, the last word a beginning, as the page asks while one types). Each size
also holds one conversation of 5,000 turns, whose page and last page are fetched as HTML; where Chromium
is installed it says when it has painted the first words. Prints JSON by size: wall milliseconds from
request to last byte, and CPU milliseconds of the server (the clock of /proc has steps of 10 ms, so
CPU is a mean), with load at the end.

    python -m benchmarks.interfaces.web [TURNS ...] [--minutes 12] [--home FOLDER]

Sizes that would begin to be built after so many minutes are left out, and said. An archive in a home
that is named stays there, and the next run grows it instead of building it again.
"""

import argparse
import contextlib
import http.client
import importlib.util
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks import ROOT
from benchmarks.archive import search
from benchmarks.archive.corpus import START, prose

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import Conversation, Role, Text, Turn

BIN = Path(sys.executable).parent
KINDS = ("one_word", "two_words", "three_words", "phrase", "identifier", "path", "prefix",
         "prefix_short")  # fmt: skip
OF_EACH = 15
LONG = "f" * 16
ROUNDS = 20
AIM_SEARCH, AIM_PAGE = 150.0, 500.0
_TICKS = os.sysconf("SC_CLK_TCK")


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=120)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(120)
        self.sock.connect(self._path)


class Server:
    """A running `dejavu serve`, on a Unix socket or a port."""

    def __init__(self, home: Path, *arguments: str) -> None:
        environ = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self._process = subprocess.Popen(
            [str(BIN / "dejavu"), "serve", "--json", *arguments],
            env=environ, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.address: dict[str, Any] = json.loads(self._process.stdout.readline())

    def get(self, path: str) -> bytes:
        """The body of an answer, which has to be one."""
        connection = _Connection(self.address["socket"])
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        assert response.status == 200, (path, response.status, body[:200])
        return body

    def cpu(self) -> float:
        """Seconds of CPU that it has used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def measured(server: Server, paths: list[str]) -> dict[str, Any]:
    """Each path once; wall by request, CPU as the mean of all."""
    walls: list[float] = []
    began = server.cpu()
    for path in paths:
        start = time.perf_counter()
        server.get(path)
        walls.append(1e3 * (time.perf_counter() - start))
    cpu = 1e3 * (server.cpu() - began) / len(paths)
    return {**summary(walls), "mean_cpu_ms": round(cpu, 1)}


def summary(walls: list[float]) -> dict[str, float]:
    return {
        "requests": len(walls),
        "p50_ms": round(statistics.median(walls), 1),
        "p95_ms": round(statistics.quantiles(walls, n=20, method="inclusive")[18], 1),
        "worst_ms": round(max(walls), 1),
    }


def put_long(archive: Archive) -> None:
    """One conversation of 5,000 turns."""
    texts, chance = prose(), random.Random(5)
    turns = [
        Turn(
            role=(Role.USER, Role.ASSISTANT)[n % 2],
            parts=(Text("\n\n".join(chance.choices(texts, k=3))),),
            at=START + n,
        )
        for n in range(5_000)
    ]
    summary = Conversation(id=LONG, agent="claude", workspace="/home/dev/long", native_id="long")
    archive.commit(Batch(updates=[TurnUpdate(summary, 0, turns)]))


def questions(conversations: int) -> tuple[list[str], list[str]]:
    """Addresses of the API's searches and of the page's, in one mixed order."""
    every = search.questions(conversations)
    words = [text for kind in KINDS for text, _ in every[kind][:OF_EACH]]
    random.Random(3).shuffle(words)
    api = [f"/v1/search?{urlencode({'q': text, 'limit': 20})}" for text in words]
    typed = [text if text.endswith(('"', "*")) else f"{text[:-1]}" for text in words]
    page = [f"/conversations?{urlencode({'q': text, 'typing': '1'})}" for text in typed]
    return api, page


@contextlib.contextmanager
def chromium(scratch: Path) -> Iterator[Any]:
    place = ROOT / "tests" / "export" / "html" / "chromium.py"
    spec = importlib.util.spec_from_file_location("chromium", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    browser = module.start(scratch / "profile")
    try:
        yield browser
    finally:
        browser.close()


class _Address:
    def __init__(self, url: str) -> None:
        self.as_uri: Callable[[], str] = lambda: url


def painted(home: Path, scratch: Path) -> dict[str, float] | str:
    """When a browser has painted the first words of the long conversation, after it was asked."""
    server = Server(home, "--port", "0")
    token = Path(server.address["token_file"]).read_text().strip()
    url = str(server.address["url"]).rstrip("/")
    try:
        with chromium(scratch) as browser:
            browser.open(_Address(f"{url}/#token={token}"), scripts=True)
            base_of = "document.documentElement?.dataset.base"
            while (base := browser.value(base_of)) in (None, "/"):
                time.sleep(0.1)
            paints: list[float] = []
            for _ in range(8):
                browser.open(_Address(f"{url}{base}conversations/{LONG}"), scripts=True)
                entries = "performance.getEntriesByName('first-contentful-paint')"
                while not browser.value(f"{entries}.length"):
                    time.sleep(0.02)
                paints.append(browser.value(f"{entries}[0].startTime"))
            return summary(paints)
    except BaseException as error:  # also what skips a test: no Chromium here
        return f"not measured: {error}"
    finally:
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", type=int, nargs="*", default=[250_000, 500_000, 1_000_000])
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    began = time.monotonic()
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="web", dir=os.environ.get("TMPDIR")) as scratch:
        home = given.home or Path(scratch) / "home"
        home.mkdir(parents=True, exist_ok=True)
        os.environ.update(HOME=str(home))
        from dejavu.config.paths import archive_location  # behind its HOME

        extent = home / "turns"
        done, built = int(extent.read_text()) if extent.exists() else 0, 0.0
        for size in given.sizes:
            if time.monotonic() - began > 60 * given.minutes:
                result[str(size)] = f"left out: {given.minutes:g} minutes had gone"
                continue
            start = time.monotonic()
            with Archive.open(archive_location()) as archive:
                if not done:
                    put_long(archive)
                if size // search.TURNS > done:
                    search.grow(archive, done, size // search.TURNS)
                    done = size // search.TURNS
                archive.update_index()
            extent.write_text(str(done))
            built += time.monotonic() - start
            server = Server(home)
            api, page = questions(done)
            measured(server, api[:20])  # warm
            result[str(size)] = {
                "api_search": measured(server, api),
                "page_search": measured(server, page),
                "list": measured(server, ["/conversations"] * ROUNDS),
                "conversation_5000": measured(server, [f"/conversations/{LONG}"] * ROUNDS),
                "its_last_page": measured(server, [f"/conversations/{LONG}?page=last"] * ROUNDS),
                "built_in_s": round(built),
            }
            server.close()
            print(json.dumps({str(size): result[str(size)]}), file=sys.stderr, flush=True)
        result["first_paint_5000"] = painted(home, Path(scratch))
    print(json.dumps({
        "turns": result,
        "aims_ms": {"search_p95": AIM_SEARCH, "first_words": AIM_PAGE},
        "load": round(os.getloadavg()[0], 1),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
