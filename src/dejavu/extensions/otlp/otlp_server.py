"""Run the OTLP receiver of `dejavu otlp` on a port until a signal ends it."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn

from dejavu.archive.access import open_archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.recorder import Recorder, Summary
from dejavu.ingest.spool import recover, spool_folder
from dejavu.model import CaptureError
from dejavu.services.http_server import config, on_port

from .receiver import TIMEOUT, Receiver


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Take a signal that uvicorn has acted upon."""


def collect(
    port: int, *, token: str, instance: str, workspace: str | None, ready: Callable[[int], None]
) -> Summary:
    """Receive until SIGINT or SIGTERM; `ready` is called with the port once it is open.

    token: what every export must say.

    Raises:
        CaptureError: the port is taken.
    """
    try:
        listener = on_port(port)
    except OSError as error:
        raise CaptureError(
            f"cannot listen on port {port} ({error.strerror or error}); --port 0 takes a free one"
        ) from error
    recorder = Recorder(lambda: open_archive(write=True), spool_folder())

    def keep(channel: Channel, line: bytes) -> None:
        recorder.put(channel, lambda: line, len(line))

    receiver = Receiver(keep, token=token, instance=instance, workspace=workspace)
    # uvicorn ends on these signals, then raises them again for the handlers that were there before.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ignore)
    try:
        ready(listener.getsockname()[1])
        threading.Thread(target=recover, args=(open_archive,), daemon=True).start()
        uvicorn.Server(config(receiver.app, idle=TIMEOUT)).run(sockets=[listener])
    finally:
        listener.close()
        summary = recorder.close()
    if receiver.unauthorized:
        summary.notes.append(
            f"{receiver.unauthorized} exports were refused: without the token; set what is printed at the start"
        )
    if receiver.strangers:
        summary.notes.append(f"{receiver.strangers} exports came from programs that are no agents")
    return summary
