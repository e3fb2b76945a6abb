"""One machine into the archive: its agents' folders into the mirror, and the mirror like any home.

What fails on the way is reported, what came before it is archived. Agents that keep their history
in project folders (`Provider.roots` is empty) are not looked for there.

Tested in: tests/ingest/machines/test_container.py
"""

from collections.abc import Callable
from pathlib import Path, PurePath

from dejavu.archive import Archive
from dejavu.model import ProviderError
from dejavu.providers import PROVIDERS, Home, Source

from ..report import Report
from ..sync import sync_homes
from .address import Address
from .container import Container
from .mirror import Mirror
from .ssh import SshMachine


def sync_machine(
    archive: Archive,
    address: Address,
    *,
    instance: str,
    workspace: str | None = None,
    agent: str | None = None,
    copied: Callable[[str, int], object] = lambda _name, _size: None,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Copy what changed there and import it; `copied` is called with each file and its size.

    Raises:
        ProviderError: the machine does not answer, and nothing was copied.
        ArchiveLockedError: another sync of the same machine is under way.
        OSError: a program is not installed here, or a file cannot be written.
    """
    machine = SshMachine(address) if address.kind == "ssh" else Container(address)
    mirror = Mirror(str(address).replace("://", "-"))
    failed: list[tuple[str, str]] = []
    count = 0
    with mirror.locked():
        try:
            for name, size in machine.copy(folders(agent), mirror):
                count += 1
                copied(name, size)
        except (ProviderError, OSError) as error:
            if not count:
                raise
            failed.append((str(address), str(error)))
        home = Home(mirror.home, {}, instance, workspace, machine.project)
        report = sync_homes(archive, [home], agent=agent, progress=progress)
    report.unreadable += failed + [(str(address), words) for words in machine.unreadable]
    report.unreadable += [
        (f"{address} ~/{name}" if name else str(address), reason) for name, reason in mirror.refused
    ]
    return report


def folders(agent: str | None = None) -> list[str]:
    """The folders of every agent (or one), below a home; none that is inside another."""
    anywhere = Home(Path("/home/user"), {})
    roots = {
        root.relative_to(anywhere.path)
        for provider in PROVIDERS.values()
        if agent in (None, provider.agent)
        for root in provider.roots(anywhere)
        if root.is_relative_to(anywhere.path) and root != anywhere.path
    }
    return sorted(str(root) for root in roots if not _lies_in_another(root, roots))


def _lies_in_another(root: PurePath, roots: set[Path]) -> bool:
    return any(parent in roots for parent in root.parents)
