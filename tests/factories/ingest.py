"""Lines pushed into an archive, as recorders and hooks push them."""

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.ingestor import Ingestor
from dejavu.model import RawDelta


def push(archive: Archive, channel: Channel, data: bytes) -> set[str]:
    """Commit whole lines at the end of a source; the conversations that they belong to."""
    return Ingestor(archive).commit(
        channel, RawDelta(archive.sources.raw_length(channel.key), data)
    )
