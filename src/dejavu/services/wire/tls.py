"""Which certificates are believed, when we speak TLS in an agent's place.

Takes the environment; gives a context: the system's authorities (`SSL_CERT_FILE` is honoured by
OpenSSL itself), and those the agent would have believed besides.
"""

import os
import ssl
from collections.abc import Mapping

from dejavu.model import ConfigError

_EXTRA = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CODEX_CA_CERTIFICATE")


def tls_context(environ: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """A client's context that verifies, and speaks HTTP/1.1.

    Raises:
        ConfigError: a file that a variable names cannot be read.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    for name in _EXTRA:
        if path := environ.get(name):
            try:
                context.load_verify_locations(path)
            except OSError as error:
                raise ConfigError(f"{name}={path}: {error.strerror or error}") from error
    return context
