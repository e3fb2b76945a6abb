"""`dejavu sync ADDRESS...` and `dejavu sync --machines`: the homes of other machines, one by one.

A machine that does not answer is named, and the others are read all the same.

Tested in: tests/interfaces/cli/test_sync.py
"""

from collections.abc import Callable, Sequence
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.settings import Config, Machine, instance_of
from dejavu.ingest.machines import Address, parse_address, sync_machine
from dejavu.ingest.report import Report
from dejavu.model import ArchiveLockedError, InvalidValueError, ProviderError
from dejavu.providers import Source

from .output import one_line, print_json, print_note
from .sync_report import print_truncated, print_unreadable, progress_bar, summary_line, to_dict


def sync_machines(
    addresses: Sequence[str] | None,
    config: Config,
    agent: str | None,
    instance: str | None,
    workspace: str | None,
    *,
    json: bool,
) -> int:
    """Read these machines, or those of config.toml; return the exit code.

    Raises:
        InvalidValueError: an address is none, or there is no machine.
    """
    named = [Machine(address) for address in addresses or ()] or list(config.machines)
    if not named:
        raise InvalidValueError(
            'config.toml names no machine; add [[machines]] with address = "ssh://HOST"'
        )
    if instance is not None and len(named) > 1:
        raise InvalidValueError("--instance names one machine: give one address")
    machines = [(parse_address(machine.address), machine.instance) for machine in named]
    results: list[dict[str, Any]] = []
    incomplete = unkept = False
    with open_archive(write=True) as archive:
        for address, name in machines:
            into = instance or name or instance_of(address.name, config)
            with progress_bar(json=json) as progress:
                report = _sync(archive, address, into, workspace, agent, progress)
            incomplete |= bool(report.unreadable)
            unkept |= bool(report.unkept)
            results.append({"address": str(address), "instance": into, **to_dict(report)})
            if not json:
                print(f"{one_line(into)}: {summary_line(report)}", flush=True)
                print_unreadable(report, "not read")
                print_truncated(report)
    if json:
        print_json({"machines": results})
    return 4 if unkept else 1 if incomplete else 0


def _sync(
    archive: Archive,
    address: Address,
    instance: str,
    workspace: str | None,
    agent: str | None,
    progress: Callable[[Source, Report], None] | None,
) -> Report:
    """Read one machine; one that does not answer is a report that says so."""
    print_note(f"reading {address}")
    try:
        return sync_machine(
            archive, address, instance=instance, workspace=workspace, agent=agent, progress=progress
        )
    except FileNotFoundError as error:
        reason = f"{error.filename or address.kind} is not installed here"
        return Report(unreadable=[(str(address), reason)])
    except (ProviderError, ArchiveLockedError, OSError) as error:
        return Report(unreadable=[(str(address), str(error))])
