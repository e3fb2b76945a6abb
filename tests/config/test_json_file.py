"""Small files are replaced whole, or the error names them."""

import resource
import signal
from pathlib import Path

import pytest

from dejavu.config.json_file import replace_file


def test_a_write_that_finds_no_room_names_the_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
        with pytest.raises(OSError, match=r"small\.json") as caught:
            replace_file(path, "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert caught.value.filename == str(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.json"]
    assert path.read_text() == "before"
