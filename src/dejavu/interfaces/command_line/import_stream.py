"""`dejavu import FILE|- --agent A`: a stream that an agent printed, or what its server says.

With `--from URL` the agent's own server on this machine is followed until it ends.

Tested in: tests/interfaces/command_line/test_import_stream.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.spool import spool_folder
from dejavu.ingest.stream import PIECE, received
from dejavu.model import DejavuError, InvalidValueError
from dejavu.providers import STREAMS
from dejavu.providers.registry import event_servers
from dejavu.sessions.session_store import find

from ..filters import check_file
from .output import print_json, print_note
from .sync_report import print_truncated


def import_stream(
    file: Path,
    agent: str,
    *,
    prompt: str | None,
    origin: str | None,
    session: str,
    workspace: str | None,
    instance: str | None,
    json: bool,
) -> None:
    """Import what `agent` printed into `file` (`-`: stdin), or what its server `origin` says.

    Raises:
        InvalidValueError: there is no such agent or file, or the server is not on this machine.
    """
    if agent not in STREAMS:
        raise InvalidValueError(f"--agent takes one of {', '.join(sorted(STREAMS))}")
    if session and origin is None:
        raise InvalidValueError("--session goes with --from")
    if origin is not None:
        _follow(agent, origin, session=session, workspace=workspace, instance=instance, json=json)
        return
    piped = str(file) == "-"
    if not piped:
        check_file(file)
    with (
        sys.stdin.buffer if piped else file.open("rb") as source,
        received(
            agent,
            iter(lambda: source.read(PIECE), b""),
            instance=instance or own_instance(load_config()),
            workspace=str(Path(workspace or ".").expanduser().absolute()),
            prompt=prompt,
            name=str(file),
        ) as stream,
    ):
        try:
            with open_archive(write=True) as archive:
                report = stream.store(archive)
        except (DejavuError, OSError):
            if piped:  # no one has its bytes but us
                stream.keep(spool_folder())
                print_note(
                    f"dejavu import: the stream is kept in {spool_folder()}; "
                    "`dejavu sync` archives it"
                )
            raise
    if json:
        truncated = [{"path": path, "records": count} for path, count in report.truncated]
        conversations = sorted(report.conversations)
        print_json({"bytes": report.bytes, "conversations": conversations, "truncated": truncated})
    else:
        print_truncated(report)
        for identity in sorted(report.conversations):
            print(identity)


def _follow(
    agent: str, url: str, *, session: str, workspace: str | None, instance: str | None, json: bool
) -> None:
    from dejavu.sessions.follow_server import follow

    servers = event_servers()
    if agent not in servers:
        raise InvalidValueError(f"--from takes --agent {', '.join(sorted(servers))}")
    summary = follow(
        agent,
        url,
        session=find(session).folder.name if session else "",
        instance=instance or own_instance(load_config()),
        workspace=None if workspace is None else str(Path(workspace).expanduser().absolute()),
    )
    for sentence in summary.notes:
        print_note(f"dejavu import: {sentence}")
    if json:
        print_json({"events": summary.lines, "conversations": sorted(summary.conversations)})
    else:
        for identity in sorted(summary.conversations):
            print(identity)
