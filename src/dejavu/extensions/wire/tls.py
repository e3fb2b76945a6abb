"""Which certificates are believed, when we speak TLS in an agent's place.

The context trusts the system's authorities (`SSL_CERT_FILE` is honoured by OpenSSL itself), and
those the agent would have believed besides.
"""

import os
import ssl
from collections.abc import Mapping

from dejavu.model import ConfigError
from dejavu.providers import agents

_CA_VARIABLES = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")
"""Of the runtimes that agents are written for; some agents have one of their own besides."""


def tls_context(environ: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """A client's context that verifies, and speaks HTTP/1.1.

    Raises:
        ConfigError: a file that a variable names cannot be read.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    own = (name for agent in agents().values() for name in agent.ca_variables)
    for name in (*_CA_VARIABLES, *own):
        if path := environ.get(name):
            try:
                context.load_verify_locations(path)
            except OSError as error:
                raise ConfigError(f"{name}={path}: {error.strerror or error}") from error
    return context
