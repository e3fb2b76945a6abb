"""What a hostile machine sends stays inside of the mirror."""

import io
import tarfile
from pathlib import Path

import pytest

from dejavu.ingest.machines.mirror import Mirror, Stamp, erase, is_wanted, mirrors


def _tar(*members: tuple[str, bytes | None], kind: bytes = tarfile.REGTYPE) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.type = tarfile.REGTYPE if data is not None else kind
            member.size, member.mtime, member.linkname = len(data or b""), 1000, "/etc/passwd"
            archive.addfile(member, io.BytesIO(data or b""))
    stream.seek(0)
    return stream


def test_files_outside_of_it_links_and_devices_are_not_taken(home: Path) -> None:
    mirror = Mirror("m")
    names = ("../out", "/abs", "a/../../out", ".ssh/../../out")
    assert not list(mirror.write(_tar(*((name, b"x") for name in names))))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        assert not list(mirror.write(_tar(("evil", None), kind=kind)))
    assert [path.name for path in mirrors().rglob("*")] == ["m", "home"]


def test_a_folder_takes_the_place_of_a_file_and_back(home: Path) -> None:
    mirror = Mirror("m")
    assert list(mirror.write(_tar(("a", b"1"), ("a/b/c", b"2"), ("a/b", b"3")))) == [
        ("a", 1), ("a/b/c", 1), ("a/b", 1),
    ]  # fmt: skip
    assert (mirror.home / "a/b").read_bytes() == b"3"
    assert mirror.stamps() == {"a/b": Stamp(1, 1000)}


def test_a_database_is_copied_with_what_stands_beside_it(home: Path) -> None:
    mirror = Mirror("m")
    list(mirror.write(_tar(("x.db", b"1"), ("x.db-wal", b"1"), ("y", b"1"))))
    listing = {"x.db": Stamp(1, 1000), "x.db-wal": Stamp(9, 2000), "y": Stamp(1, 1000)}
    assert mirror.differing(listing) == ["x.db-wal", "x.db"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (".claude/.credentials.json", False), (".codex/auth.json", False),
        (".gemini/oauth_creds.json", False), (".kimi/credentials/kimi.json", False),
        (".local/share/amp/secrets.json", False), (".x/.env.local", False), ("id.pem", False),
        (".claude/projects/-home-me-secret-token/u.jsonl", True),
        (".claude/projects/x/auth.jsonl", True), (".gemini/tmp/x/chats/session-1.json", True),
        (".local/share/opencode/opencode.db", True), (".qwen/tmp/x/logs.json", True),
        (".config/Code/User/workspaceStorage/x/node_modules/a.json", False),
        (".warp/app.wasm", False), (".cursor/extensions/x/package.json", False),
    ],
)  # fmt: skip
def test_what_is_copied_is_told_by_the_name(name: str, wanted: bool) -> None:
    assert is_wanted(name) is wanted


def test_a_mark_across_two_chunks_is_seen(home: Path) -> None:
    mirror = Mirror("m")
    list(mirror.write(_tar(("big", b"." * ((1 << 20) - 3) + b"planted" + b"." * 9), ("b", b"x"))))
    assert erase([b"planted"]) == 1
    assert list(mirror.stamps()) == ["b"]
