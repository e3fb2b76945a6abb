"""The proxy's own process: `python -m dejavu.services.wire`, started by `launch`.

Takes one line of JSON on stdin (the servers, the secret, whose conversation it is); says its port
on stdout in a line; passes traffic until stdin ends, which it does when the wrapper ends, however
that came; then commits what is left and says what it kept.
"""

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

from dejavu.archive.access import open_archive
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import spool, take_up
from dejavu.ingest.spooled import Feed
from dejavu.model import Vector
from dejavu.providers import Kind, Source
from dejavu.providers.formats.wire import parser

from .proxy import Proxy
from .routes import Routes, upstream
from .tap import Tap
from .tls import tls_context


def wire_feed(agent: str, instance: str, workspace: str, run: str) -> Feed:
    """The source of one run's exchanges."""
    source = Source(
        agent=agent, path=Path(f"wire:{run}"), instance=instance, kind=Kind.APPEND,
        workspace=workspace or None, name=f"wire:{run}",
    )  # fmt: skip
    return Feed(source, parser, Vector.WIRE)


def main() -> None:
    """Serve one run."""
    facts: dict[str, Any] = json.loads(sys.stdin.readline())
    routes = Routes([upstream(url) for url in facts["upstreams"]], facts["secret"])
    feed = wire_feed(facts["agent"], facts["instance"], facts["workspace"], facts["run"])
    recorder = Recorder(lambda: open_archive(write=True), spool())
    unkept = 0

    def keep(tap: Tap) -> None:
        nonlocal unkept
        unkept += tap.dropped
        recorder.put(feed, tap.line, tap.size)

    async def serve() -> None:
        server = await Proxy(routes, keep, tls_context()).listen()
        _say({"port": server.sockets[0].getsockname()[1]})
        threading.Thread(target=take_up, args=(open_archive,), daemon=True).start()
        await asyncio.to_thread(sys.stdin.read)
        server.close()

    asyncio.run(serve())
    summary = recorder.close()
    if unkept:
        summary.notes.append(f"{unkept} exchanges were too long, or in a coding we cannot read")
    told = {"lines": summary.lines, "conversations": sorted(summary.conversations)}
    _say({**told, "notes": summary.notes})


def _say(value: dict[str, Any]) -> None:
    try:
        print(json.dumps(value), flush=True)
    except OSError:
        return  # the wrapper has gone; the archive has it all the same


if __name__ == "__main__":
    main()
