"""Tools' results checked for secrets while the agent waits: one socket, one thread.

`interfaces.hooks.guard` sends a payload with the secrets of its environment, which the daemon
does not know; the answer is what to print and what to keep. Neither is kept here or written
anywhere. A separate thread, because the prompts' server may be busy with an index for tens of
milliseconds. Costs O(result).

Tested in: tests/services/daemon/test_daemon.py
"""

import contextlib
import logging
from functools import lru_cache

from dejavu.archive.redactor import redaction_key
from dejavu.model import DejavuError
from dejavu.redact import Redactor, secret_values

from ..guard import guarded
from ..hook_protocol import (
    ANSWERED,
    GUARD,
    GUARD_LARGEST,
    GUARD_SOCKET,
    NOT_ANSWERED,
    VARIABLE,
    decode_request,
)
from .socket_thread import SocketThread

_STALL = 0.5  # seconds for which a request may rest

_log = logging.getLogger(__name__)


class GuardServer(SocketThread):
    """One server, in the working folder of the daemon."""

    def __init__(self) -> None:
        super().__init__("guard", GUARD_SOCKET, largest=2 * GUARD_LARGEST, stall=_STALL)

    def prepare(self) -> None:
        """Load the rules now, not when a hook waits."""
        with contextlib.suppress(DejavuError, OSError):
            _redactor(())

    def answer(self, request: bytes) -> bytes:
        """What to print and what to keep, as `answer` has it."""
        return answer(request)


def answer(request: bytes) -> bytes:
    """Return the answer to a request: how long the output is, the output, what to keep.

    A request that is none, came too late or cannot be judged is not answered: the hook then judges
    for itself, or withholds.
    """
    try:
        _, _, fields, data = decode_request(request, GUARD)
        agent = fields.pop("agent", "")
        environ = {name.removeprefix(VARIABLE): value for name, value in fields.items()}
        redactor = _redactor(tuple(secret_values(environ)))
        result = guarded(agent, data, redactor.redact)
    except (DejavuError, OSError, ValueError, RecursionError):
        return NOT_ANSWERED
    except Exception:  # a fault of ours must cost one answer, not the server
        _log.exception("a tool's result could not be checked")
        return NOT_ANSWERED
    return b"%s%d\n%s%s" % (ANSWERED, len(result.output), result.output, result.payload)


@lru_cache(8)
def _redactor(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(redaction_key(), secrets)
