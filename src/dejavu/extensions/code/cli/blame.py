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
from dejavu.model.turn_name import turn_name

from ..blame import Blame, BlamedLine, blame_file
from ..open_index import open_edits
from ..why import why_of_edit

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.interfaces.command_line.options import Json
    from dejavu.model import Turn

    from ..agent_trace import Evidence

_FORMATS = ("text", "json", "agent-trace")


def command(
    place: Annotated[
        str,
        Argument(metavar="PATH[:LINES]", help="A file, or some of its lines: a.py:7, a.py:7-9."),
    ],
    why: Annotated[
        bool, Option("--why", help="Show the prompt and the answer of each stretch.")
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
        stretches = [
            list(group) for _, group in groupby(blame.lines, lambda line: _source(line, others))
        ]
        if form == "json":
            print_json(_document(archive, blame, stretches, others))
        else:
            _print(archive, stretches, others, why=why or last is not None)


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
        line.attribution.certain,
        git.commit if git is not None else None,
        others.get(line.number) if edit is None else None,
    )


def _document(
    archive: Archive, blame: Blame, stretches: list[list[BlamedLine]], others: dict[int, Evidence]
) -> dict[str, Any]:
    known: dict[tuple[str, int], Turn | None] = {}
    return {
        "path": blame.path,
        "repository": blame.top or None,
        "name": blame.name or None,
        "revision": blame.revision or None,
        "previous_names": list(blame.previous),
        "stretches": [_stretch(archive, lines, others, known) for lines in stretches],
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
    archive: Archive, stretches: list[list[BlamedLine]], others: dict[int, Evidence], *, why: bool
) -> None:
    known: dict[tuple[str, int], Turn | None] = {}
    width = len(str(stretches[-1][-1].number)) if stretches else 1
    for lines in stretches:
        first = lines[0]
        edit, git, told = first.attribution.edit, first.git, others.get(first.number)
        commit = "uncommitted" if git is None else git.commit[:11]
        mark = "" if first.attribution.certain else "? "
        if edit is not None:
            source = f"{turn_name(edit.conversation, edit.seq)} {edit.agent} {local_time(edit.at)}"
            asked = one_line(why_of_edit(archive, edit, known).prompt, 60)
        elif told is not None:
            mark, source = "? ", f"{told.contributor} {told.model} by {told.tool}'s record"
            asked = told.url
        else:
            source, asked = "not from an agent", ""
        header = f"{mark}{source}  {commit}  {asked}"
        print(style(one_line(header), "2"))
        if why and edit is not None:
            answer = why_of_edit(archive, edit, known).answer
            print(style(one_line(f"    {answer}", 300), "2"))
        if first.attribution.reason:
            print(style(one_line(f"    not certain: {first.attribution.reason}"), "2"))
        for line in lines:
            print(f"{line.number:{width}}  {one_line_of_code(line.text)}")


def one_line_of_code(text: str) -> str:
    """A line as it is, its indentation too, with nothing a terminal would act on."""
    bare = text.expandtabs(4)
    indent = len(bare) - len(bare.lstrip(" "))
    return " " * indent + one_line(bare)
