"""Prompts answered out of memory, and the indexes kept up while nobody asks.

`interfaces.hooks.inject` sends a prompt, `interfaces.hooks.assist` what a tool is called with or
returned, to a socket of mode 0600, and prints what comes back. The
server is a thread of the daemon's, with the archive, the index and the rules open, so an answer
costs one search. While nobody asks it takes in what was archived since, a step of a few
dozen milliseconds at a time, and makes sentence vectors on at most a quarter of one core; a prompt
never waits for more than one such step. An archive that is missing, damaged or another one than
the hook means is not answered for: the hook then looks for itself. Costs O(a search) a prompt.
"""

import contextlib
import json
import logging
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, cast

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, config_home
from dejavu.config.settings import Recalling, load_config
from dejavu.model import DejavuError
from dejavu.recall import Memory, Recall
from dejavu.recall.factory import open_memory

from ..hook_answer import HookRequest, answer, answer_tool, parse_prompt, redact
from ..hook_protocol import (
    ANSWERED,
    ASSIST_MAGIC,
    NOT_ANSWERED,
    PROMPT_LARGEST,
    PROMPT_MAGIC,
    PROMPT_SOCKET,
)
from .socket_thread import SocketThread

_STALL = 0.2  # seconds for which a request may rest
_LOOK = 3.0  # seconds between two looks for something to take in
_QUIET = 0.5  # seconds after a prompt in which nothing else is done
_MEMORIES = 4  # that get their vectors in one step
_SHARE = 3.0  # what making vectors rests for, beside what it worked
_FIELDS = 7  # lines before the payload


_log = logging.getLogger(__name__)


class PromptServer(SocketThread):
    """One server, in the working folder of the daemon."""

    def __init__(self) -> None:
        super().__init__("prompts", PROMPT_SOCKET, largest=2 * PROMPT_LARGEST, stall=_STALL)
        self._open: _Resources | None = None
        self._task: Generator[float] | None = None
        self._next = 0.0

    def idle(self) -> float:
        """Take in what was archived, where a prompt is not likely to come at once."""
        now = time.monotonic()
        if now >= self._next and now >= self.last + _QUIET:
            self._step()
        return max(self._next, self.last + _QUIET) - time.monotonic()

    def release(self) -> None:
        """Close everything."""
        self._release()

    def answer(self, request: bytes) -> bytes:
        """What to say to a request, behind a byte that says whether it is an answer."""
        try:
            lines = request.split(b"\n", _FIELDS)
            if len(lines) != _FIELDS + 1 or lines[0] not in (PROMPT_MAGIC, ASSIST_MAGIC):
                return NOT_ANSWERED
            fields = [field.decode("utf-8", "surrogateescape") for field in lines[1:_FIELDS]]
            deadline, agent, mode, limit, folder, archive = fields
            if time.monotonic_ns() > int(deadline) or archive != archive_location():
                return NOT_ANSWERED
            if lines[0] == ASSIST_MAGIC:
                payload = json.loads(lines[_FIELDS])
                if not isinstance(payload, dict):
                    return NOT_ANSWERED
                payload = cast("dict[str, Any]", payload)
                return ANSWERED + answer_tool(self._opened().archive, agent, payload)
            hook_request = HookRequest(agent, mode, limit, folder, archive, lines[_FIELDS])
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
        resources, self._open = self._open, None
        with contextlib.suppress(Exception):
            if task is not None:
                task.close()
        if resources is not None:
            with contextlib.suppress(Exception):
                resources.close()


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
            for _ in chain(self.recall.embedding(), self._embedding_memories()):
                yield _SHARE * (time.monotonic() - began)
                began = time.monotonic()

    def _embedding_memories(self) -> Iterator[int]:
        memory = open_memory(self.archive)
        while made := memory.embed_pending(_MEMORIES):
            yield made


def _fingerprint() -> tuple[float, float]:
    """What tells whether archive and settings are still those that were opened."""
    stamps = [0.0, 0.0]
    with contextlib.suppress(OSError):
        stamps[0] = (Path(archive_location()).expanduser() / "data.mdb").stat().st_ino
    with contextlib.suppress(OSError):
        stamps[1] = (config_home() / "config.toml").stat().st_mtime
    return stamps[0], stamps[1]
