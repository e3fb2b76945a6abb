import subprocess
import sys
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn, Vector

TOKEN = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2hJ4"[:36]


def _run(home: Path, data: bytes, *arguments: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "redact", *arguments],
        input=data, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def test_a_filter(home: Path) -> None:
    out = _run(home, f"a {TOKEN} b\n".encode())
    assert TOKEN.encode() not in out
    assert out.startswith(b"a [redacted:")
    assert out.endswith(b"] b\n")
    assert _run(home, out) == out


def test_clean_bytes_pass_unchanged_even_if_not_utf8(home: Path) -> None:
    data = b"plain \xff text\r\nwith no end"
    assert _run(home, data) == data


def test_rows_wrapped_at_a_column(home: Path) -> None:
    text = "the token is " + TOKEN
    rows = "\n".join(text[at : at + 20] for at in range(0, len(text), 20)).encode()
    out = _run(home, rows, "--columns", "20").decode()
    assert not any(TOKEN[at : at + 8] in out for at in range(len(TOKEN) - 8))


def test_a_missing_file_is_a_usage_error(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.cli", "redact", "nowhere"],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2


def test_stored_screen_turns_are_redacted_by_todays_rules(home: Path) -> None:
    turn = Turn(role=Role.USER, parts=(Text(f"use {TOKEN}"),), vector=Vector.SCREEN)
    root = home / ".local/share/dejavu/archive"
    with Archive.open(root) as archive:
        archive.put(Conversation(id="seen", agent="amp").with_turns((turn,)))
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "redact", "--retro"]
    looked = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, timeout=60)
    assert (looked.stdout, "1 would change" in looked.stderr) == ("seen\n", True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "seen\n")
    with Archive.open(root) as archive:
        assert TOKEN not in repr(archive.get("seen"))
    assert TOKEN.encode() not in (root / "data.mdb").read_bytes()


def test_a_check_names_places_and_never_values(home: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("nothing here\n")
    (tmp_path / "bad.txt").write_text(f"one\ntoken {TOKEN}\nand {TOKEN}\n")
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "redact", "--check"]

    def check(*names: str) -> tuple[int, str]:
        done = subprocess.run([*command, *names], cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout

    assert check("clean.txt") == (0, "")
    code, out = check("clean.txt", "bad.txt")
    assert code == 1
    assert [line.split(": ")[0] for line in out.splitlines()] == ["bad.txt:2", "bad.txt:3"]
    assert TOKEN not in out
    assert (
        subprocess.run(
            [*command[:-1], "clean.txt", "bad.txt"], cwd=tmp_path, capture_output=True
        ).returncode
        == 2
    )
