"""`dejavu sync`: read what agents keep of their own into the archive; incremental.

`--final` is the net under a container's teardown: what is being written is given a few seconds to
become whole, it says what was kept and what could not be read, and its exit code is 1 if anything
was left behind.

`--ask amp` (or `ask` under `[sync]` in `config.toml`) also asks the agent's own program for what
its server keeps; never by default, because the program goes online with the operator's login.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

from dejavu.archive.access import open_archive
from dejavu.config.instance import instance_of, own_instance
from dejavu.config.settings import load_config
from dejavu.ingest.sync import Report, sync_homes
from dejavu.providers import PROVIDERS, Home, Source

from .fast_parser import Option
from .options import Agent, Json
from .output import line, note, print_json
from .sync_report import plain, tell_final, told


def command(
    agent: Agent = None,
    home: Annotated[
        Path | None,
        Option(
            "--home", exists=True, file_okay=False, help="Another home: a restored container's."
        ),
    ] = None,
    workspace: Annotated[
        str | None, Option("--workspace", help="The project all of it belongs to.")
    ] = None,
    instance: Annotated[
        str | None, Option("--instance", help="The machine or container it comes from.")
    ] = None,
    final: Annotated[
        bool, Option("--final", help="Teardown: fail if anything was left behind.")
    ] = False,
    asked: Annotated[
        list[str] | None,
        Option(
            "--ask",
            metavar="AGENT",
            help="Also ask this agent's own program for the history that its server keeps (amp); "
            "it goes online with your login.",
        ),
    ] = None,
    watch: Annotated[
        bool, Option("--watch", help="Go on as agents write, until interrupted.")
    ] = False,
    json: Json = False,
) -> int:
    """Read agents' own traces into the archive."""
    if watch and final:
        raise _refusal("--final ends, --watch does not: choose one")
    if asked and (watch or home is not None):
        raise _refusal("--ask asks once, with your own login: no --watch, no --home")
    if agent is not None and agent not in PROVIDERS:
        raise _refusal(f"no provider for {agent!r}; known: {', '.join(sorted(PROVIDERS))}")
    config = load_config()
    own = home is None and not watch
    for name in [*(asked or ()), *config.sync.ask]:
        _check_asked(name)
    names = asked or [one for one in config.sync.ask if own and agent in (None, one)]
    if home is None:
        where = Home(Path.home(), os.environ, instance or own_instance(config), workspace)
    else:
        named = instance or instance_of(home.absolute().name, config)
        where = Home(home.absolute(), {}, named, workspace)
    if watch:
        _watch(where, agent)
        return 0
    silent = False
    with open_archive(write=True) as archive:
        read = _final() if final else sync_homes
        with _progress(json=json) as progress:
            report = read(archive, [where], agent=agent, progress=progress)
            for name in names:
                from dejavu.ingest.vendor_cli import ask  # of use to `--ask` alone

                answer = ask(archive, name, where, progress=progress)
                silent = silent or bool(answer.unreadable)
                report.merge(answer)
    if json:
        print_json(plain(report))
    elif final:
        tell_final(report)
    else:
        _tell(report)
    if report.unkept:
        return 4
    if silent or (report.unreadable and final):
        return 1
    return 0


def _check_asked(name: str) -> None:
    from dejavu.providers import CLI_EXPORTS

    if name not in CLI_EXPORTS:
        raise _refusal(f"{name!r} cannot be asked; known: {', '.join(CLI_EXPORTS)}")


def _refusal(reason: str) -> Exception:
    """A usage error."""
    import typer  # for the error alone

    return typer.BadParameter(reason)


def _final() -> Callable[..., Report]:
    from dejavu.ingest.final_sync import sync_final  # of use to `--final` alone

    return sync_final


def _watch(home: Home, agent: str | None) -> None:
    """Follow what agents write; a line for each conversation that grew."""
    from dejavu.ingest.watch import Watcher  # its library is of no use to a single sync

    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)

    def grown(report: Report) -> None:
        for identity in sorted(report.conversations):
            print(f"{identity}  {report.bytes} bytes", flush=True)

    with open_archive(write=True) as archive:
        watcher = Watcher(archive, [home], agent=agent, told=grown)
        watcher.run(stop)  # ^C ends it as it ends every command


def _tell(report: Report) -> None:
    print(told(report))
    for path, reason in report.unreadable:
        note(f"not read: {line(path)}: {line(reason)}")


@contextmanager
def _progress(*, json: bool) -> Generator[Callable[[Source, Report], None] | None]:
    """A bar on stderr, on a terminal only: how many sources there are is not known before."""
    if json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # of no use but here
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    told = TextColumn("{task.fields[told]}")
    console = Console(stderr=True)
    with Progress(BarColumn(20), told, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("sync", total=None, told="")

        def show(source: Source, report: Report) -> None:
            megabytes = report.bytes / 1e6
            told = f"{report.sources} traces, {report.read} with news, {megabytes:.1f} MB"
            bar.update(task, told=f"{told}  {source.agent}")

        yield show
