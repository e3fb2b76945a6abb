"""`dejavu code blame PATH[:LINE[-LINE]]`: the conversation each line came from, next to git's commit.

Costs O(lines + the file's changes), and a look into the archive for each conversation shown.
"""

from __future__ import annotations

import gc
import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.interfaces.command_line.output import local_time, one_line, print_json, style
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.model import InvalidValueError, NotFoundError, to_iso
from dejavu.model.conversation import turn_name

from ..blame import Blame, BlamedLine, blame_file
from ..open_index import open_edits
from ..why import why_of_edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dejavu.archive import Archive
    from dejavu.interfaces.command_line.parameters import Json
    from dejavu.model import Turn

    from ..agent_trace import Evidence

_FORMATS = ("text", "json", "agent-trace")


def command(
    place: Annotated[
        str,
        Argument(metavar="PATH[:LINES]", help="A file, or some of its lines: a.py:7, a.py:7-9."),
    ],
    why: Annotated[
        bool, Option("--why", help="Show the prompt and answer for each range of lines.")
    ] = False,
    form: Annotated[
        str, Option("--format", metavar="FORMAT", help="text, json or agent-trace.")
    ] = "text",
    json: Json = False,
) -> None:
    """Show which conversation each line of a file came from."""
    if form not in _FORMATS:
        raise InvalidValueError(f"--format is one of {', '.join(_FORMATS)}, not {form!r}")
    path, first, last = _place(place)
    gc.disable()  # all that is made stays until it is printed: looking for garbage is a twentieth
    try:
        _show(path, first, last, "json" if json else form, why=why)
    finally:
        gc.enable()


def _show(path: Path, first: int, last: int | None, form: str, *, why: bool) -> None:
    with open_edits() as (archive, index):
        whole = blame_file(index, path)
        count = len(whole.lines)
        if first > max(1, count):
            raise NotFoundError(f"{str(path)!r} has {count} lines")
        blame = whole._replace(lines=whole.lines[first - 1 : last])
        if form == "agent-trace":
            from ..agent_trace import trace_record

            print_json(trace_record(archive, blame))
            return
        others: dict[int, Evidence] = {}
        if whole.top and (Path(whole.top) / ".agent-trace").is_dir():
            from ..agent_trace import evidence

            others = evidence(whole)
        if form == "json":
            print_json(_document(archive, blame, others))
        else:
            _print(archive, blame.lines, others, why=why or last is not None)


def _place(place: str) -> tuple[Path, int, int | None]:
    """The file, the first line and the last one (None: all)."""
    match = re.fullmatch(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?", place, re.DOTALL)
    if match is None or Path(place).is_file():
        return Path(place), 1, None
    first = int(match[2])
    last = int(match[3] or first)
    if not 1 <= first <= last:
        raise InvalidValueError(f"no lines {match[2]}-{match[3] or match[2]}; lines count from 1")
    return Path(match[1]), first, last


def _source(line: BlamedLine, others: dict[int, Evidence]) -> tuple[object, ...]:
    edit, git = line.attribution.edit, line.git
    return (
        (edit.conversation, edit.seq) if edit is not None else None,
        git.commit if git is not None else None,
        others.get(line.number) if edit is None else None,
    )


def _document(archive: Archive, blame: Blame, others: dict[int, Evidence]) -> dict[str, Any]:
    known: dict[tuple[str, int], Turn | None] = {}
    stretches = groupby(blame.lines, lambda line: (_source(line, others), line.attribution.certain))
    return {
        "path": blame.path,
        "repository": blame.top or None,
        "name": blame.name or None,
        "revision": blame.revision or None,
        "previous_names": list(blame.previous),
        "stretches": [_stretch(archive, list(group), others, known) for _, group in stretches],
    }


def _stretch(
    archive: Archive,
    lines: list[BlamedLine],
    others: dict[int, Evidence],
    known: dict[tuple[str, int], Turn | None],
) -> dict[str, Any]:
    first = lines[0]
    edit, git, told = first.attribution.edit, first.git, others.get(first.number)
    document: dict[str, Any] = {
        "start_line": first.number,
        "end_line": lines[-1].number,
        "certain": first.attribution.certain,
        "reason": first.attribution.reason or None,
        "commit": None,
        "conversation": None,
        "evidence": told._asdict() if told is not None and edit is None else None,
    }
    if git is not None:
        document["commit"] = {
            "hash": git.commit, "at": to_iso(git.at), "author": git.author, "subject": git.subject,
        }  # fmt: skip
    if edit is not None:
        why = why_of_edit(archive, edit, known)
        document["conversation"] = {
            "id": edit.conversation, "agent": edit.agent, "seq": edit.seq, "at": to_iso(edit.at),
            "workspace": edit.workspace, "kind": edit.kind, "model": why.model or None,
            "prompt": why.prompt, "prompt_seq": why.asked, "answer": why.answer,
        }  # fmt: skip
    return document


def _print(
    archive: Archive, lines: Sequence[BlamedLine], others: dict[int, Evidence], *, why: bool
) -> None:
    """Print stretches of one source and commit; a `?` marks the lines that are not certain."""
    known: dict[tuple[str, int], Turn | None] = {}
    width = len(str(lines[-1].number)) if lines else 1
    for _, group in groupby(lines, lambda line: _source(line, others)):
        stretch = list(group)
        print(style(one_line(_head(archive, stretch[0], others, known)), "2"))
        edit = stretch[0].attribution.edit
        if why and edit is not None:
            answer = why_of_edit(archive, edit, known).answer
            print(style(one_line(f"    {answer}", 300), "2"))
        for line in stretch:
            mark = " " if line.attribution.certain else "?"
            print(f"{mark} {line.number:{width}}  {one_line_of_code(line.text)}")
        reasons = dict.fromkeys(line.attribution.reason for line in stretch)
        if doubts := ", ".join(filter(None, reasons)):
            print(style(f"? uncertain: {one_line(doubts)}", "2"))


def _head(
    archive: Archive,
    line: BlamedLine,
    others: dict[int, Evidence],
    known: dict[tuple[str, int], Turn | None],
) -> str:
    edit, git, told = line.attribution.edit, line.git, others.get(line.number)
    commit = "uncommitted" if git is None else git.commit[:11]
    if edit is not None:
        source = f"{turn_name(edit.conversation, edit.seq)}  {edit.agent}  {local_time(edit.at)}"
        return f"{source}  {commit}  {one_line(why_of_edit(archive, edit, known).prompt, 60)}"
    if told is not None:
        return f"{told.contributor} {told.model} by {told.tool}'s record  {commit}  {told.url}"
    return f"not from an agent  {commit}"


def one_line_of_code(text: str) -> str:
    """A line as it is, its indentation too, with nothing a terminal would act on."""
    bare = text.expandtabs(4)
    indent = len(bare) - len(bare.lstrip(" "))
    return " " * indent + one_line(bare)
