"""What `dejavu doctor` says of a telemetry port that another user has."""

import socket
from collections.abc import Iterator

import pytest
from tests.other_user import UID, needs_other_user, start

from dejavu.extensions.otlp.findings import CHECKS
from dejavu.interfaces.doctor.finding import Finding, Severity

_LISTEN = """
import socket, sys
held = socket.create_server(("127.0.0.1", 0))
print(held.getsockname()[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port that another user has."""
    other = start(_LISTEN)
    assert other.stdout is not None
    yield int(other.stdout.readline())
    other.communicate(timeout=20)


def _said() -> list[Finding]:
    return [finding for check in CHECKS for finding in check()]


@needs_other_user
def test_a_port_that_agents_send_to_is_an_error_with_its_user(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    (finding,) = [one for one in _said() if one.facts["port"] == port]
    assert finding.severity is Severity.ERROR
    assert f"port {port} belongs to uid {UID}" in finding.message
    assert finding.fix


@needs_other_user
def test_the_usual_port_is_a_warning(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dejavu.extensions.otlp.findings.PORT", port)
    (finding,) = _said()
    assert finding.severity is Severity.WARNING


def test_our_own_port_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as ours:
        number = ours.getsockname()[1]
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://localhost:{number}/v1")
        assert [one for one in _said() if one.facts["port"] == number] == []
