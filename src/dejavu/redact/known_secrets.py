"""Secrets known by value, such as those in the wrapped process's environment.

Never reads the environment itself. Cost: one regex pass over the text.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from dejavu.model.late_pattern import late_pattern

from .random_runs import has_high_entropy, has_random_piece, is_words

__all__ = ["KnownSecrets", "secret_values"]

_SHORTEST = 6
"""Characters: as of a password that a rule finds by its name. A shorter value is in any text by chance."""
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""As `html.escape`, whose module takes a prompt 2 ms to load."""
_UNBOUNDED = 12  # characters from which a value is found inside of a longer word, too
_STRONG = late_pattern(
    r"(?:^|_)(?:API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKENS?|SECRETS?|PASS|PASSWD|PASSPHRASE|PASSCODE|PWD|PIN|"
    r"CREDENTIALS?|DSN|WEBHOOK(?:_URL)?|HOOK_URL|CONNECTION_?STRING|CONN_?STR)(?:_(?:[0-9]{1,3}|[A-Z]{2,12}))?$"
    r"|APIKEY$|PASSWORD|PASSWD$|PASSWORT|KENNWORT|SECRET|(?:^|_|[A-Z])PW$|[A-Z]PASS$|[A-Z]TOKEN$|(?:^|_)ENCRYPTION$",
    re.IGNORECASE,
)
_WEAK = late_pattern(
    r"(?:^|_)(?:KEY|PAT|AUTH|COOKIE|JWT|BEARER|SALT|LICEN[CS]E|DATABASE_URL)(?:_(?:[0-9]{1,3}|[A-Z]{2,7}))?$",
    re.IGNORECASE,
)
"""Names that other values have as well: those in letters or digits alone do not count there."""
_NOT_NAMED = late_pattern(
    # SSH_AUTH_SOCK, GIT_ASKPASS, AWS_ACCESS_KEY_FILE, OLDPWD ...: paths and switches
    r"^(?:OLD)?PWD$|_(?:SOCK|FILE|PATH|DIR|HOME|ID|NAME|URI|TYPE|PROVIDER|EXPIRY|TTL|LENGTH|LIMIT|COUNT|SIZE|STORE"
    r"|BACKEND|MANAGER|HELPER|PROMPT|COMMAND|CMD|POLICY|MODE|ENABLED|REQUIRED|ALGORITHM|FORMAT|VERSION)$"
    r"|^(?:MAX|MIN|USE|ENABLE|DISABLE|REQUIRE|HAS|IS|NO|SKIP|ALLOW)_|PUBLIC|ASKPASS|PASSTHROUGH|BYPASS|COMPASS",
    re.IGNORECASE,
)
_COUNT = late_pattern(r"TOKENS$|_(?:MAX|MIN)_", re.IGNORECASE)
_PATH = late_pattern(
    r"(?:\.{1,2}/|~/|[A-Za-z]:\\|/(?:app|bin|data|dev|etc|home|lib|media|mnt|nix|opt|private|proc|root|run|secrets|srv|"
    r"sys|tmp|usr|Users|var|work|workspaces?)(?:/|\Z))[^\n]*"
)
_SWITCH = late_pattern(
    r"true|false|yes|none|null|undefined|enabled|disabled|required|optional|default|password|passwd|secret|changeme|"
    r"placeholder|example|postgres|postgresql|mysql|mariadb|redis|mongodb|docker|admin|administrator|anonymous|guest|"
    r"localhost|development|production|staging|testing|interactive|keyring|keychain|osxkeychain|basic|bearer|oauth2?|"
    r"(.)\1*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]{1,5})?",
    re.IGNORECASE | re.DOTALL,
)
_URL_PASSWORD = late_pattern(r"://[^/@:\s]*:([^/@\s]+)@")
_USER_AND_PASSWORD = late_pattern(r"[\w.@+-]{1,64}:([^\s/:]\S{5,})")
_PASSWORD_NAME = late_pattern(
    r"(?:PASS(?:WORD|WD|PHRASE)?|PWD|TOKEN|SECRET)$|(?:pass(?:word|wd)?|pwd|token|secret)$"
)
_USER_NAMES = ("USER", "USERNAME", "LOGIN", "user", "username", "login")
_URL_USER = late_pattern(r"://([^/@:\s]{16,})@")
_URL_PATH = late_pattern(r"://[^/\s]+/(\S{16,})")
_FIELD_PASSWORD = late_pattern(
    r"(?:^|[\s;,&?])(?:password|passwd|pwd|accountkey|sharedaccesskey)=([^;\s&\"']+)", re.IGNORECASE
)


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Return the values of variables named like secrets, longest first.

    Of any look, from 6 characters; a name that other things have, too, such as `..._KEY`, needs a value
    that is not of letters or digits alone. Left out: paths, switches and defaults (`disabled`, `postgres`),
    repeated characters. Of any variable, the password in a URL or connection string. A password and the user
    whose variable has the same beginning are also one value, `user:password`.
    """
    values: set[str] = set()
    for name, text in environ.items():
        value = text.strip()
        found = {*_URL_PASSWORD.findall(value), *_FIELD_PASSWORD.findall(value)}
        if not _NOT_NAMED.search(name):
            if _STRONG.search(name):
                found |= _of_url(value) if "://" in value else {value}
                if _COUNT.search(name) and value.isdigit():
                    found.discard(value)
            elif (
                _WEAK.search(name)
                and "://" not in value
                and not re.fullmatch(r"[a-zA-Z]+|[0-9.:-]+", value)
            ):
                found.add(value)
            found |= {pair[1] for one in found if (pair := _USER_AND_PASSWORD.fullmatch(one))}
        values |= {value for value in found if _counts(value)}
        if (user := _user_of(name, environ)) and value in values:
            values.add(f"{user}:{value}")  # as basic authentication encodes it
    return sorted(values, key=lambda v: (-len(v), v))


def _user_of(name: str, environ: Mapping[str, str]) -> str:
    """Return the user that the password of a variable belongs to: `X_USER` for `X_PASSWORD`."""
    stem = _PASSWORD_NAME.sub("", name)
    users = (environ.get(f"{stem}{word}", "").strip() for word in _USER_NAMES)
    return next(filter(None, users), "") if stem != name else ""


def _of_url(value: str) -> set[str]:
    """Return what is secret of a webhook's or a DSN's URL: all of it, and its parts that look drawn."""
    parts = {*_URL_USER.findall(value), *_URL_PATH.findall(value)}
    drawn = {part for part in parts if has_random_piece(part)}
    return drawn | {value} if drawn or _URL_PASSWORD.search(value) else drawn


def _counts(value: str) -> bool:
    return (
        len(value) >= _SHORTEST
        and not _SWITCH.fullmatch(value)
        and (not _is_path(value) or "\n" in value)
    )


def _is_path(value: str) -> bool:
    """Whether a value is the path of a file: below a usual folder, or spelt."""
    return _PATH.fullmatch(value) is not None or (value.startswith("/") and is_words(value))


class KnownSecrets:
    """Finds given values, verbatim, as JSON, URLs and HTML escape them, and in base64.

    A short value is found as a whole word only, for others may have it in them.
    """

    def __init__(self, values: Iterable[str]) -> None:
        forms: set[str] = set()
        for value in values:
            lines = [line.strip() for line in value.split("\n")] if "\n" in value else []
            for line in (value, *filter(has_high_entropy, lines)):
                data = line.encode("utf-8", "surrogatepass")
                # With and without a line end, and as far as it is the same when more follows.
                encoded = [base64.b64encode(data + end).decode() for end in (b"", b"\n")]
                forms |= {
                    *encoded,
                    encoded[0].rstrip("=")[: len(data) // 3 * 4],
                    line,
                    json.dumps(line)[1:-1],
                    quote(line, safe="", errors="replace"),
                    line.translate(_HTML),
                }
        forms = {form for form in forms if len(form) >= _SHORTEST}
        # Longest first: of two values where one begins the other, the longer is found.
        alternation = "|".join(map(_form, sorted(forms, key=len, reverse=True)))
        self._pattern = late_pattern(alternation) if forms else None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence, in order."""
        if self._pattern is not None:
            for match in self._pattern.finditer(text):
                yield match.span()


def _form(form: str) -> str:
    if len(form) >= _UNBOUNDED:
        return re.escape(form)
    return rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])"
