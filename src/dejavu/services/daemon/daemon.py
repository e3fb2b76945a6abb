"""What the daemon does: waits on its socket, empties the spool, reads traces, leaves when idle.

Takes the folder of `surfaces.hooks.capture` and the lock in it; gives the archive what hooks left.
One thread, and the desk's beside it: hooks never wait for this one. A letter leaves the spool only
after the commit that holds it. An archive that cannot be written (locked, full, damaged) leaves the
letters where they are. It goes when nothing came for a while, when its folder is gone, or when it
is told to.
"""

import contextlib
import os
import selectors
import socket
import sys
import time
import traceback
from itertools import groupby
from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.config.instance import DEFAULT, own_instance
from dejavu.config.json_file import read_json
from dejavu.config.settings import load_config
from dejavu.model import ArchiveError, DejavuError
from dejavu.providers import HOOKS
from dejavu.sessions import hook_status as evidence
from dejavu.sessions import session_store as sessions

from ..hook_protocol import SOCKET
from .hook_ingest import Event, Intake, events
from .prompt_server import Desk, listen
from .session_log_scheduler import Pivot
from .spool import Letter, Spool, opened

_BATCH = 256  # letters taken at a time
_LOOK = 5.0  # seconds between two looks into the spool, told or not
_PATIENCE = 5.0  # seconds before a refused archive is tried again
_LARGEST = 33 << 20  # bytes of a letter that comes through the socket
STOP = b"stop\n"
"""What the daemon is told to make it leave."""


class Daemon:
    """One daemon, in the folder it was started for. `idle`: seconds without work until it goes."""

    def __init__(self, folder: Path, *, idle: float) -> None:
        self._folder, self._idle = folder, idle
        self._spool = Spool(folder)
        self._letters: list[Letter] = []
        self._pivot = Pivot()
        self._desk = Desk()
        self._stopped = self._failing = False

    def run(self) -> bool:
        """Work until there is none; whether a letter that came meanwhile could be taken.

        The working folder becomes the daemon's own.
        """
        os.umask(0o077)
        os.chdir(self._folder)  # paths of sockets are short
        itself = self._folder.stat().st_ino
        self._door = listen(SOCKET)
        with selectors.DefaultSelector() as selector:
            selector.register(self._door, selectors.EVENT_READ)
            self._desk.start()
            try:
                self._serve(selector, itself)
            finally:
                self._desk.close()
                self._door.close()
            with contextlib.suppress(FileNotFoundError):
                Path(SOCKET).unlink()
        return not self._stopped and not self._failing

    def _serve(self, selector: selectors.BaseSelector, itself: int) -> None:
        last, patience = time.monotonic(), 0.0
        while self._still_there(itself):
            worked = time.monotonic() >= patience and self._due()
            self._failing = (worked and not self._work()) or time.monotonic() < patience
            if worked and self._failing:
                patience = time.monotonic() + _PATIENCE
            elif worked:
                last = time.monotonic()
            elif self._stopped or (
                self._pivot.due is None
                and time.monotonic() - max(last, self._desk.last) > self._idle
            ):
                return
            elif selector.select(self._wait()):
                self._answer(self._door)
            elif not Path(SOCKET).exists() and self._still_there(itself):
                self._reopen(selector)

    def _reopen(self, selector: selectors.BaseSelector) -> None:
        """A door whose name was taken away is no way in: open another."""
        door = listen(SOCKET)
        selector.unregister(self._door)
        self._door.close()
        self._door = door
        selector.register(door, selectors.EVENT_READ)

    def _due(self) -> bool:
        due = self._pivot.due
        return bool(self._letters or self._spool) or (due is not None and due <= time.time())

    def _wait(self) -> float:
        """Seconds until there may be something to do without being told."""
        due = self._pivot.due
        wait = _LOOK if due is None else min(_LOOK, due - time.time())
        return max(0.05, min(wait, self._idle))

    def _work(self) -> bool:
        """Do what is due; False if the archive cannot be written now.

        It is opened for the work alone, so that others may exchange its folder in between.
        """
        try:
            with open_archive(write=True) as archive:
                intake = Intake(archive)
                self._empty(intake)
                self._pivot.tick(archive, time.time())
        except (DejavuError, OSError) as error:
            _log(f"the archive cannot be written: {error}")
            return False
        return True

    def _answer(self, door: socket.socket) -> None:
        """Everybody at the door: most say nothing and mean: look into the spool."""
        while True:
            try:
                peer, _ = door.accept()
            except BlockingIOError:
                return
            with peer:
                peer.settimeout(0.2)
                data = bytearray()
                with contextlib.suppress(OSError):
                    while len(data) < _LARGEST and (piece := peer.recv(1 << 16)):
                        data += piece
            told = bytes(data)
            if told == STOP:
                self._stopped = True
            elif letter := opened(told):
                self._letters.append(letter)

    def _empty(self, intake: Intake) -> None:
        """Take what is in the spool and what came by the socket."""
        letters = [*self._letters, *self._spool.letters(_BATCH)]
        news: list[tuple[tuple[str, str, str], Event]] = []
        for letter in letters:
            try:
                found = [(key, event) for event in events(letter) if (key := _session(event))]
            except Exception:  # a payload that a reader of ours stumbles over is put aside
                traceback.print_exc()
                found = []
            if not found and letter.path is not None:
                self._spool.refuse(letter.path)
            news += found
        news.sort(key=lambda one: one[0])  # stable: the order within a session stays
        for (agent, session, instance), group in groupby(news, key=lambda one: one[0]):
            some = [event for _, event in group]
            self._take(intake, agent, session, instance, some)
        for letter in letters:
            self._spool.done(letter)
        self._letters = []

    def _take(
        self, intake: Intake, agent: str, session: str, instance: str, some: list[Event]
    ) -> None:
        try:
            taken = intake.take(agent, session, instance, some)
        except ArchiveError:
            raise
        except Exception:  # a fault of ours in one session's events must not stop the others
            traceback.print_exc()
            for event in some:
                if event.letter.path is not None:
                    self._spool.refuse(event.letter.path)
            return
        hook = HOOKS[agent]
        for event in taken.events:
            state = hook.status_of(event.payload)
            if state is not None and event.letter.session:
                with contextlib.suppress(OSError):
                    evidence.tell(
                        event.letter.session,
                        state,
                        event=event.kind,
                        at=event.letter.at,
                        conversation=taken.conversation,
                    )
            self._pivot.heard(
                taken,
                hook.transcript_of(event.payload),
                state,
                over=event.kind == "SessionEnd",
                at=event.letter.at,
            )

    def _still_there(self, itself: int) -> bool:
        """Whether the folder is still the one that was found: homes get thrown away."""
        try:
            return self._folder.stat().st_ino == itself
        except OSError:
            return False


def _session(event: Event) -> tuple[str, str, str] | None:
    """Agent, session and instance of an event; None where it cannot be told."""
    hook = HOOKS.get(event.letter.agent)
    session = hook.session_of(event.payload) if hook is not None else None
    return None if session is None else (event.letter.agent, session, _instance(event.letter))


def _instance(letter: Letter) -> str:
    """The instance a letter comes from: as its wrapper says, as its environment says, or ours."""
    if letter.session and "/" not in letter.session:
        told = read_json(sessions.sessions_folder() / letter.session / "session.json")
        if isinstance(told.get("instance"), str) and told["instance"]:
            return str(told["instance"])
    if letter.instance:
        return letter.instance
    try:
        return own_instance(load_config())
    except DejavuError:
        return DEFAULT


def _log(sentence: str) -> None:
    print(time.strftime("%F %T"), sentence, file=sys.stderr, flush=True)
