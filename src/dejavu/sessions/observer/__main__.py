"""The observer as a program: frames on stdin, one JSON report on descriptor 3.

Ends when its input ends, which is also what it sees when the wrapper was killed.
"""

import json
import os
import select
import signal
import sys
import time
from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.capsule import REPORT_FD, Decoder
from dejavu.model import DejavuError
from dejavu.recall.update_indexes import update_indexes

from .observer import SessionObserver
from .screen_server import ScreenServer


def main() -> int:
    """Observe one session."""
    # The wrapper's end is our end of input; a polite TERM must not cut the archiving short.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    decoder, observer = Decoder(), SessionObserver()
    glimpse: ScreenServer | None = None
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        due = observer.due
        left = None if due is None else max(0.0, due - time.time()) * 1000
        ready = dict(poll.poll(left))
        if 0 in ready:
            data = os.read(0, 1 << 20)
            if not data:
                break
            for event in decoder.feed(data):
                observer.event(event)
            if glimpse is None and (glimpse := _glimpse(observer)) is not None:
                poll.register(glimpse, select.POLLIN)
        if glimpse is not None and glimpse.fileno() in ready:
            glimpse.ready()
        observer.tick(time.time())
    if glimpse is not None:
        glimpse.close()
    report = observer.finish()
    try:
        os.write(REPORT_FD, json.dumps(report).encode())
        os.close(REPORT_FD)
    except OSError:
        pass  # the wrapper has gone; the archive has it all the same
    observer.close()
    _index()
    return 0


def _index() -> None:
    """Nobody waits any more: make what was archived findable for the next prompt.

    After a large import that takes a while (a quarter of a CPU second for each MB, once), so it
    is done with the least of priorities.
    """
    os.nice(19)
    try:
        with open_archive() as archive:
            update_indexes(archive)
    except (DejavuError, OSError) as error:
        print(f"not indexed: {error}", file=sys.stderr)


def _glimpse(observer: SessionObserver) -> ScreenServer | None:
    """The socket for those who ask for the screen; None before the header, or where none can be."""
    folder = observer.header.get("folder")
    if not folder or any(note.startswith("no glimpse") for note in observer.notes):
        return None
    try:
        return ScreenServer(Path(folder), observer.glimpse)
    except OSError as error:
        observer.note(f"no glimpse of the screen can be had: {error.strerror}")
        return None


if __name__ == "__main__":
    sys.exit(main())
