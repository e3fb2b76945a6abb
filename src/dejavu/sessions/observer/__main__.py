"""The observer as a program: frames on stdin, one JSON report on descriptor 3.

Ends when its input ends, which is also what it sees when the wrapper was killed. Before it begins
it forks the server for the user's next observers (`server`).
"""

import json
import os
import select
import signal
import sys
import time
import traceback
from typing import NoReturn

from dejavu.capsule import REPORT_FD, Decoder
from dejavu.config.own_program import own_program
from dejavu.model import DejavuError

from .observer import SessionObserver
from .screen_server import ScreenServer
from .server import fork_server


def main() -> NoReturn:
    """Observe one session, with a server for others next to it where there can be one."""
    try:
        fork_server(observe)
    except (DejavuError, OSError):
        traceback.print_exc()  # the next wrapper starts its own program
    observe()


def observe() -> NoReturn:
    """Observe one session, and become the program that indexes what was archived."""
    # The wrapper's end is our end of input; a polite TERM must not cut the archiving short.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    decoder, observer = Decoder(), SessionObserver()
    server: ScreenServer | None = None
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
            if server is None and (server := _open_screen_server(observer)) is not None:
                poll.register(server, select.POLLIN)
        if server is not None and server.fileno() in ready:
            server.ready()
        observer.tick(time.time())
    if server is not None:
        server.close()
    report = observer.finish()
    try:
        os.write(REPORT_FD, json.dumps(report).encode())
        os.close(REPORT_FD)
    except OSError:
        pass  # the wrapper has gone; the archive has it all the same
    observer.close()
    if report["kept"] == "none" and report["conversation"] is None:
        os._exit(0)  # there is nothing to index
    # No one waits any more. What indexing takes (30 MB and more) is another program's memory.
    os.execv(sys.executable, own_program(f"{__package__}.index_archive"))  # noqa: S606 - ours


def _open_screen_server(observer: SessionObserver) -> ScreenServer | None:
    """The socket for those who ask for the screen; None before the header, or where none can be."""
    folder = None if observer.session is None else observer.session.folder
    if folder is None or any(
        note.startswith("the screen cannot be asked") for note in observer.notes
    ):
        return None
    try:
        return ScreenServer(folder, observer.picture)
    except OSError as error:
        observer.note(f"the screen cannot be asked for: {error.strerror}")
        return None


if __name__ == "__main__":
    main()
