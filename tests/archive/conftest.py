"""An archive in a fresh folder, and one on a server of ours; tests of `archive` run on both."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import Server

from dejavu.archive import Archive

STORES = ("lmdb", "postgresql")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Both stores, but where a test looks into the folder (`root`) itself."""
    if "store" in metafunc.fixturenames:
        fitting = STORES[:1] if "root" in metafunc.fixturenames else STORES
        metafunc.parametrize("store", fitting, indirect=True)


@pytest.fixture
def url(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an archive that is not made yet; what this machine derives lies in `tmp_path`."""
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path / "data"))
    return server.url(schema=server.new_schema())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where an archive can be made, of each kind in turn."""
    if request.param == "postgresql":
        found: str = request.getfixturevalue("url")
        return found
    return tmp_path / "archive"


@pytest.fixture
def archive(store: Path | str) -> Iterator[Archive]:
    with Archive.open(store) as opened:
        yield opened
