"""`dejavu sync --homes DIR`: import every agent's history below a tree of home folders.

Exit code 1 if anything was left behind; what could not be read is named.
"""

from dataclasses import replace
from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.config.settings import instance_of, load_config
from dejavu.ingest.final_sync import sync_final
from dejavu.ingest.find_homes import find_homes
from dejavu.ingest.sync import Report
from dejavu.model import InvalidValueError

from .output import one_line, print_json, print_note
from .stdio import ExitError
from .sync_report import print_final, summary_line, to_dict


def sync_below(root: Path, workspace: str | None, *, json: bool) -> None:
    """Import every agent's history below a folder of home folders.

    Raises:
        InvalidValueError: `root` is not a folder.
        ExitError: something was left behind.
    """
    if not root.is_dir():
        what = f"{root} is not a folder" if root.exists() else f"{root}: no such folder"
        raise InvalidValueError(what)
    instances: list[str] = []
    unreadable: list[OSError] = []
    total, config = Report(), load_config()
    with open_archive(write=True) as archive:
        for below in find_homes(root.absolute(), workspace, closed=unreadable.append):
            home = replace(below, instance=instance_of(below.instance, config))
            report = sync_final(archive, [home])
            instances.append(home.instance)
            total.merge(report)
            if not json:
                print(f"{one_line(home.instance)}: {summary_line(report)}")
    total.unreadable += [(str(error.filename), str(error)) for error in unreadable]
    if not instances:
        print_note(f"no agent's session files were found below {root}")
    if json:
        print_json({"homes": instances, **to_dict(total)})
    elif instances or unreadable:
        print_final(total)
    if total.unreadable:
        raise ExitError(4 if total.unkept else 1)
