"""The observer as a program: frames on stdin, one JSON report on descriptor 3.

Ends when its input ends, which is also what it sees when the wrapper was killed. Before it begins
it forks the server for the user's next observers (`server`). `Observation` owns the descriptors of
one session, and the waiting where it has its own process.
"""

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from dejavu.capsule import REPORT_FD, Decoder
from dejavu.config.own_program import own_program
from dejavu.model import DejavuError

from .observer import SessionObserver
from .screen_server import ScreenServer
from .server import fork_server


class Observation:
    """One session, from its first frame to its report; `environment` is the agent's, if not ours."""

    def __init__(
        self, frames: int, reports: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self.frames, self.reports = frames, reports
        self.observer = SessionObserver(environment)
        self.screen: ScreenServer | None = None
        self._decoder = Decoder()

    @classmethod
    def observe(cls) -> NoReturn:
        """Observe the session whose frames come on stdin."""
        cls(0, REPORT_FD).run()

    @property
    def fds(self) -> list[int]:
        """What to wait for."""
        return [self.frames] if self.screen is None else [self.frames, self.screen.fileno()]

    def serve(self, ready: Mapping[int, int], most: int = 1 << 20) -> bool:
        """Take what came, at most so many bytes, and do what is due; whether there may be more."""
        if self.frames in ready:
            data = os.read(self.frames, most)
            if not data:
                return False
            for event in self._decoder.feed(data):
                self.observer.event(event)
            if self.screen is None:
                self.screen = _open_screen_server(self.observer)
        if self.screen is not None and self.screen.fileno() in ready:
            self.screen.ready()
        self.observer.tick(time.time())
        return True

    def run(self) -> NoReturn:
        """Observe to the end, in a process for this session alone, and leave it."""
        # The wrapper's end is our end of input; a polite TERM must not cut the archiving short.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        poll = select.poll()
        known: set[int] = set()
        ready: dict[int, int] = {}
        while self.serve(ready):
            for fd in set(self.fds) - known:
                poll.register(fd, select.POLLIN)
                known.add(fd)
            due = self.observer.due
            left = None if due is None else max(0.0, due - time.time()) * 1000
            ready = dict(poll.poll(left))
        self.end()

    def move(self, *, ended: bool) -> NoReturn:
        """Go on in another process than until now: with the session, or with its end."""
        self.observer.moved()
        if ended:
            self.end()
        self.run()

    def finish(self) -> bool:
        """The session is over: archive, and report; whether there is something to index."""
        if self.screen is not None:
            self.screen.close()
        report = self.observer.finish()
        with suppress(OSError):  # the wrapper has gone; the archive has it all the same
            os.write(self.reports, json.dumps(report).encode())
            os.close(self.reports)
        self.reports = -1
        self.observer.close()
        return report["kept"] != "none" or report["conversation"] is not None

    def end(self) -> NoReturn:
        """Finish, and become the program that indexes what was archived."""
        if not self.finish():
            os._exit(0)
        # No one waits any more. What indexing takes (30 MB and more) is another program's memory.
        os.execv(sys.executable, own_program(f"{__package__}.index_archive"))  # noqa: S606 - ours


def main() -> NoReturn:
    """Observe one session, with a server for others next to it where there can be one."""
    try:
        fork_server(Observation)
    except (DejavuError, OSError):
        traceback.print_exc()  # the next wrapper starts its own program
    Observation.observe()


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
