"""`dejavu sync`: import agents' own session files into the archive; incremental.

`--final` is for the teardown of a container: files that are being written get a few seconds to
become whole, what could not be read is named, and the exit code is 1 if anything was left behind.

`--ask amp` (or `ask` under `[sync]` in `config.toml`) also asks the agent's own program for the
history on its server; never by default, because the program goes online with the user's login.

An ADDRESS (`ssh://HOST`, `docker://CONTAINER`) is read instead of this machine; exit code 1 where
one did not answer.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.commit import OnCommit
from dejavu.config.paths import user_home
from dejavu.config.settings import instance_of, load_config, own_instance
from dejavu.ingest.spool import recover
from dejavu.ingest.sync import Report, sync_homes
from dejavu.model import ArchiveLockedError, ArchiveUnavailableError, InvalidValueError
from dejavu.providers import PROVIDERS, Home
from dejavu.recall.injection_log import carry_notes

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.sync_report import (
    print_final,
    print_truncated,
    print_unreadable,
    progress_bar,
    summary_line,
    to_dict,
)
from ..filters import did_you_mean

if TYPE_CHECKING:
    from ..command_line.parameters import Agent, FromInstance, Json, ToWorkspace


def command(
    addresses: Annotated[
        list[str] | None,
        Argument(
            metavar="ADDRESS", help="Read this machine instead: ssh://HOST, docker://CONTAINER."
        ),
    ] = None,
    agent: Agent = None,
    home: Annotated[
        Path | None,
        Option("--home", exists=True, file_okay=False, help="Read this home folder instead."),
    ] = None,
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
    final: Annotated[
        bool, Option("--final", help="For teardown: exit 1 if anything is left behind.")
    ] = False,
    agents_to_ask: Annotated[
        list[str] | None,
        Option(
            "--ask",
            metavar="AGENT",
            help="Also ask this agent's program for the history on its server (amp); "
            "it goes online with your login.",
        ),
    ] = None,
    machines: Annotated[
        bool, Option("--machines", help="Read every machine named in config.toml.")
    ] = False,
    homes: Annotated[
        bool, Option("--homes", help="ADDRESS is a folder of home folders: read each of them.")
    ] = False,
    watch: Annotated[
        bool, Option("--watch", help="Keep importing as agents write, until interrupted.")
    ] = False,
    index: Annotated[
        bool,
        Option(
            "--index",
            help="Also index a team's archive on this machine; its server searches otherwise.",
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Import what agents keep on this machine."""
    if watch and final:
        raise InvalidValueError("--final ends, --watch does not: choose one")
    if homes:
        if len(addresses or ()) != 1:
            raise InvalidValueError("--homes takes one folder of home folders")
        from ..command_line.sync_below import sync_below  # of use to this form alone

        sync_below(Path((addresses or [""])[0]), workspace, json=json)
        return 0
    if agents_to_ask and (watch or home is not None):
        raise InvalidValueError("--ask goes with neither --watch nor --home")
    if agent is not None and agent not in PROVIDERS:
        near = did_you_mean(agent, sorted(PROVIDERS))
        choices = f"; known: {', '.join(sorted(PROVIDERS))}"
        raise InvalidValueError(f"--agent: no reader for {agent!r}{near or choices}")
    config = load_config()
    for name in [*(agents_to_ask or ()), *config.sync.ask]:
        _check_exportable(name)
    if addresses or machines:
        if home is not None or watch or final or agents_to_ask:
            raise InvalidValueError("a machine goes with none of --home, --watch, --final, --ask")
        from ..command_line.sync_machines import sync_machines  # of use to machines alone

        return sync_machines(addresses, config, agent, instance, workspace, json=json)
    if home is None:
        where = Home(user_home(), os.environ, instance or own_instance(config), workspace)
    else:
        named = instance or instance_of(home.absolute().name, config)
        where = Home(home.absolute(), {}, named, workspace)
    if watch:
        _watch(where, agent)
        return 0
    names = agents_to_ask or [
        provider for provider in config.sync.ask if home is None and agent in (None, provider)
    ]
    code = _sync(where, agent, names, final=final, json=json)
    if index:
        _prepare_recall(asked=True)
    return code


def _sync(where: Home, agent: str | None, ask: list[str], *, final: bool, json: bool) -> int:
    """Read a home, and what the programs of some agents give; return the exit code."""
    silent = False
    with open_archive(write=True) as archive:
        recover(open_archive)  # what was pushed while the archive was away
        carry_notes(archive)
        read = _final() if final else sync_homes
        if not final:
            archive.also_fed = partial(_also_fed, archive)
        with progress_bar(json=json) as progress:
            report = read(archive, [where], agent=agent, progress=progress)
            for name in ask:
                from dejavu.ingest.vendor_cli import import_from_cli  # of use to `--ask` alone

                answer = import_from_cli(archive, name, where, progress=progress)
                silent = silent or bool(answer.unreadable)
                report.merge(answer)
    if json:
        print_json(to_dict(report))
    elif final:
        print_final(report)
    else:
        _print_report(report, where)
    if report.read and not final:
        _prepare_recall()
    if report.unkept:
        return 4
    if silent or (report.unreadable and final):
        return 1
    return 0


def _also_fed(archive: Archive) -> AbstractContextManager[OnCommit]:
    """What a long sync also feeds: the indexes of recall and of exact text."""
    from dejavu.recall.update_indexes import beside_commits  # of no use to a short one

    return beside_commits(archive)


def _prepare_recall(*, asked: bool = False) -> None:
    """Index for `recall` what a prompt's hook could not take in; `asked`: all, for certain."""
    # Of no use where nothing was new.
    from dejavu.recall.history.index import MAX_INDEX_LAG, ExchangeIndex

    with open_archive(write=True) as archive:
        if asked or ExchangeIndex(archive).pending(MAX_INDEX_LAG) > MAX_INDEX_LAG:
            from dejavu.recall.update_indexes import update_indexes

            print_note("everything can be searched; what is new is being prepared for `recall` ...")
            update_indexes(archive, asked=asked)


def _check_exportable(name: str) -> None:
    from dejavu.providers import CLI_EXPORTS

    if name not in CLI_EXPORTS:
        raise InvalidValueError(f"--ask: {name!r} is not one of {', '.join(CLI_EXPORTS)}")


def _final() -> Callable[..., Report]:
    from dejavu.ingest.final_sync import sync_final  # of use to `--final` alone

    return sync_final


_FIRST_WAIT, _LONGEST_WAIT = 1.0, 30.0  # seconds between two tries while the archive is away
_HEALTHY = 60.0  # seconds after which an outage is a new one


def _watch(home: Home, agent: str | None) -> None:
    """Follow what agents write, through outages; a line for each conversation that grew."""
    from dejavu.ingest.watch import Watcher  # its library is of no use to a single sync

    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)

    def grown(report: Report) -> None:
        for identity in sorted(report.conversations):
            print(f"{identity}  {report.bytes} bytes", flush=True)

    wait = _FIRST_WAIT
    while not stop.is_set():
        began = time.monotonic()
        try:
            with open_archive(write=True) as archive:
                began = time.monotonic()
                # Again each time: a look that broke off knows half.
                watcher = Watcher(archive, [home], agent=agent, on_report=grown)
                watcher.run(stop)  # ^C ends it as it ends every command
        except (ArchiveUnavailableError, ArchiveLockedError) as error:
            if time.monotonic() - began > _HEALTHY:
                wait = _FIRST_WAIT
            print_note(f"{error}; tries again in {wait:.0f} s")
            stop.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT)


def _print_report(report: Report, where: Home) -> None:
    print(summary_line(report))
    if not report.sources and not report.unreadable:
        print_note(
            f"no agent's session files are in {one_line(str(where.path))}; `dejavu sync -h` shows the "
            "other places to read from"
            if not where.environ
            else "no agent keeps session files here yet; `dejavu-run AGENT` captures as you work, and "
            "`dejavu doctor --agents` says where they are looked for"
        )
    print_unreadable(report, "not read")
    print_truncated(report)
