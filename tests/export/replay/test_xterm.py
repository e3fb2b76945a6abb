import shutil
from pathlib import Path

import pytest

from dejavu.export.replay.xterm import Xterm, installed
from dejavu.model import CaptureError

needs_xterm = pytest.mark.skipif(
    not shutil.which("node") or installed() is None,
    reason="needs node and @xterm/headless (TERMINAL_NODE or ~/.cache/terminal-node)",
)


@needs_xterm
def test_it_shows_what_it_was_fed() -> None:
    peer = Xterm(30, 4)
    try:
        peer.feed(b"one\r\n  \x1b[32mtw")
        peer.feed("o\x1b[m 日".encode())
        assert peer.read() == (["one", "  two 日", "", ""], (1, 8))
        peer.resize(10, 3)
        peer.feed(b"\x1b[2J\x1b[H0123456789")
        assert peer.read() == (["0123456789", "", ""], (0, 9))
    finally:
        peer.close()
    assert peer._node.returncode is not None


@needs_xterm
def test_one_that_ended_is_said_so() -> None:
    peer = Xterm(10, 3)
    peer._node.kill()
    peer._node.wait()
    with pytest.raises(CaptureError, match="ended before"):
        peer.feed(b"x")
    peer.close()


def test_without_the_package_it_says_how_to_get_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERMINAL_NODE", raising=False)
    assert installed() is None
    with pytest.raises(CaptureError, match="npm install"):
        Xterm(10, 3)


def test_the_package_is_looked_for_where_the_variable_points(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "node_modules" / "@xterm" / "headless").mkdir(parents=True)
    monkeypatch.setenv("TERMINAL_NODE", str(tmp_path))
    assert installed() == tmp_path / "node_modules"
