"""A home in a Docker or Podman container, through the engine's own `cp`; it need not run.

`cp` sends a folder as a tar stream and writes nothing there. Costs the bytes of the agents' folders:
there is no listing without running a program inside, and local copies are cheap.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from dejavu.model import ProviderError

from .address import Address
from .mirror import Mirror
from .streams import EndlessStreamError, NothingSentError, RemoteProgram, read_tar

_LONGEST_ANSWER = 16 << 20  # bytes of what the engine says about a container
# Docker's words and Podman's for a folder that is not there; those for a container differ.
_ABSENT = (
    "could not find the file",
    "could not be found on container",
    "no such file or directory",
)


class Container:
    """One container."""

    unreadable: Sequence[str] = ()
    """What could not be read there, as the engine said it."""

    def __init__(self, address: Address) -> None:
        """Nothing is run yet."""
        self._address = address

    def copy(self, roots: Collection[str], mirror: Mirror) -> Iterator[tuple[str, int]]:
        """Bring the mirror up to date; yield each file copied, with its size.

        Raises:
            ProviderError: there is no such container, or the engine does not answer.
            OSError: the engine's program is not installed, or a file cannot be written here.
        """
        home = self._address.home or self._home()
        before = mirror.stamps()
        current: set[str] = set()
        failed: list[str] = []
        for root in sorted(roots):
            command = [self._address.kind, "cp", f"{self._address.host}:{home}/{root}", "-"]
            below = root.rpartition("/")[0]
            try:
                for name, size in read_tar(command, b"", mirror, str(self._address), below):
                    current.add(name)
                    if before.get(name) != mirror.stamp(name):
                        yield name, size
            except NothingSentError as error:
                if not any(words in str(error).lower() for words in _ABSENT):
                    if not current:
                        raise
                    failed.append(str(error))
            except EndlessStreamError:
                raise
            except ProviderError as error:  # a damaged stream; the other folders are read
                failed.append(f"{root}: {error}")
        self.unreadable = failed
        if not failed:
            mirror.remove_all_but(current)

    def _home(self) -> str:
        """The folder of the container's user: HOME of its environment, or by the user's name."""
        command = [
            self._address.kind, "inspect", "--type", "container", self._address.host,
        ]  # fmt: skip
        with RemoteProgram(command, str(self._address), most=_LONGEST_ANSWER) as program:
            answer = program.read(_LONGEST_ANSWER)
            code, said = program.end(), program.complaints()
        if code:
            raise ProviderError(f"{self._address}: {said[-1] if said else 'no such container'}")
        environment: list[str] = []
        user = ""
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            config = json.loads(answer)[0]["Config"]
            environment = [str(entry) for entry in config.get("Env") or ()]
            user = str(config.get("User") or "")
        for entry in environment:
            if entry.startswith("HOME=/"):
                return entry[5:].rstrip("/") or "/"
        name = user.partition(":")[0]
        return "/root" if name in ("", "0", "root") else f"/home/{name}"
