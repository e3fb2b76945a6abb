"""LMDB aborts over a damaged page: a command then says what to do, and any other crash is its own."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.drills.bit_flips import fill, in_child

COMMANDS = (
    ["list"], ["show", "last"], ["search", "ring"], ["search", "--exact", "ring"], ["stats"],
    ["timeline", "last"], ["gc"],
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "archive"
    assert in_child(fill, root) == (0, None)
    return root


def test_commands_over_zeroed_pages_name_the_cure(whole: Path, tmp_path: Path, home: Path) -> None:
    """Wherever the zeros are, every command answers, or ends with the sentence."""
    pages = (whole / "data.mdb").stat().st_size // 4096
    met = 0
    for number, command in enumerate(COMMANDS * 2):
        root = tmp_path / f"zeroed{number}"
        shutil.copytree(whole, root)
        with (root / "data.mdb").open("r+b") as data:
            data.seek(4096 * (2 + (pages - 18) * number // (2 * len(COMMANDS))))
            data.write(bytes(65_536))
        done = subprocess.run(
            [sys.executable, "-m", "dejavu.interfaces.cli", *command],
            env={**os.environ, "DEJAVU_ARCHIVE": str(root)}, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3, 4), (number, command, done.returncode, done.stderr)
        if done.returncode == 4:
            assert "dejavu archive verify --repair" in done.stderr
            assert "Traceback" not in done.stderr
            met += 1
    assert met


def test_a_crash_outside_of_a_transaction_is_not_explained() -> None:
    code = (
        "import os; from dejavu.archive import access as f; f.explain_fatal_signals(); os.abort()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGABRT
    assert "damaged" not in done.stderr
