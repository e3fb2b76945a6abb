"""What a hostile machine sends in place of a tar archive, and a stand-in program that sends it.

`draw` gives an attack between two honest session files: what comes before it, and mostly what comes
after it, has to be archived. The stand-in answers as `docker` on PATH and as `ssh` by DEJAVU_SSH.
"""

import io
import json
import os
import stat
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

FOLDER = ".claude/projects/-work-x"
_STAND_IN = """\
#!{python}
import os, sys, time
said = " ".join(sys.argv[1:])
out = sys.stdout.buffer
def forever(piece, pause):
    while True:
        out.write(piece)
        out.flush()
        time.sleep(pause)
if "inspect" in sys.argv:
    print('[{{"Config": {{"Env": ["HOME=/h"]}}}}]')
elif sys.argv[1] == "cp" and not said.endswith("/h/.claude -"):
    sys.exit("Could not find the file in container")
elif "find " in said:
    out.write(open(os.environ["LISTING"], "rb").read())
    out.flush()
    {{"end": lambda: None, "hang": lambda: time.sleep(3600), "noise": lambda: forever(os.urandom(65536), 0),
      "lines": lambda: forever(b"1 1 ./x\\\\n" * 9000, 0)}}[os.environ["LISTED"]]()
else:
    out.write(open(os.environ["STREAM"], "rb").read())
    out.flush()
    {{"end": lambda: None, "hang": lambda: time.sleep(3600), "noise": lambda: forever(os.urandom(65536), 0),
      "zeros": lambda: forever(bytes(65536), 0), "trickle": lambda: forever(b"x", 0.05),
      "words": lambda: [sys.stderr.write("y" * 65536) for _ in iter(int, 1)]}}[os.environ["AFTER"]]()
"""


class Attack(NamedTuple):
    """Bytes between two honest files, how the stream ends, and what is to be seen of it."""

    data: bytes
    after: str = "end"
    """`end`, `hang`, `noise`, `zeros`, `trickle`, `words` (on stderr); all but the first without an end."""
    is_named: bool = True
    """Whether the report names it; what is never taken (links, devices) is not named."""
    has_rest: bool = True
    """Whether the honest file after it can still be read."""


def session(native: str) -> bytes:
    """A session file of Claude Code with one exchange."""
    lines = [
        {"type": kind, "uuid": f"{native}-{kind}", "sessionId": native, "cwd": "/work/x",
         "timestamp": "2026-11-21T10:00:00Z", "message": {"role": kind, "content": f"frogs {native}"}}
        for kind in ("user", "assistant")
    ]  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def member(
    name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, *,
    pax: dict[str, str] | None = None, link: str = "",
) -> bytes:  # fmt: skip
    """One member with its header and padding."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.mtime, info.linkname = len(data), kind, 1000, link
    info.pax_headers = pax or {}
    form = tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT
    return info.tobuf(form, "utf-8", "surrogateescape") + data + bytes(-len(data) % 512)


def _header(name: str, chance: Random, **fields: bytes) -> bytes:
    """A header with fields as they are given, and a right checksum."""
    places = {
        "size": (124, 12),
        "mtime": (136, 12),
        "type": (156, 1),
        "sparse": (386, 97),
        "real": (483, 12),
    }
    block = bytearray(member(name)[:512])
    for field, value in fields.items():
        start, length = places[field]
        block[start : start + length] = value.ljust(length, b"\0")[:length]
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def _file(chance: Random) -> str:
    return f"{FOLDER}/{chance.randrange(10**6)}.jsonl"


def _sparse(chance: Random) -> Attack:
    real = 1 << chance.randrange(31, 40)
    entry = b"%011o\0%011o\0" % (real - 512, 512)
    return Attack(
        _header(
            _file(chance), chance, size=b"%011o" % 512, type=b"S", sparse=entry, real=_base256(real)
        )
        + bytes(512)
    )


def _sparse_pax(chance: Random) -> Attack:
    real = 1 << chance.randrange(31, 40)
    pax = {
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(real),
        "GNU.sparse.name": _file(chance),
    }  # fmt: skip
    table = f"1\n{real - 512}\n512\n".encode().ljust(512, b"\0")
    return Attack(member("GNUSparseFile.0/x.jsonl", table + b"x" * 512, pax=pax))


def _base256(number: int) -> bytes:
    return bytes([0x80]) + number.to_bytes(11, "big")


def _damaged_header(chance: Random) -> Attack:
    block = bytearray(member(_file(chance), b"{}\n"))
    for _ in range(1 + chance.randrange(20)):
        place = chance.randrange(148)
        block[place] ^= 1 + chance.randrange(255)
    block[chance.randrange(100)] ^= 0x55
    return Attack(bytes(block))


def _times(chance: Random) -> Attack:
    value = chance.choice(["inf", "-inf", "nan", "1e400", "-5", "9" * 40, "frog"])
    return Attack(member(_file(chance), b"{}\n", pax={"mtime": value}), is_named=False)


def _huge_time(chance: Random) -> Attack:
    time = chance.choice([_base256(1 << 80), b"\xff" * 12])
    return Attack(
        _header(_file(chance), chance, mtime=time, size=b"%011o" % 3) + b"{}\n" + bytes(509),
        is_named=False,
    )


def _names(chance: Random) -> Attack:
    name = chance.choice(
        [".claude/projects/" + "n" * 300 + ".jsonl", ".claude/projects/" + "d/" * 2600 + "x.jsonl",
         ".claude/projects/" + "\N{FROG FACE}" * 64 + ".jsonl"]
    )  # fmt: skip
    return Attack(member(name, b"{}\n"))


def _nul_name(chance: Random) -> Attack:
    return Attack(
        member("x", b"{}\n", pax={"path": f".claude/projects/a\0{chance.random()}.jsonl"})
    )


def _outside(chance: Random) -> Attack:
    name = chance.choice(
        ["../canary/out.jsonl", "/canary/out.jsonl", ".claude/projects/../../../../canary/out.jsonl",
         ".claude/projects/./../../../../../canary/out.jsonl"]
    )  # fmt: skip
    how = chance.choice([None, {"path": name}])
    return Attack(member("x" if how else name, b"out\n", pax=how), is_named=False)


def _links(chance: Random) -> Attack:
    kind = chance.choice(
        [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
    )
    first = member(".claude/projects/link", kind=kind, link="../../../../../canary")
    return Attack(first + member(".claude/projects/link/out.jsonl", b"{}\n"), is_named=False)


def _huge_claim(chance: Random) -> Attack:
    size = chance.choice([_base256(1 << 50), _base256(1 << 62), b"7" * 11, b"\xff" * 12])
    return Attack(_header(_file(chance), chance, size=size), has_rest=False)


def _huge_extension(chance: Random) -> Attack:
    kind = chance.choice([b"L", b"x", b"K", b"g"])
    return Attack(
        _header("x", chance, size=_base256(1 << 33), type=kind), chance.choice(["zeros", "noise"]),
        has_rest=False,
    )  # fmt: skip


def _chain(chance: Random) -> Attack:
    one = _header("x", chance, size=b"%011o" % 4, type=chance.choice([b"L", b"x"]))
    return Attack((one + b"abc\0" + bytes(508)) * chance.randrange(18_000, 24_000), has_rest=False)


def _cut(chance: Random) -> Attack:
    whole = member(_file(chance), b"{}\n" * 4000)
    return Attack(whole[: chance.randrange(1, len(whole) - 1)], "cut", has_rest=False)


def _ending(after: str) -> Callable[[Random], Attack]:
    def make(chance: Random) -> Attack:
        data = chance.randbytes(chance.randrange(3000)) if after != "zeros" else b""
        return Attack(data, after, has_rest=False)

    return make


ATTACKS: dict[str, Callable[[Random], Attack]] = {
    "sparse member": _sparse,
    "sparse pax member": _sparse_pax,
    "damaged header": _damaged_header,
    "odd pax time": _times,
    "huge time": _huge_time,
    "name too long": _names,
    "NUL in a name": _nul_name,
    "path outside": _outside,
    "link or device": _links,
    "size that is not there": _huge_claim,
    "huge extension": _huge_extension,
    "chain of extensions": _chain,
    "cut off": _cut,
    "noise": _ending("noise"),
    "zeros without end": _ending("zeros"),
    "silence": _ending("hang"),
    "trickle": _ending("trickle"),
    "words without end": _ending("words"),
}


def between(attack: Attack) -> bytes:
    """The whole stream: an honest file, the attack, an honest file, the end."""
    first = member(f"{FOLDER}/before.jsonl", session("before"))
    last = member(f"{FOLDER}/later.jsonl", session("later")) + bytes(10240)
    if attack.after == "cut" or (attack.after != "end" and not attack.has_rest):
        return first + attack.data
    return first + attack.data + last


def stand_in(folder: Path) -> Path:
    """The program that sends STREAM and then does AFTER; also named `docker`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "docker"
    path.write_text(_STAND_IN.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def listing(names: list[str]) -> bytes:
    """The answer of a machine without rsync that has those files."""
    out = io.BytesIO(b"tar\n")
    out.seek(0, os.SEEK_END)
    for name in names:
        out.write(f"400 1000 ./{name}\n".encode())
    return out.getvalue()
