import os
import shutil
from pathlib import Path

import pytest

from dejavu.export.replay.tmux import Tmux
from dejavu.model import CaptureError

needs_tmux = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")


@needs_tmux
def test_it_shows_what_it_was_fed_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    peer = Tmux(30, 5)
    try:
        peer.feed(b"\x1b]2;a title\x07one\r\n  \x1b[32mtwo\x1b[m ")
        rows, cursor = peer.read()
        assert rows == ["one", "  two", "", "", ""]
        assert cursor == (1, 6)
        peer.feed(b"\x1b[6n" * 3000)  # answers nobody reads must not block it
        peer.resize(10, 3)
        peer.feed(b"\x1b[2J\x1b[H0123456789")
        assert peer.read() == (["0123456789", "", ""], (0, 10))
        (home,) = tmp_path.iterdir()
        assert home.stat().st_mode & 0o777 == 0o700
        pid = peer._pid
    finally:
        peer.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_without_tmux_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CaptureError, match="apt install tmux"):
        Tmux(10, 3)
