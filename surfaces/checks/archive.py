"""The archive: does it open, and what is in it? `dejavu verify` looks deeper."""

from collections.abc import Iterator

from dejavu.record import ArchiveError, NotFound

from ..compose import open_archive
from ..paths import archive_location
from .finding import Finding, Grade


def archive() -> Iterator[Finding]:
    """One finding."""
    location = archive_location()
    try:
        with open_archive() as opened:
            counts = opened.counts()
    except NotFound:
        yield Finding(
            subject="archive", grade=Grade.NOTE, told=f"none yet at {location}",
            cure="`dejavu sync` reads what your agents have kept so far",
        )  # fmt: skip
        return
    except ArchiveError as error:
        yield Finding(
            subject="archive", grade=Grade.BAD, told=str(error), cure="see `dejavu verify`"
        )
        return
    megabytes = counts.stored_bytes / (1 << 20)
    told = f"{counts.conversations} conversations, {counts.turns} turns, {megabytes:.1f} MiB"
    yield Finding(
        subject="archive", grade=Grade.GOOD, told=f"{location}: {told}",
        facts={"path": location, **counts._asdict()},
    )  # fmt: skip
