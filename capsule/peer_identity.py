"""Whose process is at the other end of a local connection: a Unix socket, or TCP over loopback.

The one place that answers this, and whose process listens on a port. Unix: SO_PEERCRED (unix(7)) or
getpeereid(3). TCP on Linux: the kernel's socket for this very pair of addresses, by a NETLINK_SOCK_DIAG
query (sock_diag(7), O(1)), else by /proc/net/tcp and tcp6 (proc_pid_net(5), O(sockets of this network
namespace)); listeners by those alone. IPv4, IPv6 and mapped
addresses are one form here. Elsewhere TCP does not tell. Standard library only; must not decide what
a peer may do beyond `is_same_user`.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket
    from typing import Any

UNKNOWN = -1
"""A user who is no one: the system tells of peers, but not of this one, or the socket is closed."""

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_MOST_ROWS = 1 << 18
_LISTENS = "0A"
_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_REQUEST = struct.Struct("=BBBBI")  # inet_diag_req_v2 up to its id: family, protocol, -, -, states
_REPLY = struct.Struct("=BBBB48xIIIII")  # inet_diag_msg; the last two: user, inode
_SOCK_DIAG_BY_FAMILY = 20
_NETLINK_SOCK_DIAG = 4
_NO_COOKIE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
_MAPPED = bytes(10) + b"\xff\xff"


def peer_user(connection: socket.socket | TransportSocket) -> int | None:
    """The user id at the other end; `UNKNOWN`, or None where this system does not tell."""
    if connection.family == socket.AF_UNIX:
        return _unix_user(connection)
    if not sys.platform.startswith("linux"):
        return None
    try:
        peer, mine = _packed(connection.getpeername()), _packed(connection.getsockname())
    except OSError:
        return UNKNOWN  # it has gone
    try:
        user = _diag_user(peer, mine)
    except OSError:  # a kernel without it, a sandbox that forbids it, or no descriptor left
        user = None
    return _table_user(peer, mine) if user is None else user


def is_same_user(connection: socket.socket | TransportSocket) -> bool:
    """Whether the other end is us (or root); True where this system does not tell."""
    user = peer_user(connection)
    return user is None or user in (0, os.geteuid())


def port_user(port: int) -> int | None:
    """The user whose process listens on a TCP port here; None for no one, or where this is not told."""
    if not sys.platform.startswith("linux"):
        return None
    for path in _TABLES:
        try:
            with open(path, encoding="ascii", errors="replace") as rows:  # noqa: PTH123 - as in `_table_user`
                for row in islice(rows, _MOST_ROWS):
                    cells = row.split(None, 8)
                    if (
                        len(cells) > 8
                        and cells[3] == _LISTENS
                        and cells[1].endswith(f":{port:04X}")
                    ):
                        return int(cells[7])
        except (OSError, ValueError):
            continue
    return None


def user_name(user: int) -> str:
    """What a person calls a user: `user alice (uid 1001)`."""
    import pwd  # not on the way to an agent

    try:
        return f"user {pwd.getpwuid(user).pw_name} (uid {user})"
    except KeyError:
        return f"uid {user}"


def _unix_user(connection: socket.socket | TransportSocket) -> int | None:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is not None:
        credentials = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    import ctypes  # not on the way to an agent on Linux

    user, group = ctypes.c_uint(), ctypes.c_uint()
    try:
        getpeereid = ctypes.CDLL(None, use_errno=True).getpeereid
    except (AttributeError, OSError):
        return None
    if getpeereid(connection.fileno(), ctypes.byref(user), ctypes.byref(group)):
        return UNKNOWN
    return user.value


def _packed(name: Any) -> tuple[bytes, int]:
    """An address as 16 bytes (IPv4 as mapped), and its port."""
    host, port = str(name[0]).partition("%")[0], int(name[1])
    if ":" in host:
        return socket.inet_pton(socket.AF_INET6, host), port
    return _MAPPED + socket.inet_aton(host), port


def _diag_user(peer: tuple[bytes, int], mine: tuple[bytes, int]) -> int | None:
    """As the kernel answers for the peer's own socket; None: there is none, or it cannot look.

    Raises OSError. A socket that its process has closed has no inode, and shows as root's.
    """
    is_ipv4 = peer[0].startswith(_MAPPED) and mine[0].startswith(_MAPPED)
    family = socket.AF_INET if is_ipv4 else socket.AF_INET6
    ends = [end[0][12:].ljust(16, b"\0") if is_ipv4 else end[0] for end in (peer, mine)]
    wanted = struct.pack("!HH", peer[1], mine[1]) + b"".join(ends)
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF) + wanted + _NO_COOKIE
    head = _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, 1, 1, 0)
    netlink: int = getattr(socket, "AF_NETLINK")  # noqa: B009 - Linux alone has it
    with socket.socket(netlink, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)  # it answers within the call; a sandbox may not
        kernel.sendto(head + body, (0, 0))
        answer, sender = kernel.recvfrom(8192)
    if sender[0] or len(answer) < _HEADER.size + _REPLY.size:  # 0: the kernel
        return None
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None  # NLMSG_ERROR
    told_family = answer[_HEADER.size]  # an IPv6 socket tells mapped addresses as such
    found = answer[_HEADER.size + 4 :]
    size = 4 if told_family == socket.AF_INET else 16
    source, target = found[4 : 4 + size], found[20 : 20 + size]
    prefix = _MAPPED if size == 4 else b""
    told = found[:4], prefix + source, prefix + target
    if told != (wanted[:4], peer[0], mine[0]):
        return None  # a listener on the peer's port
    user, inode = _REPLY.unpack_from(answer, _HEADER.size)[-2:]
    return int(user) if inode else UNKNOWN


def _table_user(peer: tuple[bytes, int], mine: tuple[bytes, int]) -> int | None:
    """As the kernel's tables have it; None where there are none."""
    wanted = set(zip(_cells(peer), _cells(mine), strict=True))
    seen = 0
    for path in _TABLES:
        try:
            with open(path, encoding="ascii", errors="replace") as rows:  # noqa: PTH123 - no pathlib on the way to an agent
                for row in rows:
                    cells = row.split(None, 10)
                    if len(cells) > 9 and (cells[1], cells[2]) in wanted:
                        return int(cells[7]) if cells[9] != "0" else UNKNOWN
                    seen += 1
                    if seen > _MOST_ROWS:
                        return UNKNOWN
        except FileNotFoundError:
            if path == _TABLES[0]:
                return None
        except (OSError, ValueError):
            return UNKNOWN
    return UNKNOWN


def _cells(end: tuple[bytes, int]) -> list[str]:
    """How the tables write an end: as IPv6, and as IPv4 where it is that; words of this machine."""
    forms = [end[0][12:] if end[0].startswith(_MAPPED) else end[0], end[0]]
    return [
        "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", form)) + f":{end[1]:04X}"
        for form in forms
    ]
