"""Tar streams as real programs write them, and members that are not what they say."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.factories import hostile_streams as hostile

from dejavu.ingest.machines.mirror import Mirror
from dejavu.ingest.machines.tar_stream import TarStream, TarStreamError

LONG = "d" * 90 + "/" + "e" * 90 + "/" + "\N{FROG FACE}" * 30


def _read(stream: bytes) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    refused: list[tuple[str, str]] = []
    tar = TarStream(io.BytesIO(stream), lambda name, why: refused.append((name, why)))
    found: dict[str, bytes] = {}
    for member in tar.members():
        content = io.BytesIO()
        tar.copy(content)
        found[member.name] = content.getvalue()
        assert len(found[member.name]) == member.size
    return found, refused


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_each_format_of_python(form: int) -> None:
    files = {"a": b"", "b/c.jsonl": b"x" * 1000, "d" * 90 + "/" + "e" * 90: b"{}\n" * 7}
    files |= {LONG: b"deep"} if form != tarfile.USTAR_FORMAT else {}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1000.5 if form == tarfile.PAX_FORMAT else 1000
            archive.addfile(info, io.BytesIO(data))
    assert _read(out.getvalue()) == (files, [])


@pytest.mark.parametrize("form", ["gnu", "posix", "ustar", "v7", "oldgnu"])
def test_each_format_of_the_tar_here(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "h"
    files = {"h/a": b"1" * 5000, "h/inside/b.jsonl": b"{}\n"}
    files |= {f"h/{LONG}": b"deep"} if form in ("gnu", "posix", "oldgnu") else {}
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "link").symlink_to("/etc/passwd")
    command = [
        shutil.which("tar") or "tar",
        "-C",
        str(tmp_path),
        f"--format={form}",
        "-cf",
        "-",
        "h",
    ]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this tar has no such format")
    assert _read(done.stdout) == (files, [])


def test_a_skipped_member_costs_only_itself() -> None:
    stream = hostile.member("a", b"1" * 3000) + hostile.member("b", b"2") + bytes(1024)
    tar = TarStream(io.BytesIO(stream), lambda *_: None)
    assert [member.name for member in tar.members()] == ["a", "b"]


def test_what_ends_between_two_members_ended_early() -> None:
    with pytest.raises(TarStreamError, match="ended early"):
        _read(hostile.member("a", b"1" * 3000))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (".claude/projects/" + "n" * 300, "File name too long"),
        (".claude/" + "d/" * 60 + "x.jsonl", "more than 40 folders deep"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused_alone(home: Path, name: str, why: str) -> None:
    mirror = Mirror("m")
    stream = hostile.member(name, b"1") + hostile.member("good", b"2") + bytes(1024)
    assert list(mirror.write(io.BytesIO(stream))) == [("good", 1)]
    ((refused, reason),) = mirror.refused
    assert refused == name
    assert why in reason


def test_a_time_that_no_file_has_is_zero(home: Path) -> None:
    mirror = Mirror("m")
    stream = hostile.member("a", b"1", pax={"mtime": "inf"}) + bytes(1024)
    assert list(mirror.write(io.BytesIO(stream))) == [("a", 1)]
    assert mirror.stamp("a").changed == 0
