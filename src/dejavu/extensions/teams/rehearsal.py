"""A write that is taken back: whether this login can archive a workspace that no one has seen yet.

Goes through all that a sync does on a server (raw, turns, links, relations, every trigger), to the end of the
transaction, and leaves nothing. Costs a few round trips, and waits briefly for the writer's place.

Must not be used on an archive in a folder, which has no transaction to take back.

Tested in: tests/extensions/teams/test_archiving_finding.py
"""

import time
import uuid

from dejavu.archive.backends.transaction import Writer
from dejavu.archive.commit import CommitApplier
from dejavu.archive.log import load_meta
from dejavu.model import ArchiveError, Batch, Conversation, RawDelta, Role, Text, Turn, TurnUpdate

from .postgres_backend import PostgresBackend

_PATIENCE = 2.0  # seconds for the writer's place: others may be archiving


def rehearse(backend: PostgresBackend, instance: str) -> None:
    """Archive a conversation of `instance` in a new workspace, and take it back.

    Raises:
        ArchiveLockedError: others are writing.
        ArchiveError: this login may not; the words say what the server refused.
    """
    name, now = f"rehearsal-{uuid.uuid4().hex}", time.time()
    turns = (Turn(seq=0, role=Role.USER, parts=(Text("a rehearsal"),), at=now),)
    conversation = Conversation(
        id=name, agent="dejavu", native_id=name, workspace=f"/{name}", instance=instance,
        started_at=now,
    ).with_turns(turns)  # fmt: skip
    batch = Batch(
        raw={name: [RawDelta(0, b"{}\n")]},
        updates=[TurnUpdate(conversation, 0, turns)],
        cursors={name: b"3"},
        links={name: [name]},
    )

    def change(txn: Writer) -> None:
        if (meta := load_meta(txn)) is None:
            raise ArchiveError(
                f"the archive {backend.name} has no record that describes it; run `dejavu archive verify`"
            )
        applier = CommitApplier(txn, meta, now)
        applier.apply(batch)
        applier.finish()

    backend.rehearse(change, _PATIENCE)
