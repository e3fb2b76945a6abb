"""The redactor that goes with this user's archive: its key, and what the environment says is secret.

What leaves the archive goes through it. Loads the rule tables (about 30 ms), so callers make it when
there is something to redact.

Tested in: tests/archive/maintenance/test_pack.py
"""

import os
from functools import cache
from hashlib import blake2b

from dejavu.config.redaction_key import redaction_key
from dejavu.redact import RULES, Redactor, secret_values
from dejavu.redact.conversation import CountingRedactor


def archive_redactor() -> Redactor:
    """Return the redactor.

    Raises:
        ConfigError: the key's file holds something else.
    """
    return Redactor(redaction_key(), secret_values(os.environ))


def counting_redactor() -> CountingRedactor:
    """Return the redactor with a count of what it replaces; raises as `archive_redactor`."""
    return CountingRedactor(archive_redactor().redact)


@cache
def rules_digest() -> str:
    """Return what tells these rules from others: what was made or read with others is redone."""
    state = blake2b(digest_size=6)
    for rule in RULES:
        # Some patterns are made of sets, whose order is another one in each process.
        letters = "".join(sorted(rule.pattern.pattern))
        state.update(repr((rule.name, sorted(rule.anchors), letters)).encode())
    return state.hexdigest()
