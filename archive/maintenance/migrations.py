"""The ladder: from each old format to the next, one step a format, one transaction a step.

`migrate` brings an older store to the newest format. A step is a function of a write transaction,
listed in `STEPS` under the format it starts from; it reads values without their schema, because
the records of today no longer describe them. A crash between steps leaves a whole store of the
format in between; opening continues from there.

A real store of each format is kept under `golden/archive/format-N`, written once by
`golden/archive/write.py` and never again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from dejavu.model import ArchiveError, CorruptArchiveError

from ..backends import layout
from ..backends.backend import Backend
from ..backends.transaction import Reader, Writer, is_wrapped, unwrap
from ..keys import META, TABLES
from ..records import FORMAT

Step = Callable[[Writer], None]
UNFINISHED = b"move"
"""Next to the archive's own record, which is not there yet: the position of a copy (`copy_store.py`)."""
PART = -1
"""The format of what holds `UNFINISHED`: no archive yet."""
_META = TABLES["meta"] + META
_PAGE = 256


def _add_checksums(txn: Writer) -> None:
    """From 1 to 2: a checksum around every value, and `incarnation` is called `archive_id`."""
    meta = _meta(txn)
    meta["archive_id"] = meta.pop("incarnation", b"")
    txn.put_stored("meta", META, msgspec.msgpack.encode(meta))
    for table in TABLES:
        low = b""
        # A page at a time: no cursor survives the writes, and memory stays at one page.
        while page := list(islice(txn.stored_items(table, low), _PAGE)):
            for key, value in page:
                txn.put(table, key, value)
            low = page[-1][0] + b"\0"


STEPS: Mapping[int, Step] = {1: _add_checksums}
"""By the format they start from."""


def written_format(txn: Reader) -> int | None:
    """Return the format the store says it has; None in a fresh one, `PART` in half a copy.

    Raises:
        CorruptArchiveError: its own record cannot be read.
    """
    if txn.stored("meta", META) is None:
        return None if txn.stored("meta", UNFINISHED) is None else PART
    try:
        return int(_meta(txn)["format"])
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
        raise CorruptArchiveError(
            f"the archive's own record cannot be read ({error}); run `dejavu archive verify --repair`"
        ) from error


def refuse_part(name: str, written: int | None) -> None:
    """Refuse half a copy, which would be taken for a fresh store.

    Raises:
        ArchiveError: it is one.
    """
    if written == PART:
        raise ArchiveError(
            f"{name} holds a part of an archive: the `dejavu archive migrate` into it has not ended; call it "
            "again, and it continues"
        )


def _meta(txn: Reader) -> dict[str, Any]:
    """The archive's own record without its schema; format 1 had no checksum around it."""
    value = txn.stored("meta", META) or b"\x80"
    meta: Any = msgspec.msgpack.decode(unwrap(_META, value) if is_wrapped(value) else value)
    return dict(meta)


def migrate(
    backend: Backend, steps_by_format: Mapping[int, Step] = STEPS, newest: int = FORMAT
) -> int:
    """Migrate the store to format `newest`; return the number of steps run.

    Raises:
        NewerFormatError: the store is above `newest`; nothing was touched.
        CorruptArchiveError: a step is missing for its format.
    """
    steps = 0
    while True:
        at = backend.read(written_format)
        if at is None or at == newest:
            return steps
        layout.refuse_newer(backend.name, at, newest)
        step = steps_by_format.get(at)
        if step is None:
            raise CorruptArchiveError(
                f"the archive {backend.name} says format {at}, which never was"
            )
        backend.write(partial(_take, at=at, step=step))
        with backend.writer():
            backend.mark(at + 1)
        steps += 1


def _take(txn: Writer, at: int, step: Step) -> None:
    if written_format(txn) != at:
        return  # another process took the step while we waited for the writer's place
    step(txn)
    txn.put("meta", META, msgspec.msgpack.encode({**_meta(txn), "format": at + 1}))
