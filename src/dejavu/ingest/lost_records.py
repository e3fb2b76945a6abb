"""Small records that an archive's damage took: which are rewritten, and what to do about others.

`restore_lost` writes what can be told from other records; `cure` is the sentence for a person. A
record is named by its namespace, a colon and its key. O(records lost).

Tested in: tests/ingest/test_repair.py
"""

from collections.abc import Iterable

from dejavu.archive import Archive
from dejavu.model import Vector

from .channel import Channel, load_merged, load_session_log, save_merged, save_session_logs

_WRITTEN_ANEW = frozenset(
    (
        "classified",
        "drift",
        "copies",
        "failing",
        "looks",
        "machines",
        "secrets",
        "source_failures",
        "verdicts",
        "withheld",
    )
)
"""Namespaces whose records the next sync, scan or question writes again from what is archived."""
_CURES = {
    "sources": (
        "`dejavu sync` writes it again while the agent's file is there; its turns are kept, and "
        "`dejavu archive reparse` passes them over until then"
    ),
    "tellings": (
        "its turns are kept; they are merged with other sources again when it brings something new"
    ),
    "aliases": "its turns are kept; what comes of it from now on may stand as a conversation apart",
    "memories": (
        "`dejavu memory list` shows what is left; `dejavu memory add` writes it again, or a backup has it"
    ),
    "rationale": "`dejavu memory why` writes it again",
    "rationale_log": "the rationale is kept; a backup may have its place in the index",
    "deleted": "the conversation that was deleted cannot be brought back",
    "injections": "if you had switched memory off for a workspace, switch it off again",
}
_OTHER = "a backup may have it (`dejavu archive restore`)"


def restore_lost(archive: Archive, lost: Iterable[str]) -> tuple[str, ...]:
    """Write the lost records that others tell; return the names of those that stay lost."""
    gone: list[str] = []
    for name in lost:
        namespace, _, key = name.partition(": ")
        if namespace == "secrets":
            archive.namespace(namespace).delete(b"m")  # without it everything is scanned again
        if namespace in _WRITTEN_ANEW or name.startswith("withheld: d"):
            continue  # a digest is the key of its record: it was put back before anything was read
        # A session log that is merged with other sources has a record in both namespaces.
        log, merged = load_session_log(archive, key), load_merged(archive, key)
        if namespace == "sources" and log is None and merged is not None:
            if merged.vector is Vector.NATIVE:
                save_session_logs(archive, [merged.source])
                continue
        elif namespace == "tellings" and merged is None and log is not None:
            save_merged(archive, Channel(Vector.NATIVE, log))
            continue
        elif {"sources": log, "tellings": merged}.get(namespace) is not None:
            continue  # reading its file again wrote it
        gone.append(name)
    return tuple(gone)


def cure(name: str) -> str:
    """What is to be done about a record that stays lost."""
    return _CURES.get(name.partition(": ")[0], _OTHER)
