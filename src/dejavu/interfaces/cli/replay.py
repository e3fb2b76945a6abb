"""`dejavu replay FILE`: a recording through screen and scrapers, as if it happened now.

For asciicast v2 or raw bytes, prints the status changes and turns that were read, or the frames
one by one, or writes an animation (SVG, GIF), or names the first frame where another terminal
shows something else. Costs O(bytes).
"""

from __future__ import annotations

import re
import sys
from contextlib import closing
from itertools import islice, takewhile
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.capsule import Recording
from dejavu.config.extras import extra_hint
from dejavu.export.replay import (
    PEERS,
    Frame,
    Playback,
    Viewer,
    animate,
    as_svg,
    compare,
    text_rows,
    view,
)
from dejavu.model import ConfigError, InvalidValueError, part_to_dict
from dejavu.providers.registry import agent_of
from dejavu.scrapers import Packs, SessionReader
from dejavu.sessions.user_packs import operator_packs

from ..command_line.output import coloured, one_line, print_json, print_jsonl, print_note, style
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..filters import did_you_mean, known_agents

_SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")
_MAX_FRAMES = 2000
"""Frames of an animation, which is held in memory."""

if TYPE_CHECKING:
    from ..command_line.parameters import Json, JsonLines, Limit


def size_of(text: str | None) -> tuple[int, int] | None:
    """Columns and lines from `120x40`; raise InvalidValueError for anything else."""
    if text is None:
        return None
    match = _SIZE.fullmatch(text)
    if not match or 0 in (int(match[1]), int(match[2])):
        raise InvalidValueError(f"{text!r} is not a size; write columns x lines, such as 120x40")
    return int(match[1]), int(match[2])


def opened(
    file: Path, agent: str | None, size: tuple[int, int] | None, *, every_frame: bool = True
) -> Playback:
    """The recording in `file` and a reader of its size, with nothing read yet.

    `every_frame`: also those in which only a spinner turned, as a person would see them; a live
    session is read without most of them.

    Raises:
        InvalidValueError: it is a pipe or a device, which cannot be read twice.
    """
    if file.exists() and not file.is_file():
        raise InvalidValueError(
            f"{file} is a pipe or a device, and a recording is read twice: save it in a file first"
        )
    recording = Recording(file)
    columns, lines = size or (recording.columns or 80, recording.lines or 24)
    reader = SessionReader(
        agent or _named(recording), columns, lines, packs=packs_for(agent or "auto"),
        every_frame=every_frame,
    )  # fmt: skip
    return Playback(recording, reader, resizing=size is None)


def packs_for(agent: str) -> Packs:
    """The rule packs, for an agent that one of them or a provider knows, or `auto`.

    Raises:
        InvalidValueError: the agent is unknown; the generic pack would be taken for its own.
    """
    packs = operator_packs()
    if agent not in packs and agent not in ("auto", *known_agents()):
        near = did_you_mean(agent, packs.agents) or f"; known: {', '.join(packs.agents)}"
        raise InvalidValueError(f"--agent: unknown agent {agent!r}{near}")
    return packs


def read_through(
    file: Path, agent: str | None, size: tuple[int, int] | None, *, until: float | None = None
) -> SessionReader:
    """A reader that was fed `file`: the whole of it, or what was there `until` so many seconds."""
    playback = opened(file, agent, size, every_frame=False)
    last = inf if until is None else until
    begun = takewhile(lambda event: getattr(event, "at", 0.0) <= last, playback.recording)
    for _ in playback.looks(begun):
        pass
    _print_faults(playback)
    return playback.reader


def _print_faults(playback: Playback) -> None:
    for fault in playback.recording.faults:
        print_note(f"dejavu: {fault}")


def _named(recording: Recording) -> str:
    """The agent a recording names in its title, or `auto`."""
    return agent_of(recording.title.split()) or "auto"


def command(
    file: Annotated[
        Path,
        Argument(exists=True, dir_okay=False, help="asciicast v2, or raw terminal bytes."),
    ],
    agent: Annotated[
        str | None, Option("--agent", "-a", help="The agent of the recording.")
    ] = None,
    size: Annotated[
        str | None,
        Option("--size", help="Columns x lines (120x40), if the file doesn't say."),
    ] = None,
    frames: Annotated[
        bool,
        Option("--frames", help="Step through the frames; without a terminal print them."),
    ] = False,
    diff_against: Annotated[
        str | None,
        Option(
            "--diff-against",
            metavar="xterm|tmux",
            help="Compare with this terminal; exit 1 at the first difference.",
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        Option("--svg", metavar="OUT", help="Write an animation for browsers; OUT is replaced."),
    ] = None,
    gif: Annotated[
        Path | None,
        Option("--gif", metavar="OUT", help="Write an animation as GIF (extra `pictures`)."),
    ] = None,
    idle: Annotated[
        float, Option("--idle", min=0.1, help="Longest pause in an animation, in seconds.")
    ] = 2.0,
    limit: Limit = 10_000,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Play a recording and show what is read from it."""
    if sum(map(bool, (frames, diff_against, svg, gif))) > 1:
        raise InvalidValueError("choose one of --frames, --diff-against, --svg and --gif")
    if jsonl and not frames:
        raise InvalidValueError("--jsonl goes with --frames")
    if diff_against is not None and diff_against not in PEERS:
        raise InvalidValueError(
            f"--diff-against: {diff_against!r} is not one of {', '.join(PEERS)}"
        )
    if frames:
        _frames(opened(file, agent, size_of(size)), limit, json, jsonl)
    elif out := svg or gif:
        _animate(opened(file, agent, size_of(size)), out, svg is not None, idle, limit)
    elif diff_against:
        _difference(opened(file, agent, size_of(size)), diff_against, json)
    else:
        _session(read_through(file, agent, size_of(size)), json)


def _session(reader: SessionReader, json: bool) -> None:
    """Status changes and turns."""
    if json:
        print_json(
            {
                "agent": reader.agent,
                "columns": reader.terminal.columns,
                "lines": reader.terminal.lines,
                "status": [
                    {"at": round(change.at, 3), "state": str(change.state), "rule": change.rule}
                    for change in reader.status
                ],
                "turns": [
                    {"role": str(turn.role), "parts": [part_to_dict(part) for part in turn.parts]}
                    for turn in reader.turns
                ],
                "history": len(reader.terminal.history),
                "gaps": msgspec.to_builtins(reader.gaps),
            }
        )
        return
    for change in reader.status:
        print(f"{change.at:9.2f}s  {change.state:8}  {style(one_line(change.rule or '', 60), '2')}")
    for turn in reader.turns:
        print()
        print(f"{style(str(turn.role), '1')}")
        for text in (
            turn.text or " · ".join(part_to_dict(p)["type"] for p in turn.parts)
        ).splitlines():
            print(f"  {one_line(text)}")


def _frames(playback: Playback, limit: int, json: bool, jsonl: bool) -> None:
    """The frames: stepped through on a terminal, else printed."""
    if sys.stdin.isatty() and sys.stdout.isatty() and not (json or jsonl):
        viewer = Viewer(playback.frames(), limit, colours=coloured())
        raise ExitError(view(viewer, sys.stdin.fileno(), sys.stdout.fileno()))
    source = playback.frames()
    frames = islice(source, limit)
    if json:
        print_json({"agent": playback.reader.agent, "frames": [_plain(frame) for frame in frames]})
    elif jsonl:
        print_jsonl(map(_plain, frames))
    else:
        for frame in frames:
            size = f"{frame.snapshot.columns}x{frame.snapshot.lines}"
            head = (
                f"frame {frame.number} · {frame.at:.2f}s · {frame.state} by {frame.rule} · {size}"
            )
            print(style(one_line(head), "1"))
            print("\n".join((*text_rows(frame.snapshot), "")))
    _print_faults(playback)
    if next(source, None):
        print_note(f"dejavu: stopped after {limit} frames; --limit shows more")


def _animate(playback: Playback, out: Path, svg: bool, idle: float, limit: int) -> None:
    """The frames as an animation; the file is 0600 until you decide otherwise."""
    most = min(limit, _MAX_FRAMES)
    source = animate(playback.frames(), idle=idle)
    pictures = list(islice(source, most))
    if svg:
        out.touch(mode=0o600)
        title = playback.recording.title or playback.reader.agent
        with out.open("w", encoding="utf-8") as file:
            file.writelines(as_svg(pictures, f"A recording of {one_line(title, 80)}"))
    else:
        try:
            from dejavu.export.replay.gif import write_gif
        except ImportError:
            raise ConfigError(
                f"a GIF needs the extra pictures: {extra_hint('pictures')}; --svg needs nothing"
            ) from None
        out.touch(mode=0o600)
        write_gif(pictures, out)
    _print_faults(playback)
    seconds = sum(picture.seconds for picture in pictures)
    print_note(f"{len(pictures)} frames, {seconds:.1f} s: {out}")
    if next(source, None):
        print_note(f"dejavu: stopped after {most} frames")


def _plain(frame: Frame) -> dict[str, Any]:
    """A frame for machines; rows and columns are counted from 0."""
    snapshot = frame.snapshot
    return {
        "frame": frame.number,
        "at": round(frame.at, 3),
        "state": str(frame.state),
        "rule": frame.rule,
        "offset": frame.offset,
        "columns": snapshot.columns,
        "lines": snapshot.lines,
        "cursor": list(snapshot.cursor),
        "title": snapshot.title,
        "alternate": snapshot.alternate,
        "rows": [row.rstrip() for row in snapshot.rows],
    }


def _difference(playback: Playback, name: str, json: bool) -> None:
    """Where a peer first shows something else; exit 1 if it does."""
    terminal = playback.reader.terminal
    columns, lines = terminal.columns, terminal.lines
    with closing(PEERS[name](columns, lines)) as peer:
        verdict, theirs = compare(playback, peer, columns, lines), peer.name
    difference = verdict.difference
    _print_faults(playback)
    if json:
        plain_verdict = msgspec.to_builtins(verdict)
        print_json({"peer": theirs, "equal": difference is None, **plain_verdict})
    elif difference is None:
        print(f"no difference: {verdict.compared} frames compared with {theirs}")
    else:
        what = "the cursor" if difference.cursor else f"row {difference.row} (the top one is 0)"
        position = f"{difference.at:.2f}s, bytes {difference.before} to {difference.offset}"
        print(f"frame {difference.frame} differs in {what}, at {position}")
        for who, text in (("dejavu", difference.ours), (theirs, difference.theirs)):
            print(f"  {who:8} {one_line(f'|{text}|')}")
    if difference is not None:
        raise ExitError(1)
