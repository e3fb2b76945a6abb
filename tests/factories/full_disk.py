"""A disk that takes no more, for this process."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let files grow to `size` bytes only: what goes beyond fails as on a full disk (EFBIG)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
