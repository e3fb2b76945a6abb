"""`dejavu import FILE...`: conversations that a person has as files.

Exports of ChatGPT and Claude.ai (the zip, or `conversations.json` out of it), trajectories (ATIF),
transcripts in Markdown such as `.specstory/history`, an editor's `state.vscdb` or chat sessions. A
folder is looked through for them. The same file again adds nothing. Costs O(bytes).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.config.instance import own_instance
from dejavu.config.settings import load_config
from dejavu.ingest.import_file import import_files
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.providers import PROVIDERS
from dejavu.providers.imports import FORMS

from .output import print_json
from .sync_report import print_truncated, print_unreadable, summary_line, to_dict

if TYPE_CHECKING:
    import typer

    from .options import FromInstance, Json, ToWorkspace


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Files, or folders that hold them.")
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--form",
            metavar="FORM",
            help="What they are: atif, chatgpt, claude-ai, markdown; default: told by each file.",
        ),
    ] = None,
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
    json: Json = False,
) -> int:
    """Import exports of chats, trajectories and transcripts."""
    if form is not None and form not in FORMS and form not in PROVIDERS:
        raise InvalidValueError(f"--form: {form!r} is not one of {', '.join(FORMS)}")
    missing = [path for path in files if not path.exists()]
    if missing:
        raise NotFoundError(f"no such file: {missing[0]}")
    where = instance or own_instance(load_config())
    with open_archive(write=True) as archive:
        report = import_files(archive, files, form=form, instance=where, workspace=workspace)
    if json:
        print_json(to_dict(report))
    else:
        print(summary_line(report))
        print_unreadable(report, "not read")
        print_truncated(report)
    return 1 if report.unreadable else 0
