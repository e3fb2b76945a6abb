"""Let an error of a file name the file that a person knows.

A write names none, and what is replaced atomically fails under the name of a scratch file. O(1).
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def naming(path: Path) -> Generator[None]:
    """Give every `OSError` of the block `path` as its `filename`.

    Raises:
        OSError: of the same kind and number as in the block.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
