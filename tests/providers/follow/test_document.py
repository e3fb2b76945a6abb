"""Following a small file that is rewritten."""

import os
import time
from pathlib import Path

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers.follow import document
from dejavu.providers.follow.document import follow_whole


def test_reads_it_again_only_when_its_content_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": 1}')
    (first,) = follow_whole(path)
    assert (first.offset, first.data, first.reset) == (0, b'{"a": 1}', False)
    assert list(follow_whole(path, first.cursor)) == []
    os.utime(path, ns=(1, 1))
    (touched,) = follow_whole(path, first.cursor)
    assert touched.data == b""
    path.write_bytes(b'{"a": 2}')
    (second,) = follow_whole(path, touched.cursor)
    assert (second.data, second.reset) == (b'{"a": 2}', True)


def test_a_half_written_document_is_left_for_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": [1, ')
    assert list(follow_whole(path)) == []


def test_a_damaged_document_is_kept_but_never_takes_a_whole_ones_place(tmp_path: Path) -> None:
    path, old = tmp_path / "a.json", time.time() - 60
    path.write_bytes(b'{"a": 1}')
    (whole,) = follow_whole(path)
    path.write_bytes(b'{"a": [1, ')
    os.utime(path, (old, old))
    (damaged,) = follow_whole(path)
    assert damaged.data == b'{"a": [1, '
    with pytest.raises(UnreadableSessionError, match="what was archived stays"):
        list(follow_whole(path, whole.cursor))


def test_a_document_that_grows_while_it_is_read_ends_where_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "longest_line", lambda: 1000)
    path = tmp_path / "a.json"
    path.write_bytes(b" " * (3 << 20))
    came = 0
    with path.open("ab") as growing:
        for delta in document.follow_whole(path):
            came += len(delta.data)
            growing.write(b" " * (2 << 20))
            growing.flush()
            assert came <= 3 << 20
    assert came == 3 << 20
