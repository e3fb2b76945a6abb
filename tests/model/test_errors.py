import pytest

from dejavu import model as record
from dejavu.model import ArchiveError, DejavuError


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in record.__all__
        if isinstance(getattr(record, name), type) and issubclass(getattr(record, name), Exception)
    ],
)
def test_every_error_descends_from_the_root(name: str) -> None:
    assert issubclass(getattr(record, name), DejavuError)


@pytest.mark.parametrize("name", ["NewerFormatError", "CorruptArchiveError", "ArchiveLockedError"])
def test_archive_errors_share_an_exit_code(name: str) -> None:
    assert issubclass(getattr(record, name), ArchiveError)
