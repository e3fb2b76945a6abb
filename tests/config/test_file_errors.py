"""Errors that name the file a person knows."""

import errno
from pathlib import Path

import pytest
from tests.factories.full_disk import largest_file

from dejavu.archive.redactor import redaction_key
from dejavu.config.files import naming


def test_an_error_names_the_file_and_keeps_its_kind(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, naming(tmp_path / "known"):
        (tmp_path / ".known.123").read_bytes()
    assert caught.value.filename == str(tmp_path / "known")
    assert caught.value.errno == errno.ENOENT


def test_an_error_without_a_number_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="just so") as caught, naming(tmp_path):
        raise OSError("just so")
    assert caught.value.filename is None


def test_a_key_that_finds_no_room_is_named(home: Path) -> None:
    with largest_file(16), pytest.raises(OSError, match=r"redaction\.key"):
        redaction_key()
    assert list((home / ".local/share/dejavu").iterdir()) == []
