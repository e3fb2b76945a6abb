"""One wrapped session: the capsule with its observer, its control socket and its recording.

Takes the agent's command and who the session is; gives the agent's exit code and the sentences
the user should read afterwards. Light imports only (see `run`).
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from dejavu.capsule import HEADLESS, CastWriter, Observer, Session, Size, mode_of
from dejavu.config.paths import private_folder, state_home

OBSERVER = (sys.executable, "-m", "dejavu.sessions.observer")


def wrap(
    command: list[str],
    *,
    header: dict[str, Any],
    folder: Path | None,
    headless: bool,
    size: tuple[int, int] | None,
    record: Path | None,
) -> tuple[int, list[str]]:
    """Run `command`; gives its exit code and what to tell the user.

    Raises:
        SpawnError: it could not be started.
    """
    notes: list[str] = []
    sinks: list[Any] = []
    observer: Observer | None = None
    if folder is not None:
        observer = Observer(OBSERVER, log=_log(notes))
        sinks.append(observer)
    if record is not None:
        try:
            sinks.append(CastWriter(record))
        except OSError as error:
            notes.append(f"not recorded: {record}: {error.strerror}")
    environment = {**os.environ, "DEJAVU_SESSION": str(header["id"])}
    if headless:
        environment.setdefault("TERM", "xterm-256color")
    session = Session(
        command,
        environment,
        mode=HEADLESS if headless else mode_of(),
        size=Size(*size) if size else None,
        echo=1 if headless else None,
        sinks=sinks,
        control=str(folder / "control") if folder is not None else None,
        header=header,
    )
    code = session.run()
    notes += session.notes
    if observer is not None:
        notes += _last_word(observer)
    return code, notes


def _log(notes: list[str]) -> str:
    """The observer's log: what went wrong in it, never what it saw."""
    try:
        return str(private_folder(state_home()) / "observer.log")
    except OSError as error:
        notes.append(f"no log: {error.filename}: {error.strerror}")
        return os.devnull


def _last_word(observer: Observer) -> list[str]:
    if not observer.report:
        return (
            []
            if not observer.done
            else ["the observer ended without a report; see `dejavu doctor`"]
        )
    try:
        told: Any = json.loads(observer.report)
    except ValueError:
        return ["the observer's report is damaged; see `dejavu doctor`"]
    return [str(sentence) for sentence in told.get("notes", [])]
