"""A second user of this machine: a process with another user id, where we are root and may have one.

`OTHER.run(program, *arguments)` runs Python source as that user and returns what it printed.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

UID = 65_533
"""No account has it, and nothing on this machine belongs to it."""
MISSING = "" if os.geteuid() == 0 else "a second user needs root"
needs_other_user = pytest.mark.skipif(bool(MISSING), reason=MISSING)

_PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def start(program: str, *arguments: str, uid: int = UID) -> "subprocess.Popen[str]":
    """Start Python source as the other user, with pipes and an empty environment."""
    return subprocess.Popen(
        [_PYTHON, "-I", "-c", program, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        user=uid, group=uid, extra_groups=[], env={}, cwd="/",
    )  # fmt: skip


def run(program: str, *arguments: str, given: str = "", uid: int = UID) -> str:
    """What the source printed, errors included."""
    process = start(program, *arguments, uid=uid)
    said, _ = process.communicate(given, timeout=60)
    return said


ATTEMPT = """
import socket, sys, base64
def attempt(place, data, close=False, wait=10.0):
    try:
        if place[0] == "unix":
            peer = socket.socket(socket.AF_UNIX)
            address = place[1]
        else:
            peer = socket.socket(socket.AF_INET6 if ":" in place[0] else socket.AF_INET)
            address = place[0], int(place[1])
        peer.settimeout(wait)
        peer.connect(address)
        peer.sendall(data)
        if close:
            peer.close()
            return b""
        return peer.recv(65536)
    except OSError as error:
        return b"refused: " + type(error).__name__.encode()
for line in sys.stdin:
    *place, close, data = line.split()
    got = attempt(place, base64.b64decode(data), close == "1")
    print(base64.b64encode(got).decode() or "-", flush=True)
"""
"""Reads attempts, a line each: where (two words), 1 to close at once, the bytes; prints what came first."""


def attempts(lines: Sequence[str], *, uid: int = UID) -> list[bytes]:
    """Make each attempt as the other user; what came back, or a line that begins `refused: `."""
    import base64

    said = run(ATTEMPT, given="".join(f"{line}\n" for line in lines), uid=uid).split("\n")[:-1]
    assert len(said) == len(lines), said
    return [b"" if line == "-" else base64.b64decode(line, validate=True) for line in said]


def attempt(host: str, port: object, data: bytes, *, close: bool = False) -> str:
    """A line for `attempts`; `host` "unix" takes a path as the port."""
    import base64

    return f"{host} {port} {int(close)} {base64.b64encode(data).decode() or 'Cg=='}"
