"""Secrets known by value, such as those in the wrapped process's environment.

Never reads the environment itself. Cost: one regex pass over the text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

__all__ = ["KnownSecrets", "secret_values"]

_SHORTEST = 8
_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|ACCESS_?KEY|KEY|TOKENS?|SECRETS?|PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|PAT|"
    r"CREDENTIALS?|AUTH|COOKIE|DSN|WEBHOOK(?:_URL)?|CONNECTION_STRING|DATABASE_URL)"
    r"(?:_(?:[0-9]{1,3}|[A-Z]{2,7}))?$|APIKEY$|PASSWORD|SECRET_",
    re.IGNORECASE,
)
_NOT_NAMED = re.compile(
    # SSH_AUTH_SOCK, GIT_ASKPASS, AWS_ACCESS_KEY_FILE, OLDPWD ...: paths and switches
    r"^(?:OLD)?PWD$|_(?:SOCK|FILE|PATH|DIR|HOME|ID|NAME|URI|TYPE|PROVIDER|EXPIRY|TTL|LENGTH|LIMIT)$"
    r"|^MAX_|PUBLIC",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?:/|\./|~/|[A-Za-z]:\\)[^\n]*|[0-9.:-]+|[A-Za-z]+|(.)\1*", re.DOTALL)
_URL_PASSWORD = re.compile(r"://[^/@:\s]*:([^/@\s]+)@")


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Return the values of variables named like secrets, longest first.

    Left out: values under 8 characters, paths, numbers, single words of letters (booleans, modes)
    and repeated characters. Of a URL with a password, the password.
    """
    values: set[str] = set()
    for name, value in environ.items():
        if "://" in value:
            values.update(_URL_PASSWORD.findall(value))
            continue
        value = value.strip()
        if _NAME.search(name) and not _NOT_NAMED.search(name) and not _PLAIN.fullmatch(value):
            values.add(value)
    return sorted((v for v in values if len(v) >= _SHORTEST), key=lambda v: (-len(v), v))


class KnownSecrets:
    """Finds given values, verbatim and as JSON and URLs escape them."""

    def __init__(self, values: Iterable[str]) -> None:
        forms: set[str] = set()
        for value in values:
            for line in (value, *value.split("\n")):
                forms |= {line, json.dumps(line)[1:-1], quote(line, safe="")}
        forms = {form for form in forms if len(form) >= _SHORTEST}
        # Longest first: of two values where one begins the other, the longer is found.
        alternation = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
        self._pattern = re.compile(alternation) if forms else None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence, in order."""
        if self._pattern is not None:
            for match in self._pattern.finditer(text):
                yield match.span()
