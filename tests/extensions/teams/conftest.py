"""A team's archive is tested with the stores of `tests/archive`."""

from tests.archive.conftest import archive, root, store, url

__all__ = ["archive", "root", "store", "url"]
