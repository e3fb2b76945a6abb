"""Memory and recall over a folder of the caller's, for programs that use them as a library.

Nothing of the user's settings, archive or environment is read. O(1), but opening the archive.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive

from .history.embedder import Embed
from .history.search import Recall
from .memory.memory import Memory


class Folder(NamedTuple):
    """An archive in a folder, with its memories and the search over its conversations."""

    archive: Archive
    memory: Memory
    recall: Recall


@contextmanager
def open_folder(
    folder: str | Path,
    *,
    embed: Embed | None = None,
    space: str = "custom",
    without: Sequence[str] = (),
) -> Generator[Folder]:
    """The archive in `folder`, made if there is none, with its memories and its search.

    embed: a function from text to vector, for both; `space` names it, and must change when its
    vectors do. without: retrievers to leave out, such as "embedding".

    Raises:
        ArchiveError: it is damaged, or of a newer format.
        OSError: the folder cannot be made or written.
    """
    with Archive.open(folder) as archive:
        memory = Memory(archive, embed=embed, space=space)
        yield Folder(archive, memory, Recall(archive, without=without, embed=embed, space=space))


@contextmanager
def create_memory(
    folder: str | Path, *, embed: Embed | None = None, space: str = "custom"
) -> Generator[Memory]:
    """The memories in `folder`, as `open_folder`."""
    with open_folder(folder, embed=embed, space=space) as opened:
        yield opened.memory
