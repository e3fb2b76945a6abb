"""Files that a person hands over into the archive: exports, trajectories, transcripts, databases.

A folder is looked through for them, one level or all below. What is no file of a known form is
named in the report; nothing is written into what was handed over. Costs O(bytes of the files).
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import ProviderError
from dejavu.providers.imports import form_of, import_provider, source_of

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
                reason = _import(importer, path.absolute(), form, instance, workspace)
            except (OSError, ProviderError) as error:
                reason, named = str(error), True
            if reason and named:
                importer.report.unreadable.append((str(path), reason))
    return importer.report


def _import(
    importer: Importer, path: Path, form: str | None, instance: str, workspace: str | None
) -> str:
    """Read one file; why there is nothing to read, if so."""
    told = form or form_of(path)
    provider = None if told is None else import_provider(told)
    if told is None or provider is None:
        return "it is no export, transcript or trajectory of a known form"
    sources = source_of(path, told, instance, workspace)
    for source in sources:
        importer.read(provider, source)
    return "" if sources else "it holds no conversation"


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was named itself; links in folders are not followed."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        for folder, names, files in os.walk(path):
            names.sort()
            for name in sorted(files):
                if Path(name).suffix.lower() in _SUFFIXES:
                    yield Path(folder, name), False
