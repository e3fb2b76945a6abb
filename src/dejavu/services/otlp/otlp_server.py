"""`dejavu otlp` at work: the receiver until a signal ends it.

Takes a port; gives what was recorded.
"""

import asyncio
import signal
import threading
from collections.abc import Callable

from dejavu.archive.access import open_archive
from dejavu.ingest.recorder import Recorder, Summary
from dejavu.ingest.spool import spool, take_up
from dejavu.ingest.spooled import Feed
from dejavu.model import CaptureError

from .receiver import Receiver


def collect(
    port: int, *, instance: str, workspace: str | None, ready: Callable[[int], None]
) -> Summary:
    """Receive until SIGINT or SIGTERM; `ready` gets the port once it is open.

    Raises:
        CaptureError: the port is taken.
    """
    recorder = Recorder(lambda: open_archive(write=True), spool())

    def keep(feed: Feed, line: bytes) -> None:
        recorder.put(feed, lambda: line, len(line))

    receiver = Receiver(keep, instance=instance, workspace=workspace)

    async def serve() -> None:
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        server = await receiver.listen(port)
        ready(server.sockets[0].getsockname()[1])
        threading.Thread(target=take_up, args=(open_archive,), daemon=True).start()
        await over.wait()
        server.close()

    try:
        asyncio.run(serve())
    except OSError as error:
        raise CaptureError(
            f"cannot listen on port {port} ({error.strerror or error}); --port 0 takes a free one"
        ) from error
    finally:
        summary = recorder.close()
    if receiver.strangers:
        summary.notes.append(f"{receiver.strangers} exports came from programs that are no agents")
    return summary
