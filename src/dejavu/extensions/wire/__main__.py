"""The proxy's own process: `python -m dejavu.extensions.wire`, started by `launch`.

Reads one line of JSON on stdin (the servers, the secret, whose conversation it is), prints its port
in a line on stdout, and passes traffic until stdin ends, which it does when the wrapper ends,
however that came; then commits what is left and says what it kept.
"""

import asyncio
import json
import sys
import threading
from typing import Any

from dejavu.archive.access import open_archive
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.ingest.recorder import Recorder
from dejavu.ingest.spool import recover, spool_folder
from dejavu.model import Vector

from .proxy import Proxy
from .routes import Routes, upstream
from .tap import Tap
from .tls import tls_context


def wire_channel(agent: str, instance: str, workspace: str, run: str) -> Channel:
    """The source of one run's exchanges."""
    source = pushed_source(agent, f"wire:{run}", instance, workspace=workspace or None)
    return Channel(Vector.WIRE, source)


def main() -> None:
    """Serve one run."""
    facts: dict[str, Any] = json.loads(sys.stdin.readline())
    routes = Routes([upstream(url) for url in facts["upstreams"]], facts["secret"])
    channel = wire_channel(facts["agent"], facts["instance"], facts["workspace"], facts["run"])
    recorder = Recorder(lambda: open_archive(write=True), spool_folder())
    unkept = 0

    def keep(tap: Tap) -> None:
        nonlocal unkept
        unkept += tap.dropped
        recorder.put(channel, tap.line, tap.size)

    async def serve() -> None:
        server = await Proxy(routes, keep, tls_context()).listen()
        _say({"port": server.sockets[0].getsockname()[1]})
        threading.Thread(target=recover, args=(open_archive,), daemon=True).start()
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
