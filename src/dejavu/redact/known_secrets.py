"""Secrets known by value: those in the wrapped process's environment, and those that a rule has found.

Never reads the environment itself. Cost: one regex pass over the text; of what was found, one search for each.
"""

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from dejavu.model.late_pattern import late_pattern

from .prefilter import trie
from .random_runs import has_high_entropy, has_random_piece, is_words

__all__ = ["KnownSecrets", "Seen", "secret_values"]

_SHORTEST = 6
"""Characters: as of a password that a rule finds by its name. A shorter value is in any text by chance."""
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""As `html.escape`, whose module takes a prompt 2 ms to load."""
_IN_MARKUP = re.compile(r"[&<>'+]")
"""What encoders of JSON escape, too, so that it can be put into a page."""
_NOT_PLAIN = re.compile(r"[^\w@%+=:,./-]")
"""What a shell wants escaped."""
_BLANKS = re.compile(r"[ \t]+")
_MOST_BLANKS = 16
_URL_SAFE = str.maketrans("+/", "-_")
_LINE_END = re.compile(r"\\?\r?\n[ \t]*+")
_LONGEST_WORD = 256  # characters on each side of a value; a longer one is a file, not a user's name
_WORD_END = re.compile(r"[A-Za-z0-9+_-]+\Z")
_WORD_START = re.compile(r"[A-Za-z0-9+/_-]*+={0,2}")
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
_LOGIN = late_pattern(r"(?:^|_)LOGIN$", re.IGNORECASE)
_USER = late_pattern(r"[\w.@+-]+")
"""What a user is called: such a value of a LOGIN is no secret, unless it looks drawn."""
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
            elif _may_be_secret(name, value):
                found.add(value)
            found |= {pair[1] for one in found if (pair := _USER_AND_PASSWORD.fullmatch(one))}
        values |= {value for value in found if _counts(value)}
        if (user := _user_of(name, environ)) and value in values:
            values.add(f"{user}:{value}")  # as basic authentication encodes it
    return sorted(values, key=lambda v: (-len(v), v))


def _may_be_secret(name: str, value: str) -> bool:
    """Whether a value is secret although its name says that of other values, too."""
    if _LOGIN.search(name):
        return _USER.fullmatch(value) is None or has_high_entropy(value)
    plain = "://" in value or re.fullmatch(r"[a-zA-Z]+|[0-9.:-]+", value) is not None
    return _WEAK.search(name) is not None and not plain


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
    """Finds given values verbatim, over the ends of lines, and as programs write them.

    That is as JSON, URLs, HTML and shells escape them, in capitals, in hex and in base64. A short value is
    found as a whole word only, for others may have it in them. In base64 it is found wherever it begins,
    and the whole word goes.
    """

    def __init__(self, values: Iterable[str]) -> None:
        plain: set[str] = set()
        forms: set[str] = set()
        encoded: set[str] = set()
        for value in values:
            lines = [line.strip() for line in value.split("\n")] if "\n" in value else []
            for line in (value, *filter(has_high_entropy, lines)):
                plain |= _over_blanks(line)
                forms |= _written(line)
                encoded |= _in_base64(line.encode("utf-8", "surrogatepass"))
        self._encoded = frozenset(filter(_is_long, encoded))
        self._whole = _Finder(forms, self._encoded, _form)
        self._cut = _Finder(plain, self._encoded, re.escape)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence; of those that a line end cuts after the others."""
        for start, end in self._whole.spans(text):
            yield (
                _base64_word(text, start, end) if text[start:end] in self._encoded else (start, end)
            )
        if self._encoded and "\n" in text:
            yield from self._over_lines(text)

    def _over_lines(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the values that the end of a line cuts."""
        pieces: list[str] = []
        joints: list[int] = []  # where in the joined text a line begins
        moved: list[int] = [0]  # and how much further that is in the text
        at = length = 0
        for cut in _LINE_END.finditer(text):
            pieces.append(text[at : cut.start()].rstrip(" \t"))
            length += len(pieces[-1])
            joints.append(length)
            at = cut.end()
            moved.append(at - length)
        joined = "".join([*pieces, text[at:]])
        for begin, stop in self._cut.spans(joined):
            first, last = bisect_right(joints, begin), bisect_right(joints, stop - 1)
            start, end = begin + moved[first], stop + moved[last]
            if first == last:
                continue
            if joined[begin:stop] in self._encoded:
                yield _base64_word(text, start, end)
            elif stop - begin >= _UNBOUNDED or not (
                text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()
            ):
                yield start, end


class _Finder:
    """Finds words by a tree of their beginnings, and each whole where one is: of two, the longer."""

    def __init__(
        self, words: Iterable[str], more: Iterable[str], pattern: Callable[[str], str]
    ) -> None:
        found = {word: re.escape(word) for word in filter(_is_long, more)}
        found |= {word: pattern(word) for word in filter(_is_long, words)}
        ordered = sorted(found, key=lambda word: (-len(word), word))
        self._beginning = late_pattern(lambda: trie(word[:_SHORTEST] for word in ordered))
        self._word = late_pattern(lambda: "|".join(found[word] for word in ordered))
        self._is_empty = not ordered

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence, in order."""
        at = 0
        while not self._is_empty and (hit := self._beginning.search(text, at)) is not None:
            match = self._word.match(text, hit.start())
            at = hit.start() + 1 if match is None else match.end()
            if match is not None:
                yield match.span()


def _written(value: str) -> set[str]:
    """Return a value as programs write it."""
    from urllib.parse import quote  # a hook whose environment holds no secret does without

    quoted = json.dumps(value)[1:-1]
    data = value.encode("utf-8", "surrogatepass").hex()
    return {
        value, value.upper(), value.lower(), data, data.upper(), *_for_pages(quoted),
        json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="", errors="replace"),
        _NOT_PLAIN.sub(r"\\\g<0>", value), value.translate(_HTML),
        value.translate(_HTML).replace("&#x27;", "&#39;"),
    }  # fmt: skip


def _for_pages(quoted: str) -> Iterator[str]:
    """Yield a JSON string with any of the signs escaped that encoders escape for pages."""
    signs = sorted(set(_IN_MARKUP.findall(quoted)))
    for count in range(len(signs) + 1):
        for some in combinations(signs, count):
            for digits in ("04x", "04X") if some else ("",):
                yield "".join(f"\\u{ord(c):{digits}}" if c in some else c for c in quoted)


def _over_blanks(value: str) -> set[str]:
    """Return a value, and what is left of it where a line end takes the place of one of its blanks."""
    gaps = list(_BLANKS.finditer(value))[:_MOST_BLANKS]
    return {value, *(value[: gap.start()] + value[gap.end() :] for gap in gaps)}


def _in_base64(data: bytes) -> set[str]:
    """Return what base64 makes of bytes wherever in its text they begin, without what others share in."""
    forms: set[str] = set()
    for before in range(3):
        whole = base64.b64encode(bytes(before) + data)
        inner = whole[(4 * before + 2) // 3 : (before + len(data)) * 4 // 3].decode()
        forms |= {inner, inner.translate(_URL_SAFE)}
    return forms


def _base64_word(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the ends of the word around a piece of base64; next to the piece alone where it is a file."""
    before = _WORD_END.search(text, max(0, start - _LONGEST_WORD), start)
    behind = _WORD_START.match(text, end, end + _LONGEST_WORD)
    left = before.start() if before is not None else start
    right = behind.end() if behind is not None else end
    if start - left >= _LONGEST_WORD:
        left = start - 2
    if right - end >= _LONGEST_WORD:
        right = end + 2
    return left, right


def _is_long(form: str) -> bool:
    return len(form) >= _SHORTEST


def _form(form: str) -> str:
    if len(form) >= _UNBOUNDED:
        return re.escape(form)
    return rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])"


_SHORTEST_SEEN = 8
_MOST_SEEN = 32  # values that are remembered
_LONGEST_SEEN = 512
_MIXED = re.compile(r"(?=[^0-9]*[0-9])[^A-Za-z]*[A-Za-z]\S*\Z")


class Seen:
    """Values that a rule has found, each with a name for them: they are secret wherever they stand again.

    Only the last are kept, and of these only values with letters and digits, which no other text has by
    chance.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._names)

    def learn(self, found: Iterable[tuple[str, str]]) -> None:
        """Remember values and their names."""
        for value, name in found:
            if value in self._names or not _SHORTEST_SEEN <= len(value) <= _LONGEST_SEEN:
                continue
            if _MIXED.match(value) and not _PATH.fullmatch(value):
                self._names[value] = name
                if len(self._names) > _MOST_SEEN:
                    del self._names[next(iter(self._names))]

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and name of each occurrence."""
        for value, name in self._names.items():
            at = text.find(value)
            while at >= 0:
                end = at + len(value)
                if len(value) >= _UNBOUNDED or not (
                    text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()
                ):
                    yield at, end, name
                at = text.find(value, end)

    def replaced(self, text: str) -> str:
        """Return a text with its name in the place of each value."""
        parts: list[str] = []
        end = 0
        for start, stop, name in sorted(self.spans(text)):
            if start >= end:
                parts += (text[end:start], name)
                end = stop
        return "".join([*parts, text[end:]]) if parts else text
