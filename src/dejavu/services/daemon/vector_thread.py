"""The daemon's thread that makes sentence vectors, with low priority and at most a quarter of one core.

It opens its own archive, so a prompt never waits for a batch of vectors. The newest conversation
comes first (`recall.history.embeddings`). The archive is opened for the work alone. The model alone has
low priority, on another thread: where a thread that gets no core holds Python's lock, every prompt waits.
Must not: answer anyone, or write an index of words. Costs 10 to 100 ms of CPU a passage.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

from dejavu.archive import Archive
from dejavu.config.malloc import give_back
from dejavu.config.paths import archive_location
from dejavu.config.settings import load_config
from dejavu.model import DejavuError
from dejavu.recall import Memory
from dejavu.recall.factory import open_memory
from dejavu.recall.history import minilm
from dejavu.recall.history.embeddings import SentenceEncoder, embedding

_LOOK = 3.0  # seconds between two looks for something to do
_SHARE = 3.0  # what it rests, per second that it worked
_MEMORIES = 4  # that get their vectors in one step
_NICE = 10

_log = logging.getLogger(__name__)


class PatientEncoder:
    """A model that computes on one thread of low priority."""

    def __init__(self, model: SentenceEncoder) -> None:
        self.name = model.name
        self.thread = 0
        """The system's number of the thread."""
        self._model = model
        self._worker = ThreadPoolExecutor(1, "vectors-model", self._lower)

    def __call__(self, texts: list[str]) -> Any:
        """As the model's."""
        return self._worker.submit(self._model, texts).result()

    def _lower(self) -> None:
        self.thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # on Linux, of this thread alone
            os.setpriority(os.PRIO_PROCESS, self.thread, _NICE)


class VectorThread(threading.Thread):
    """Makes what is missing until told to leave."""

    def __init__(self) -> None:
        super().__init__(name="vectors", daemon=True)
        self.last = time.monotonic()
        """When there was something to do, as `time.monotonic` tells it."""
        self.model: PatientEncoder | None = None
        self._leaving = threading.Event()

    def close(self) -> None:
        """Leave soon, and wait for it a moment."""
        self._leaving.set()
        self.join(2.0)

    def run(self) -> None:
        """Look for work every few seconds. A fault costs one round, not the thread."""
        while not self._leaving.wait(_LOOK):
            try:
                self._work()
            except (DejavuError, OSError, ValueError):
                continue  # locked, missing or damaged: others say so, this one tries again
            except Exception:
                _log.exception("sentence vectors could not be made")

    def _work(self) -> None:
        """Make all that is missing, with rests in between."""
        settings = load_config().recall
        if not settings.vectors or not minilm.is_installed():
            return
        with Archive.open(archive_location(), create=False) as archive:
            if self.model is None and (model := minilm.encoder()) is not None:
                self.model = PatientEncoder(model)
            started = began = time.monotonic()
            for _ in chain(embedding(archive, self.model), _memories(open_memory(archive))):
                self.last = time.monotonic()
                if self._leaving.wait(_SHARE * (self.last - began)):
                    return
                began = time.monotonic()
            if self.last > started:
                give_back()


def _memories(memory: Memory) -> Iterator[int]:
    while made := memory.embed_pending(_MEMORIES):
        yield made
