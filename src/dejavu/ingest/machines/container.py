"""A home in a Docker or Podman container, through the engine's own `cp`; it need not run.

`cp` sends a folder as a tar stream and writes nothing there. Costs the bytes of the agents' folders:
there is no listing without running a program inside, and local copies are cheap.

Its labels say which project it is of. They cannot be read inside. An image's labels are inherited from
the images below it, so `org.opencontainers.image.source` may name another project and is not asked.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from dejavu.config.projects import declared_project, project_of
from dejavu.config.settings import load_config
from dejavu.model import ProviderError, is_json_array, is_json_object

from .address import Address
from .mirror import Mirror
from .streams import EndlessStreamError, NothingSentError, RemoteProgram, read_tar

_LONGEST_ANSWER = 16 << 20  # bytes of what the engine says about a container
_PROJECT = "dejavu.project"
_OPENED_FOLDER = "devcontainer.local_folder"
"""Set by the Dev Containers programs: the folder of this machine that was opened in the container."""
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
    project = ""
    """The project of all that is held there, once `copy` began; empty where no label says one."""

    def __init__(self, address: Address) -> None:
        """Nothing is run yet."""
        self._address = address

    def copy(self, roots: Collection[str], mirror: Mirror) -> Iterator[tuple[str, int]]:
        """Bring the mirror up to date; yield each file copied, with its size.

        Raises:
            ProviderError: there is no such container, or the engine does not answer.
            OSError: the engine's program is not installed, or a file cannot be written here.
        """
        config = self._config()
        self.project = _project(config)
        home = self._address.home or _home(config)
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

    def _config(self) -> dict[str, object]:
        """What the engine says of the container; empty where that cannot be understood."""
        command = [
            self._address.kind, "inspect", "--type", "container", self._address.host,
        ]  # fmt: skip
        with RemoteProgram(command, str(self._address), most=_LONGEST_ANSWER) as program:
            answer = program.read(_LONGEST_ANSWER)
            code, said = program.end(), program.complaints()
        if code:
            raise ProviderError(f"{self._address}: {said[-1] if said else 'no such container'}")
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            config: object = json.loads(answer)[0]["Config"]
            return config if is_json_object(config) else {}
        return {}


def _project(config: dict[str, object]) -> str:
    """The project that a container's labels name."""
    labels = config.get("Labels")
    if not is_json_object(labels):
        return ""
    named, opened = (str(labels.get(label) or "") for label in (_PROJECT, _OPENED_FOLDER))
    return declared_project(named) or (project_of(opened, load_config().projects) if opened else "")


def _home(config: dict[str, object]) -> str:
    """The folder of a container's user: HOME of its environment, or by the user's name."""
    environment = config.get("Env")
    for entry in environment if is_json_array(environment) else ():
        if str(entry).startswith("HOME=/"):
            return str(entry)[5:].rstrip("/") or "/"
    name = str(config.get("User") or "").partition(":")[0]
    return "/root" if name in ("", "0", "root") else f"/home/{name}"
