"""The ladder: from each old format to the next, one step a format, one transaction a step.

Takes a store of an older format; leaves one of the newest. A step is a function of a write
transaction, listed in `STEPS` under the format it starts from; it reads values without their
schema, because the records of today no longer describe them. A crash between steps
leaves a whole store of the format in between; opening goes on from there.

A real store of each format is kept under `golden/archive/format-N`, written once by
`golden/archive/write.py` and never again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from dejavu.model import CorruptArchiveError

from ..backends import layout
from ..backends.backend import Backend
from ..backends.transaction import Reader, Writer
from ..keys import META
from ..records import FORMAT

Step = Callable[[Writer], None]

# Format 1 is the first: there is nothing to climb from yet.
STEPS: Mapping[int, Step] = {}


def written_format(txn: Reader) -> int | None:
    """The format the store says it has; None in a fresh one."""
    value = txn.get("meta", META)
    if value is None:
        return None
    meta: Any = msgspec.msgpack.decode(value)
    return int(meta["format"])


def migrate(
    backend: Backend, steps_by_format: Mapping[int, Step] = STEPS, newest: int = FORMAT
) -> int:
    """Bring the store to `newest`; gives how many steps that took.

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
    value = txn.get("meta", META)
    meta: Any = msgspec.msgpack.decode(value or b"\x80")
    txn.put("meta", META, msgspec.msgpack.encode({**meta, "format": at + 1}))
