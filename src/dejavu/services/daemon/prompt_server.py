"""Prompts answered out of memory, and the indexes kept up while nobody asks.

`interfaces.hooks.inject` sends a prompt to a socket of mode 0600 and prints what comes back. The
server is a thread of the daemon's, with the archive, the index and the rules open, so an answer
costs one search. While nobody asks it takes in what was archived since, a step of a few
dozen milliseconds at a time, and makes sentence vectors on at most a quarter of one core; a prompt
never waits for more than one such step. An archive that is missing, damaged or another one than
the hook means is not answered for: the hook then looks for itself. Costs O(a search) a prompt.
"""

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, config_home
from dejavu.config.settings import Recalling, load_config
from dejavu.model import DejavuError
from dejavu.recall import Memory, Recall

from ..hook_answer import HookRequest, answer, parse_prompt, redact
from ..hook_protocol import ANSWERED, NOT_ANSWERED, PROMPT_LARGEST, PROMPT_MAGIC, PROMPT_SOCKET

_LOOK = 3.0  # seconds between two looks for something to take in
_QUIET = 0.5  # seconds after a prompt in which nothing else is done
_SHARE = 3.0  # what making vectors rests for, beside what it worked
_FIELDS = 7  # lines before the payload


_log = logging.getLogger(__name__)


class PromptServer(threading.Thread):
    """One server, in the working folder of the daemon."""

    def __init__(self) -> None:
        super().__init__(name="prompts", daemon=True)
        self.last = time.monotonic()
        """When there was something to do, as `time.monotonic` tells it."""
        self._leaving = threading.Event()
        self._open: _Resources | None = None
        self._task: Generator[float] | None = None
        self._next = 0.0

    def close(self) -> None:
        """Leave soon, and wait for it a moment."""
        self._leaving.set()
        self.join(2.0)

    def run(self) -> None:
        """Answer until told to leave. A fault of ours ends the thread, not the daemon."""
        with (
            contextlib.closing(listen(PROMPT_SOCKET)) as listener,
            selectors.DefaultSelector() as selector,
        ):
            selector.register(listener, selectors.EVENT_READ)
            try:
                while not self._leaving.is_set():
                    if selector.select(max(0.0, min(0.2, self._next - time.monotonic()))):
                        self._serve(listener)
                    elif time.monotonic() >= self._next:
                        self._step()
            finally:
                self._release()
                Path(PROMPT_SOCKET).unlink(missing_ok=True)

    def _serve(self, listener: socket.socket) -> None:
        """Everybody who connected, in turn."""
        while True:
            try:
                peer, _ = listener.accept()
            except BlockingIOError:
                return
            with peer, contextlib.suppress(OSError):
                peer.settimeout(0.2)
                request = bytearray()
                while len(request) <= 2 * PROMPT_LARGEST and (piece := peer.recv(1 << 18)):
                    request += piece
                peer.sendall(self._answer(bytes(request)))
            self.last = time.monotonic()
            self._next = max(self._next, self.last + _QUIET)

    def _answer(self, request: bytes) -> bytes:
        """What to say to a request, behind a byte that says whether it is an answer."""
        try:
            head = request.split(b"\n", _FIELDS)
            if len(head) != _FIELDS + 1 or head[0] != PROMPT_MAGIC:
                return NOT_ANSWERED
            fields = [one.decode("utf-8", "surrogateescape") for one in head[1:_FIELDS]]
            deadline, agent, mode, limit, place, archive = fields
            if time.monotonic_ns() > int(deadline) or archive != archive_location():
                return NOT_ANSWERED
            hook_request = HookRequest(agent, mode, limit, place, archive, head[_FIELDS])
            prompt = parse_prompt(hook_request)
            if prompt is None:
                return ANSWERED
            resources = self._opened()
            response = answer(
                hook_request, prompt, resources.archive, resources.recall, resources.memory,
                resources.settings,
            )  # fmt: skip
        except (DejavuError, OSError, ValueError):
            self._release()
            return NOT_ANSWERED
        except Exception:  # a fault of ours must cost one answer, not the server
            _log.exception("a prompt could not be answered")
            self._release()
            return NOT_ANSWERED
        return ANSWERED + response

    def _step(self) -> None:
        """A moment's work on the indexes, where there is any."""
        try:
            if self._task is None:
                self._task = self._opened().maintenance()
            pause = next(self._task, None)
        except (DejavuError, OSError, ValueError):
            self._release()  # locked, missing or damaged: others say so, this one tries again
            pause = None
        except Exception:
            _log.exception("the indexes could not be brought up to date")
            self._release()
            pause = None
        if pause is None:
            self._task = None
        else:
            self.last = time.monotonic()
        self._next = time.monotonic() + (_LOOK if pause is None else pause)

    def _opened(self) -> "_Resources":
        """What is open, if it is still what is there: archives are restored, settings change."""
        if self._open is not None and self._open.fingerprint != _fingerprint():
            self._release()
        if self._open is None:
            self._open = _Resources()
        return self._open

    def _release(self) -> None:
        """Close everything; the next prompt opens it anew."""
        task, self._task = self._task, None
        held, self._open = self._open, None
        with contextlib.suppress(Exception):
            if task is not None:
                task.close()
        if held is not None:
            with contextlib.suppress(Exception):
                held.close()


class _Resources:
    """An archive with everything that answers out of it."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.fingerprint = _fingerprint()
        self.settings: Recalling = load_config().recall
        self.archive = self._stack.enter_context(Archive.open(archive_location(), create=False))
        self.recall = Recall(self.archive, without=() if self.settings.vectors else ("embedding",))
        self.memory = Memory(self.archive)
        redact("")  # the rules are loaded now, not when somebody waits

    def close(self) -> None:
        """Let go of the archive."""
        self._stack.close()

    def maintenance(self) -> Generator[float]:
        """Steps of bringing the indexes up to the archive; yields seconds to rest after each."""
        for _ in self.recall.catching_up():
            yield 0.0
        if self.settings.vectors:
            began = time.monotonic()
            for _ in self.recall.embedding():
                yield _SHARE * (time.monotonic() - began)
                began = time.monotonic()


def _fingerprint() -> tuple[float, float]:
    """What tells whether archive and settings are still those that were opened."""
    stamps = [0.0, 0.0]
    with contextlib.suppress(OSError):
        stamps[0] = (Path(archive_location()).expanduser() / "data.mdb").stat().st_ino
    with contextlib.suppress(OSError):
        stamps[1] = (config_home() / "config.toml").stat().st_mtime
    return stamps[0], stamps[1]


def listen(name: str) -> socket.socket:
    """A socket of mode 0600 under `name` in the working folder, in place of one left behind."""
    Path(name).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(name)
    Path(name).chmod(0o600)
    listener.listen(512)
    listener.setblocking(False)
    return listener
