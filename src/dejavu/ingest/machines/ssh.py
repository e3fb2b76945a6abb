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
from tempfile import TemporaryFile

from dejavu.model import ProviderError

from .address import Address
from .mirror import Mirror, Stamp
from .streams import LONGEST, SILENCE, RemoteProgram, read_tar

_NO_FOLDER = 66  # EX_NOINPUT of sysexits.h
_LINE = re.compile(r"(\d{1,18}) (\d{1,18}) \./(.+)", re.DOTALL)
_ODD = re.compile(r"[\\\0-\x1f\x7f]")  # GNU tar reads a backslash in a list of names as an escape
_MOST = 2_000_000  # files of one home
_LONGEST_LISTING = 256 << 20  # bytes
_MOST_WORDS = 1 << 16
_GROWN = 1 << 30  # bytes by which a file may have grown since it was listed
# A remote rsync may send more than it listed: no file may become longer than this, in blocks of 512 bytes.
_LIMITED = 'ulimit -f "$1" && shift && exec "$@"'
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
    """What is in a home: the files, what could not be read, and whether rsync is there."""

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
            self._rsync(names, listing, mirror)
            yield from ((name, listing.files[name].size) for name in names)
        elif names:
            yield from self._tar(names, listing, mirror)
        mirror.remove_all_but(listing.files.keys())

    unreadable: Sequence[str] = ()
    """What could not be read there, as the programs there said it."""
    project = ""
    """A host is of no project."""

    def read_listing(self, roots: Collection[str]) -> Listing:
        """Every regular file below `roots` (paths below the home); links are not followed.

        Raises:
            ProviderError: the host does not answer, or its home is not there.
        """
        script = _LIST.format(roots=" ".join(shlex.quote(f"./{root}") for root in sorted(roots)))
        command, machine = self._command(script), str(self._address)
        with RemoteProgram(command, machine, most=_LONGEST_LISTING) as program:
            lines = os.fsdecode(program.read(_LONGEST_LISTING + 1)).split("\n")
            code, complaints = program.end(), program.complaints()
        if lines[0] not in ("rsync", "tar"):
            raise self._failed(code, complaints)
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

    def _rsync(self, names: Sequence[str], listing: Listing, mirror: Mirror) -> None:
        """Changed files in differences; rsync writes next to a file and then puts it in place."""
        home = self._address.home or "."
        target = self._target if ":" not in self._target else f"[{self._target}]"
        longest = max(listing.files[name].size for name in names) + _GROWN
        command = [
            "sh", "-c", _LIMITED, "sh", str(longest // 512),
            "rsync", "--times", "--protect-args", "--from0", "--files-from=-",
            "--no-links", "--chmod=D700,F600", f"--timeout={int(SILENCE)}",
            "--rsh", shlex.join(self._ssh()), f"{target}:{home}/", f"{mirror.home}/",
        ]  # fmt: skip
        # A file, not a pipe: its length has the same limit, whatever the machine there says.
        with TemporaryFile() as stderr:
            try:
                done = subprocess.run(
                    command, input=b"".join(os.fsencode(name) + b"\0" for name in names),
                    stdout=subprocess.DEVNULL, stderr=stderr, check=False, timeout=LONGEST,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise ProviderError(
                    f"{self._address}: rsync took more than {LONGEST / 3600:g} h and was ended; sync again "
                    "continues there"
                ) from None
            stderr.seek(0)
            words = stderr.read(_MOST_WORDS).decode("utf-8", "replace").splitlines()
        if done.returncode not in (0, 23, 24):  # 23, 24: some files vanished or may not be read
            raise self._failed(done.returncode, words)

    def _tar(
        self, names: Sequence[str], listing: Listing, mirror: Mirror
    ) -> Iterator[tuple[str, int]]:
        wanted = b"".join(os.fsencode(f"./{name}\n") for name in names)
        # Each file may have grown, and has a header, maybe two extensions, and padding.
        most = sum(listing.files[name].size for name in names) + _GROWN + 8192 * len(names)
        command = self._command("exec tar -cf - -T -")
        return read_tar(command, wanted, mirror, str(self._address), most=most)
