"""Prompts answered out of memory, and the indexes kept up between requests.

`interfaces.hooks.inject` sends a prompt, `interfaces.hooks.assist` what a tool is called with or
returned, to a socket of mode 0600, and prints what comes back. The
server is a thread of the daemon's, with the archive, the index and the rules open, so an answer
costs one search. What was archived since is taken in between requests, a step of a few dozen milliseconds
at a time, and before an answer: a prompt finds what was said a second ago. Sentence vectors are
another thread's (`vector_thread`), so their backlog delays nothing here. An archive that is missing,
damaged or another one than the hook means is not answered for: the hook then looks for itself.
Costs O(a search) a prompt.
"""

import contextlib
import json
import logging
import time
from collections.abc import Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, cast

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, config_home
from dejavu.config.projects import project_of
from dejavu.config.settings import Recalling, load_config
from dejavu.model import DejavuError
from dejavu.recall import Memory, Recall
from dejavu.recall.history.index import MAX_INDEX_LAG
from dejavu.recall.history.score_fusion import Merging

from ..hook_answer import HookRequest, answer, answer_tool, parse_prompt, redact
from ..hook_protocol import (
    ANSWERED,
    ASSIST,
    NOT_ANSWERED,
    PROMPT,
    PROMPT_LARGEST,
    PROMPT_SOCKET,
    decode_request,
)
from .socket_thread import SocketThread

_STALL = 0.2  # seconds for which a request may rest
_LOOK = 1.0  # seconds between two looks for something to take in
_QUIET = 0.2  # seconds after a prompt in which nothing else is done
_DELIVERY = 0.05  # seconds of a prompt's time for its answer to reach the hook
_PATIENCE = 0.15  # seconds of a prompt's time for what was archived just now


_log = logging.getLogger(__name__)


class PromptServer(SocketThread):
    """One server, in the working folder of the daemon."""

    def __init__(self) -> None:
        super().__init__("prompts", PROMPT_SOCKET, largest=2 * PROMPT_LARGEST, stall=_STALL)
        self._open: _Resources | None = None
        self._task: Generator[int] | None = None
        self._next = self._asked = 0.0

    def idle(self) -> float:
        """Take in what was archived, where a prompt is not likely to come at once."""
        now = time.monotonic()
        if now >= self._next and now >= self._asked + _QUIET:
            self._step()
        return max(self._next, self._asked + _QUIET) - time.monotonic()

    def release(self) -> None:
        """Close everything."""
        self._release()

    def answer(self, request: bytes) -> bytes:
        """What to say to a request, behind a byte that says whether it is an answer."""
        self._asked = time.monotonic()
        try:
            kind, deadline, fields, data = decode_request(request, PROMPT, ASSIST)
            hook_request = HookRequest.of(fields, data)
            if hook_request.location != archive_location():
                return NOT_ANSWERED
            if kind == ASSIST:
                payload = json.loads(data)
                if not isinstance(payload, dict):
                    return NOT_ANSWERED
                payload = cast("dict[str, Any]", payload)
                return ANSWERED + answer_tool(self._opened().archive, hook_request.agent, payload)
            prompt = parse_prompt(hook_request)
            if prompt is None:
                return ANSWERED
            resources = self._opened()
            self._catch_up(resources.recall)
            response = answer(
                hook_request, prompt, resources.archive, resources.recall, resources.memory,
                resources.settings, deadline / 1e9 - _DELIVERY,
            )  # fmt: skip
            if time.monotonic_ns() > deadline:
                return NOT_ANSWERED
        except (DejavuError, OSError, ValueError):
            self._release()
            return NOT_ANSWERED
        except Exception:  # a fault of ours must cost one answer, not the server
            _log.exception("a prompt could not be answered")
            self._release()
            return NOT_ANSWERED
        return ANSWERED + response

    def _catch_up(self, recall: Recall) -> None:
        """Take in what was archived just now; a long backlog continues in steps afterwards."""
        if not 0 < recall.pending(MAX_INDEX_LAG) <= MAX_INDEX_LAG:
            return
        if self._task is not None:  # it holds the index's one place for a writer
            self._task.close()
            self._task = None
        recall.catch_up(patience=_PATIENCE)

    def _step(self) -> None:
        """A moment's work on the index, where there is any."""
        try:
            if self._task is None:
                self._task = self._opened().recall.catching_up()
            worked = next(self._task, None) is not None
        except (DejavuError, OSError, ValueError):
            self._release()  # locked, missing or damaged: others say so, this one tries again
            worked = False
        except Exception:
            _log.exception("the index could not be brought up to date")
            self._release()
            worked = False
        if worked:
            self.last = time.monotonic()
        else:
            self._task = None
        self._next = time.monotonic() + (0.0 if worked else _LOOK)

    def _opened(self) -> "_Resources":
        """What is open, if it is still what is there: archives are restored, settings change."""
        if self._open is not None and self._open.fingerprint != _fingerprint():
            self._release()
        if self._open is None:
            self._open = _Resources()
        return self._open

    def _release(self) -> None:
        """Close everything; the next prompt opens it again."""
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
        config = load_config()
        self.settings: Recalling = config.recall
        project = partial(project_of, named=config.projects)
        self.archive = self._stack.enter_context(Archive.open(archive_location(), create=False))
        self.recall = Recall(
            self.archive,
            tiers=self.settings.retrievers,
            without=() if self.settings.vectors else ("embedding",),
            merging=Merging(self.settings.strategy, self.settings.weights),
            project_of=project,
        )
        self.memory = Memory(self.archive, project_of=project)
        redact("")  # the rules are loaded now, not when a prompt waits

    def close(self) -> None:
        """Let go of the archive."""
        self._stack.close()


def _fingerprint() -> tuple[float, float]:
    """What tells whether archive and settings are still those that were opened."""
    stamps = [0.0, 0.0]
    with contextlib.suppress(OSError):
        stamps[0] = (Path(archive_location()).expanduser() / "data.mdb").stat().st_ino
    with contextlib.suppress(OSError):
        stamps[1] = (config_home() / "config.toml").stat().st_mtime
    return stamps[0], stamps[1]
