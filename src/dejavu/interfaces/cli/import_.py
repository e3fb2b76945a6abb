"""`dejavu import FILE...`: conversations that a person has as files.

Exports of ChatGPT and Claude.ai (the zip, or `conversations.json` out of it), trajectories (ATIF),
transcripts in Markdown such as `.specstory/history`, an editor's `state.vscdb` or chat sessions, and
what `dejavu export -f json` or `jsonl` wrote. A folder is looked through for them.
With `--agent`, FILE or `-` is a stream that the agent printed.
The same file again adds nothing. Costs O(bytes).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.import_file import import_files
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.providers import PROVIDERS
from dejavu.providers.formats.json_lines import UNREADABLE
from dejavu.providers.imports import FORMS

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.sync_report import print_truncated, print_unreadable, summary_line, to_dict

if TYPE_CHECKING:
    from dejavu.ingest.report import Report

    from ..command_line.parameters import FromInstance, Json, ToWorkspace


def command(
    files: Annotated[
        list[Path],
        Argument(
            metavar="FILE", help="Files, folders that hold them, or - for an agent's JSON on stdin."
        ),
    ],
    form: Annotated[
        str | None,
        Option(
            "--form",
            metavar="FORM",
            help="What they are: atif, chatgpt, claude-ai, dejavu, markdown (default: detected).",
        ),
    ] = None,
    agent: Annotated[
        str, Option("--agent", "-a", help="FILE or stdin is JSON that this agent printed.")
    ] = "",
    prompt: Annotated[
        str | None, Option("--prompt", help="With --agent: the prompt, if the stream has none.")
    ] = None,
    origin: Annotated[
        str | None,
        Option(
            "--from",
            metavar="URL",
            help="With --agent: follow its server on this machine until it ends "
            "(opencode serve), http://127.0.0.1:PORT. OPENCODE_SERVER_PASSWORD has its password.",
        ),
    ] = None,
    session: Annotated[
        str, Option("--session", help="With --from: the running session of that server.")
    ] = "",
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
    json: Json = False,
) -> int:
    """Import exports of chats, trajectories, transcripts."""
    if files[0] == Path("-") and len(files) > 1:
        files = files[1:]  # `ingest FILE`, the old name, is `import - FILE`
    if agent or files == [Path("-")]:
        if len(files) > 1:
            raise InvalidValueError("--agent takes one FILE, or - for stdin")
        from ..command_line.import_stream import import_stream  # of no use to files

        import_stream(
            files[0], agent, prompt=prompt, origin=origin, session=session,
            workspace=workspace, instance=instance, json=json,
        )  # fmt: skip
        return 0
    if prompt is not None or origin is not None or session:
        raise InvalidValueError("--prompt, --from and --session go with --agent")
    if form is not None and form not in FORMS and form not in PROVIDERS:
        raise InvalidValueError(f"--form: {form!r} is not one of {', '.join(FORMS)}")
    missing = [path for path in files if not path.exists()]
    if missing:
        raise NotFoundError(f"no such file: {missing[0]}")
    for path in files:
        if path.resolve() in (Path("/"), Path.home()):
            raise InvalidValueError(
                f"{path} holds more than exports: name the file, or the folder they are in; "
                "agents' own histories are read by `dejavu sync`"
            )
    where = instance or own_instance(load_config())
    with open_archive(write=True) as archive:
        report = import_files(archive, files, form=form, instance=where, workspace=workspace)
    if json:
        print_json(to_dict(report))
    else:
        print(summary_line(report))
        if 0 < len(report.conversations) <= _MOST:
            print_note(f"imported as {' '.join(sorted(report.conversations))}")
        print_unreadable(report, "not read")
        print_truncated(report)
        _print_skipped(report)
        _print_doubts(report)
    return 1 if report.unreadable or _is_doubtful(report) else 0


_VERSION = "schema_version "  # how a trajectory of a version that is not known is counted
_MOST = 20  # items that are named


def _is_doubtful(report: Report) -> bool:
    """Whether a file held what could not be read, or no conversation at all."""
    strange = any(name.startswith(_VERSION) for name in report.drift)
    return bool(strange or report.drift[UNREADABLE] or (report.bytes and not report.conversations))


def _print_skipped(report: Report) -> None:
    """Name what was passed over, the first of it."""
    for path, reason in report.skipped[:_MOST]:
        print_note(f"passed over: {one_line(path)}: {one_line(reason)}")
    if (rest := len(report.skipped) - _MOST) > 0:
        print_note(f"passed over: {rest} more; --json names them")


def _print_doubts(report: Report) -> None:
    if count := report.drift[UNREADABLE]:
        print_note(
            f"parts that could not be read: {count}; a file may be cut short or damaged (it is kept as it is)"
        )
    for name in sorted(report.drift):
        if name.startswith(_VERSION):
            version = name.removeprefix(_VERSION)
            print_note(
                f"trajectories of version {one_line(version)}, read as ATIF-v1: look whether all is there"
            )
    if report.bytes and not report.conversations:
        print_note("no conversation was found in it; --form says what a file is")
