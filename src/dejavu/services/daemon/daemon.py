"""What the daemon does: waits on its socket, empties the spool, reads session logs, leaves when idle.

One thread, next to the prompt server's and the guard's: hooks never wait for this one. An entry leaves the
spool only after the commit that holds it. An archive that cannot be written (locked, full, damaged)
leaves the entries where they are; a source that fails is recorded for `dejavu doctor` and stops
nothing else. The daemon goes when nothing came for a while, when its folder is gone, or when it is
told to.
"""

import contextlib
import logging
import os
import selectors
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.capsule.unix_socket import Listener, listen
from dejavu.config.files import read_json
from dejavu.config.settings import LOCAL, load_config, own_instance
from dejavu.ingest import spool
from dejavu.ingest.source_failures import record_source_failure
from dejavu.model import ArchiveError, DejavuError
from dejavu.providers import HOOKS
from dejavu.recall.injection_log import carry_notes
from dejavu.sessions import hook_status
from dejavu.sessions import session_store as sessions

from ..hook_protocol import SOCKET
from .guard_server import GuardServer
from .hook_ingest import HookEvent, HookIngestor, IngestResult, parse_events
from .prompt_server import PromptServer
from .session_log_scheduler import SessionLogScheduler
from .socket_thread import BACKLOG
from .spool import Spool, SpoolEntry, parse
from .vector_thread import VectorThread

_BATCH = 256  # entries taken at a time
_POLL = 5.0  # seconds between two looks into the spool, notified or not
_RETRY = 5.0  # seconds before a refused archive is tried again
_LARGEST = 33 << 20  # bytes of an entry that comes through the socket
STOP = b"stop\n"
"""What the daemon is sent to make it leave."""

_log = logging.getLogger(__name__)


class Daemon:
    """One daemon, in the folder it was started for.

    `idle`: seconds without work until it goes; `clock` returns Unix seconds.
    """

    def __init__(
        self, folder: Path, *, idle: float, clock: Callable[[], float] = time.time
    ) -> None:
        self._folder, self._idle, self._clock = folder, idle, clock
        self._spool = Spool(folder)
        self._entries: list[SpoolEntry] = []
        self._scheduler = SessionLogScheduler(clock=clock)
        self._prompts, self._guard, self._vectors = PromptServer(), GuardServer(), VectorThread()
        self._stopped = self._failing = False

    def run(self) -> bool:
        """Work until there is none; whether an entry that came meanwhile could be taken.

        The working folder becomes the daemon's own.
        """
        os.umask(0o077)
        try:
            os.chdir(self._folder)  # paths of sockets are short
            inode = self._folder.stat().st_ino
            self._listener = listen(Path(SOCKET), BACKLOG, replace=True)
        except FileNotFoundError:  # the home was thrown away while we started
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            threads = (self._prompts, self._guard, self._vectors)
            for thread in threads:
                thread.start()
            try:
                self._serve(selector, inode)
            finally:
                for thread in threads:
                    thread.close()
                self._listener.close()
            with contextlib.suppress(FileNotFoundError):
                Path(SOCKET).unlink()
        return not self._stopped and not self._failing

    def _serve(self, selector: selectors.BaseSelector, inode: int) -> None:
        last, retry_at = time.monotonic(), 0.0
        while self._still_there(inode):
            worked = time.monotonic() >= retry_at and self._is_due()
            self._failing = (worked and not self._work()) or time.monotonic() < retry_at
            if worked and self._failing:
                retry_at = time.monotonic() + _RETRY
            elif worked:
                last = time.monotonic()
            elif self._stopped or (
                self._scheduler.due is None
                and time.monotonic() - self._last_busy(last) > self._idle
            ):
                return
            elif selector.select(self._wait()):
                self._accept(self._listener)
            elif not Path(SOCKET).exists() and self._still_there(inode):
                self._reopen(selector)

    def _last_busy(self, last: float) -> float:
        """When this thread, which was busy at `last`, or one of the others had something to do."""
        return max(last, self._prompts.last, self._guard.last, self._vectors.last)

    def _reopen(self, selector: selectors.BaseSelector) -> None:
        """A socket whose name was taken away cannot be reached: open another."""
        try:
            listener = listen(Path(SOCKET), BACKLOG, replace=True)
        except FileNotFoundError:  # the folder went at this moment; the next look ends the daemon
            return
        selector.unregister(self._listener)
        self._listener.close()
        self._listener = listener
        selector.register(listener, selectors.EVENT_READ)

    def _is_due(self) -> bool:
        due = self._scheduler.due
        if self._entries or self._spool or spool.is_due():
            return True
        return due is not None and due <= self._clock()

    def _wait(self) -> float:
        """Seconds until there may be something to do without being notified."""
        due = self._scheduler.due
        wait = _POLL if due is None else min(_POLL, due - self._clock())
        return max(0.05, min(wait, self._idle))

    def _work(self) -> bool:
        """Do what is due; False if the archive cannot be written now.

        It is opened for the work alone, so that others may exchange its folder in between.
        """
        try:
            with open_archive(write=True) as archive:
                self._empty(archive)
                spool.recover(open_archive)
                carry_notes(archive)
                self._scheduler.tick(archive, self._clock())
        except (DejavuError, OSError) as error:
            _log.warning("the archive cannot be written: %s", error)
            return False
        return True

    def _accept(self, listener: Listener) -> None:
        """Everybody who connected: most send nothing, which means: look into the spool."""
        while True:
            try:
                peer, _ = listener.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            with peer:
                peer.settimeout(0.2)
                data = bytearray()
                with contextlib.suppress(OSError):
                    while len(data) < _LARGEST and (piece := peer.recv(1 << 16)):
                        data += piece
            message = bytes(data)
            if message == STOP:
                self._stopped = True
            elif entry := parse(message):
                self._entries.append(entry)

    def _empty(self, archive: Archive) -> None:
        """Store what is in the spool and what came by the socket."""
        entries = [*self._entries, *self._spool.entries(_BATCH)]
        events: list[tuple[tuple[str, str, str], HookEvent]] = []
        for entry in entries:
            found: list[tuple[tuple[str, str, str], HookEvent]] = []
            try:
                found = [
                    (key, event) for event in parse_events(entry) if (key := session_key(event))
                ]
            except Exception as error:  # a payload that a reader stumbles over is put aside
                self._fail(archive, entry, error)
            if not found and entry.path is not None:
                self._spool.quarantine(entry.path)
            events += found
        events.sort(key=lambda pair: pair[0])  # stable: the order within a session stays
        for (agent, session, instance), group in groupby(events, key=lambda pair: pair[0]):
            batch = [event for _, event in group]
            self._ingest(archive, agent, session, instance, batch)
        for entry in entries:
            self._spool.remove(entry)
        self._entries = []

    def _ingest(
        self, archive: Archive, agent: str, session: str, instance: str, events: list[HookEvent]
    ) -> None:
        try:
            ingestor = HookIngestor(archive, clock=self._clock)
            self._publish(ingestor.ingest(agent, session, instance, events))
        except ArchiveError:
            raise
        except Exception as error:  # one session's events must not stop the others
            for event in events:
                self._fail(archive, event.entry, error)
                if event.entry.path is not None:
                    self._spool.quarantine(event.entry.path)

    def _publish(self, result: IngestResult) -> None:
        """Pass on what the events say of the session's state, and have its log read."""
        hook = HOOKS[result.agent]
        for event in result.events:
            state = hook.status_of(event.payload)
            if state is not None and event.entry.session:
                with contextlib.suppress(OSError):
                    hook_status.publish(
                        event.entry.session,
                        state,
                        event=event.kind,
                        at=event.entry.at,
                        conversation=result.conversation,
                    )
            self._scheduler.on_hook(
                result,
                hook.transcript_of(event.payload),
                state,
                over=event.kind == "SessionEnd",
                at=event.entry.at,
            )

    def _fail(self, archive: Archive, entry: SpoolEntry, error: Exception) -> None:
        location = f"hooks of {entry.agent}"
        record_source_failure(archive, entry.agent, location, error, self._clock())

    def _still_there(self, inode: int) -> bool:
        """Whether the folder is still the one that was found: homes get thrown away."""
        try:
            return self._folder.stat().st_ino == inode
        except OSError:
            return False


def session_key(event: HookEvent) -> tuple[str, str, str] | None:
    """Agent, session and instance of an event; None where it does not say."""
    hook = HOOKS.get(event.entry.agent)
    session = hook.session_of(event.payload) if hook is not None else None
    return None if session is None else (event.entry.agent, session, _instance(event.entry))


def _instance(entry: SpoolEntry) -> str:
    """The instance an entry comes from: as its wrapper says, as its environment says, or ours."""
    if entry.session and "/" not in entry.session:
        stored = read_json(sessions.sessions_folder() / entry.session / "session.json")
        if isinstance(stored.get("instance"), str) and stored["instance"]:
            return str(stored["instance"])
    if entry.instance:
        return entry.instance
    try:
        return own_instance(load_config())
    except DejavuError:
        return LOCAL
