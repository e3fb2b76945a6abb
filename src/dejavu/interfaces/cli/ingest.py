"""`dejavu ingest --agent A [FILE|-]`: a stream that an agent printed, into the archive.

With `--from URL` the agent's own server on this machine is followed until it ends.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive.access import open_archive
from dejavu.config.instance import own_instance
from dejavu.config.settings import load_config
from dejavu.ingest.stream import PIECE, ingest
from dejavu.providers import STREAMS
from dejavu.providers.registry import event_servers
from dejavu.sessions.session_store import find

from .options import Json
from .output import note, print_json


def command(
    file: Annotated[
        Path, typer.Argument(help="What the agent printed; - or nothing is stdin.")
    ] = Path("-"),
    agent: Annotated[str, typer.Option("--agent", "-a", help="Whose stream it is.")] = "",
    prompt: Annotated[
        str | None, typer.Option("--prompt", help="What was asked, where the stream does not say.")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="URL",
            help="Follow the agent's server on this machine until it ends (opencode serve): "
            "http://127.0.0.1:PORT. Its password is read from OPENCODE_SERVER_PASSWORD.",
        ),
    ] = None,
    session: Annotated[
        str,
        typer.Option(
            "--session", help="With --from: the running session whose state the server tells."
        ),
    ] = "",
    workspace: Annotated[
        str | None, typer.Option("--workspace", help="The project it belongs to.")
    ] = None,
    instance: Annotated[
        str | None, typer.Option("--instance", help="The machine or container it comes from.")
    ] = None,
    json: Json = False,
) -> None:
    """Archive a stream that an agent printed."""
    if agent not in STREAMS:
        raise typer.BadParameter(f"--agent takes one of {', '.join(sorted(STREAMS))}")
    if origin is not None:
        _follow(agent, origin, session=session, workspace=workspace, instance=instance, json=json)
        return
    piped = str(file) == "-"
    if not piped and not file.is_file():
        raise typer.BadParameter(f"{file}: no such file")
    with (
        open_archive(write=True) as archive,
        sys.stdin.buffer if piped else file.open("rb") as source,
    ):
        report = ingest(
            archive,
            agent,
            iter(lambda: source.read(PIECE), b""),
            instance=instance or own_instance(load_config()),
            workspace=str(Path(workspace or ".").expanduser().absolute()),
            prompt=prompt,
            name=str(file),
        )
    if json:
        print_json({"bytes": report.bytes, "conversations": sorted(report.conversations)})
    else:
        for identity in sorted(report.conversations):
            print(identity)


def _follow(
    agent: str, url: str, *, session: str, workspace: str | None, instance: str | None, json: bool
) -> None:
    from dejavu.sessions.follow_server import follow

    servers = event_servers()
    if agent not in servers:
        raise typer.BadParameter(f"--from takes --agent {', '.join(sorted(servers))}")
    summary = follow(
        agent,
        url,
        session=find(session).folder.name if session else "",
        instance=instance or own_instance(load_config()),
        workspace=None if workspace is None else str(Path(workspace).expanduser().absolute()),
    )
    for sentence in summary.notes:
        note(f"dejavu ingest: {sentence}")
    if json:
        print_json({"events": summary.lines, "conversations": sorted(summary.conversations)})
    else:
        for identity in sorted(summary.conversations):
            print(identity)
