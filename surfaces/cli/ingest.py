"""`dejavu ingest --agent A [FILE|-]`: a stream that an agent printed, into the archive."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dejavu.providers.streams import STREAMS

from ..compose import open_archive
from ..config import load_config
from ..ingest import PIECE, ingest
from ..instance import own_instance
from .options import Json
from .output import print_json


def command(
    file: Annotated[
        Path, typer.Argument(help="What the agent printed; - or nothing is stdin.")
    ] = Path("-"),
    agent: Annotated[str, typer.Option("--agent", "-a", help="Whose stream it is.")] = "",
    prompt: Annotated[
        str | None, typer.Option("--prompt", help="What was asked, where the stream does not say.")
    ] = None,
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
