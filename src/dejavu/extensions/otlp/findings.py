"""What `dejavu doctor` says of the port that agents send their telemetry to: whether another user has it.

Asks the kernel's tables (Linux); elsewhere there is no answer. Costs O(sockets of this machine).
"""

import os
import re
from collections.abc import Iterator

from dejavu.capsule.peer_identity import port_user, user_name
from dejavu.interfaces.doctor.finding import Finding, Severity

PORT = 4318
"""Where `dejavu otlp` listens unless told otherwise."""
_VARIABLES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)  # fmt: skip
_LOOPBACK = re.compile(r"https?://(?:127\.[0-9.]+|localhost|\[::1\]):([0-9]{1,5})(?:/|$)")


def telemetry_port() -> Iterator[Finding]:
    """Name the user who has a port that agents send to, or that `dejavu otlp` would take."""
    told = {
        int(found[1]) for name in _VARIABLES if (found := _LOOPBACK.match(os.environ.get(name, "")))
    }
    for port in sorted({PORT, *told}):
        user = port_user(port)
        if user is None or user in (0, os.geteuid()):
            continue
        sends = port in told
        yield Finding(
            subject="telemetry",
            severity=Severity.ERROR if sends else Severity.WARNING,
            message=f"port {port} belongs to {user_name(user)}"
            + (", and your agents send telemetry there" if sends else ", so `dejavu otlp` cannot have it"),
            fix="run `dejavu otlp --port 0` and set the endpoint that it prints",
            facts={"port": port, "user": user},
        )  # fmt: skip


CHECKS = (telemetry_port,)
