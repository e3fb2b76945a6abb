import ssl
from pathlib import Path

import pytest

from dejavu.extensions.wire.tls import tls_context
from dejavu.model import ConfigError


def test_certificates_are_verified() -> None:
    context = tls_context({})
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_authorities_the_agent_would_have_believed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="NODE_EXTRA_CA_CERTS"):
        tls_context({"NODE_EXTRA_CA_CERTS": str(tmp_path / "missing.pem")})
    (tmp_path / "bad.pem").write_text("no certificate")
    with pytest.raises(ConfigError, match=r"bad\.pem"):
        tls_context({"REQUESTS_CA_BUNDLE": str(tmp_path / "bad.pem")})
