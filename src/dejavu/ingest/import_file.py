"""Files that a person hands over into the archive: exports, trajectories, transcripts, databases.

A folder is looked through for them, all that is below. What is no file of a known form, and items of
an export that hold no conversation, are named in the report; a file that was read before is read
again for a workspace that it did not have. Nothing is written into what was handed over. Costs
O(bytes of the files).

Tested in: tests/providers/imports/test_imports.py
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import ProviderError
from dejavu.providers.find_paths import folders_below
from dejavu.providers.imports import SKIPPED, form_of, import_provider, is_plain_text, source_of

from .channel import load_session_log
from .importer import Importer
from .report import Report

_SUFFIXES = frozenset({".md", ".markdown", ".json", ".jsonl", ".zip", ".vscdb"})


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    *,
    form: str | None = None,
    instance: str = "local",
    workspace: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Read those files, and the files in those folders; `form` says what they are."""
    with Importer(archive, clock=clock) as importer:
        for path, named in _files(paths):
            try:
                if not named and form is None and is_plain_text(path):
                    reason = "no heading in it says who speaks"
                else:
                    reason = _import(importer, path.absolute(), form, instance, workspace)
            except (OSError, ProviderError) as error:
                reason, named = str(error), True
            if reason:
                report = importer.report
                (report.unreadable if named else report.skipped).append((str(path), reason))
    return importer.report


def _import(
    importer: Importer, path: Path, form: str | None, instance: str, workspace: str | None
) -> str:
    """Read one file; why there is nothing to read, if so."""
    told = form or form_of(path)
    provider = None if told is None else import_provider(told)
    if told is None or provider is None:
        return (
            "it is not an export, transcript or trajectory that this version knows; "
            "`dejavu export ID -f json` writes one that it reads"
        )
    sources = source_of(path, told, instance, workspace)
    known = Counter(importer.report.drift)
    for source in sources:
        before = load_session_log(importer.archive, source.key) if workspace else None
        importer.read(provider, source, afresh=before is not None and before.workspace != workspace)
    for item in importer.report.drift - known:
        if item.startswith(SKIPPED):
            importer.report.skipped.append((str(path), item.removeprefix(SKIPPED)))
    return "" if sources else "it holds no conversation"


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was named itself; links in folders are not followed."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        for folder in folders_below(path):
            with suppress(OSError):
                for file in sorted(folder.iterdir()):
                    if file.suffix.lower() in _SUFFIXES and not file.is_dir():
                        yield file, False
