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

import msgspec

from dejavu.model import CorruptArchiveError

from ..backends import layout
from ..backends.backend import Backend
from ..backends.transaction import Writer
from ..keys import META, TABLES
from ..log import bare_meta, written_format
from ..records import FORMAT

Step = Callable[[Writer], None]
_PAGE = 256


def _add_checksums(txn: Writer) -> None:
    """From 1 to 2: a checksum around every value, and `incarnation` is called `archive_id`."""
    meta = bare_meta(txn)
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
    txn.put("meta", META, msgspec.msgpack.encode({**bare_meta(txn), "format": at + 1}))
