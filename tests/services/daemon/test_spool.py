"""The spool's files, as letters."""

import os
from pathlib import Path

import pytest

from dejavu.interfaces.hooks.capture import envelope
from dejavu.services.daemon.spool import Spool, parse


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spool").mkdir()
    return tmp_path


def test_letters_come_in_the_order_they_were_written(folder: Path) -> None:
    for name, text in (("2-9", b"second"), ("1-10", b"first"), ("3-1", b"third")):
        (folder / "spool" / name).write_bytes(envelope("claude", text, 0))
    spool = Spool(folder)
    assert [entry.payload for entry in spool.entries(2)] == [b"first", b"second"]
    for entry in spool.entries(2):
        spool.remove(entry)
    assert [entry.payload for entry in spool.entries(9)] == [b"third"]


def test_what_is_no_letter_is_put_aside(folder: Path) -> None:
    (folder / "spool" / "1").write_bytes(b"what is this?\nnothing")
    (folder / "spool" / "2").write_bytes(envelope("claude", b"{}", 0))
    spool = Spool(folder)
    assert len(spool.entries(9)) == 1
    assert (folder / "refused" / "1").read_bytes() == b"what is this?\nnothing"


def test_a_file_without_its_name_is_left_until_it_is_old(folder: Path) -> None:
    half = folder / "spool" / ".1-1"
    half.write_bytes(b"half")
    spool = Spool(folder)
    assert spool.entries(9) == []
    assert not spool
    assert half.exists()
    os.utime(half, (0, 0))
    spool.entries(9)
    assert not half.exists()


def test_no_folder_is_no_letters(tmp_path: Path) -> None:
    assert not Spool(tmp_path)
    assert Spool(tmp_path).entries(9) == []


def test_other_formats_are_refused() -> None:
    assert parse(b"") is None
    assert parse(b"dejavu-hook/2 0 claude - -\n{}") is None
    assert parse(b"dejavu-hook/1 x claude - -\n{}") is None
