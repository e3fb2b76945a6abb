"""A team's archive is tested with the stores of `tests/archive`, and on a server with pgvector."""

from collections.abc import Iterator

import pytest
from tests.archive.conftest import archive, root, store, url
from tests.postgres import Missing, Server, with_vectors

__all__ = ["archive", "root", "store", "url", "vector_server"]


@pytest.fixture(scope="module")
def vector_server() -> Iterator[Server]:
    """A server that has pgvector, or the reason why there is none."""
    try:
        started = Server(programs=with_vectors())
    except Missing as why:
        pytest.skip(str(why))
    started.run("create extension vector")
    yield started
    started.stop()
