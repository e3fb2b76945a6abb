"""A home over plain ssh: POSIX sh, find, xargs and stat list it; rsync copies, or tar where it is not.

`DEJAVU_SSH` is the command in place of `ssh`, with its options, as `RSYNC_RSH` is for rsync. Every
command there reads only. Costs a stat a file there, and a line each here.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from dejavu.model import ProviderError

from .address import Address
from .mirror import Mirror, Stamp
from .streams import read_tar

_NO_FOLDER = 66  # EX_NOINPUT of sysexits.h
_LINE = re.compile(r"(\d+) (\d+) \./(.+)", re.DOTALL)
_ODD = re.compile(r"[\\\0-\x1f\x7f]")  # GNU tar reads a backslash in a list of names as an escape
_MOST = 2_000_000  # files of one home
_ALIVE = ("-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4")
# GNU and busybox know `stat -c`, BSD and macOS `stat -f`.
_LIST = """
for root in {roots}; do [ -d "$root" ] || [ -f "$root" ] || continue; set -- "$@" "$root"; done
command -v rsync >/dev/null 2>&1 && echo rsync || echo tar
[ $# = 0 ] && exit 0
if stat -c %s . >/dev/null 2>&1; then option=-c form='%s %Y %n'; else option=-f form='%z %m %N'; fi
find "$@" -type f -print0 | xargs -0 stat $option "$form"
"""


@dataclass
class Listing:
    """What lies in a home: the files, what could not be read, and whether rsync is there."""

    files: dict[str, Stamp] = field(default_factory=dict[str, Stamp])
    unreadable: list[str] = field(default_factory=list[str])
    rsync: bool = False


class SshMachine:
    """One host."""

    def __init__(self, address: Address) -> None:
        """Nothing is run yet."""
        self._address = address
        host = address.host.strip("[]")
        self._target = f"{address.user}@{host}" if address.user else host

    def copy(self, roots: Collection[str], mirror: Mirror) -> Iterator[tuple[str, int]]:
        """Bring the mirror up to date; yield each file copied, with its size.

        Raises:
            ProviderError: the host does not answer, or its home is not there.
            OSError: a file cannot be written here.
        """
        listing = self.read_listing(roots)
        self.unreadable = listing.unreadable
        names = mirror.differing(listing.files)
        if names and listing.rsync and shutil.which("rsync"):
            self._rsync(names, mirror)
            yield from ((name, listing.files[name].size) for name in names)
        elif names:
            yield from self._tar(names, mirror)
        mirror.remove_all_but(listing.files.keys())

    unreadable: Sequence[str] = ()
    """What could not be read there, as the programs there said it."""

    def read_listing(self, roots: Collection[str]) -> Listing:
        """Every regular file below `roots` (paths below the home); links are not followed.

        Raises:
            ProviderError: the host does not answer, or its home is not there.
        """
        script = _LIST.format(roots=" ".join(shlex.quote(f"./{root}") for root in sorted(roots)))
        done = subprocess.run(
            self._command(script), stdin=None if sys.stdin.isatty() else subprocess.DEVNULL,
            capture_output=True, check=False,
        )  # fmt: skip
        complaints = done.stderr.decode("utf-8", "replace").splitlines()
        lines = os.fsdecode(done.stdout).split("\n")
        if lines[0] not in ("rsync", "tar"):
            raise self._failed(done.returncode, complaints)
        listing = Listing(rsync=lines[0] == "rsync")
        for line in lines[1 : _MOST + 1]:
            match = _LINE.fullmatch(line)
            if match and not _ODD.search(match[3]):
                listing.files[match[3]] = Stamp(int(match[1]), int(match[2]))
            elif line:
                listing.unreadable.append(f"{line}: a name with a backslash or a control character")
        if len(lines) > _MOST + 2:
            listing.unreadable.append(f"more than {_MOST} files: the rest was not looked at")
        listing.unreadable += [line for line in complaints if line.startswith("find:")]
        return listing

    def _command(self, script: str) -> list[str]:
        home = shlex.quote(self._address.home) if self._address.home else ""
        inside = f"cd {home} || exit {_NO_FOLDER}\n{script}"
        return [*self._ssh(), self._target, f"LC_ALL=C exec sh -c {shlex.quote(inside)}"]

    def _ssh(self) -> list[str]:
        port = ["-p", str(self._address.port)] if self._address.port else []
        batch = [] if sys.stdin.isatty() else ["-o", "BatchMode=yes"]
        return [*shlex.split(os.environ.get("DEJAVU_SSH") or "ssh"), *_ALIVE, *batch, *port]

    def _failed(self, code: int, complaints: Sequence[str]) -> ProviderError:
        if code == _NO_FOLDER:
            return ProviderError(f"{self._address}: there is no folder {self._address.home}")
        port = f"-p {self._address.port} " if self._address.port else ""
        reason = complaints[-1] if complaints else f"ssh ended with {code}"
        return ProviderError(
            f"{self._address}: {reason}; try `ssh {port}{self._target}` (DEJAVU_SSH names another command)"
        )

    def _rsync(self, names: Sequence[str], mirror: Mirror) -> None:
        """Changed files in differences; rsync writes beside a file and then puts it in place."""
        home = self._address.home or "."
        target = self._target if ":" not in self._target else f"[{self._target}]"
        done = subprocess.run(
            [
                "rsync", "--times", "--protect-args", "--from0", "--files-from=-",
                "--no-links", "--chmod=D700,F600", "--rsh", shlex.join(self._ssh()),
                f"{target}:{home}/", f"{mirror.home}/",
            ],
            input=b"".join(os.fsencode(name) + b"\0" for name in names),
            capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode not in (0, 23, 24):  # 23, 24: some files vanished or may not be read
            raise self._failed(done.returncode, done.stderr.decode("utf-8", "replace").splitlines())

    def _tar(self, names: Sequence[str], mirror: Mirror) -> Iterator[tuple[str, int]]:
        wanted = b"".join(os.fsencode(f"./{name}\n") for name in names)
        return read_tar(self._command("exec tar -cf - -T -"), wanted, mirror, str(self._address))
