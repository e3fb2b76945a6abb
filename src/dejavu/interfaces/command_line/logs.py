"""Where log records go: warnings into one private file in the state folder; with `-v` all to stderr.

The file is opened at the first warning. It names code and files, never what was said in a
conversation: of an exception it keeps the class and the frames, not the text.
"""

import logging
import os
import sys
import traceback
from io import TextIOWrapper
from types import TracebackType

LOG = "dejavu.log"
_BYTES = 1 << 20
_BACKUPS = 1
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class _FramesOnly(logging.Formatter):
    """Exceptions as their class and frames; their text may quote a conversation."""

    def format(self, record: logging.LogRecord) -> str:
        """The record, without the exception text that another handler left in it."""
        shared, record.exc_text = record.exc_text, None
        try:
            return super().format(record)
        finally:
            record.exc_text = shared

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]",
    ) -> str:
        name = ei[0].__name__ if ei[0] else "no exception"
        frames = traceback.extract_tb(ei[2])
        return "\n".join([*(f"  {f.filename}:{f.lineno} {f.name}" for f in frames), f"  {name}"])


class StateFileHandler(logging.Handler):
    """Append records to `dejavu.log` (0600) in the state folder; rotated at 1 MiB, one old copy."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; a folder that cannot be written loses it in silence."""
        try:
            if self._file is None:
                self._file = _open()
            self._file.emit(record)
        except OSError:
            return

    def close(self) -> None:
        """Close the file, where one was opened."""
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()


def _open() -> logging.Handler:
    from logging.handlers import RotatingFileHandler  # of no use until something is wrong

    from dejavu.config.paths import private_folder, state_home

    class Private(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:
            return os.fdopen(
                os.open(
                    self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
                ),
                "a",
                encoding="utf-8",
            )

    path = private_folder(state_home()) / LOG
    handler = Private(path, maxBytes=_BYTES, backupCount=_BACKUPS, encoding="utf-8", delay=True)
    handler.setFormatter(_FramesOnly(_FORMAT))
    return handler


def configure(*, verbose: bool) -> None:
    """Set the handlers of the `dejavu` loggers; calling it again replaces them."""
    logger = logging.getLogger("dejavu")
    for handler in logger.handlers:
        handler.close()
    logger.handlers = [StateFileHandler()]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    if verbose or os.environ.get("DEJAVU_DEBUG"):
        stream = logging.StreamHandler(sys.stderr)
        stream.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.addHandler(stream)
        logger.setLevel(logging.DEBUG)


def record_failure(error: Exception, command: str) -> None:
    """Log an error that nothing expected: its class and frames."""
    if not logging.getLogger("dejavu").handlers:
        configure(verbose=False)
    logger = logging.getLogger(__name__)
    logger.error("%s in `dejavu %s`", type(error).__name__, command, exc_info=error)
