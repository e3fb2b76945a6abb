"""A stream that was piped in or kept in a file, into the archive.

Takes the bytes of an agent's machine-readable output; commits them exactly, with the turns they
hold. Where another vector tells the same conversation, all are heard together (`arbitrate`). Reads
in pieces: memory is bounded by what one conversation's turns need.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.config.clock import now
from dejavu.model import Conversation, Turn, UnreadableSessionError, Vector
from dejavu.providers import STREAMS, Kind, Source

from .merge.arbitrate import Telling, alone, arbitrate, known_as, remember
from .merge.match_anonymous import adopt
from .sync import Report

PIECE = 1 << 20
_HEAD = 4096


def ingest(
    archive: Archive,
    agent: str,
    pieces: Iterable[bytes],
    *,
    instance: str,
    workspace: str,
    argv: Sequence[str] = (),
    prompt: str | None = None,
    name: str = "-",
) -> Report:
    """Read a whole stream of `agent`.

    Raises:
        UnreadableSessionError: it is no such stream; says how it begins.
    """
    stream = STREAMS[agent]
    data = b"".join(pieces)
    if stream.sniff(data[:_HEAD]) < 0.5:
        raise UnreadableSessionError(
            f"{name}: no {agent} stream: it begins {data[:40]!r}; see `{agent}`'s option for "
            "machine-readable output"
        )
    source = Source(
        agent=agent,
        path=Path(name),
        instance=instance,
        kind=Kind.APPEND,
        workspace=workspace,
        # The same bytes are the same source: ingesting them twice changes nothing.
        name="stream:" + blake2b(data, digest_size=12).hexdigest(),
    )
    parser = stream.parser(source, argv=argv, prompt=prompt)
    parser.feed(data, 0)
    parser.close()
    found: dict[str, tuple[Conversation, list[Turn]]] = {}
    for update in parser.take():
        head = msgspec.structs.replace(update.conversation, captured_at=now())
        before = found.get(head.id, (head, []))[1]
        found[head.id] = (head, [*before[: update.start], *update.turns])
    report = Report(sources=1, read=1, bytes=len(data), conversations=set(found))
    report.drift += parser.drift
    telling = Telling(Vector.STREAM, source)
    names = {identity: known_as(archive, identity) for identity in found}
    remember(archive, telling)
    archive.commit(
        Batch(
            raw={source.key: [RawDelta(0, data, reset=archive.raw_length(source.key) > 0)]},
            updates=[
                TurnUpdate(head.with_turns(tuple(turns)), 0, turns, source.key)
                for head, turns in found.values()
                if names[head.id] == head.id and alone(archive, head.id, telling)
            ],
            states={source.key: parser.state()},
            links={source.key: set(names.values())},
        )
    )
    report.conversations = adopt(archive, telling, names.values())
    for identity in report.conversations:
        arbitrate(archive, identity)
    return report
