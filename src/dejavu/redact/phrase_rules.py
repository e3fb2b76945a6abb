"""Rules for secrets with blanks, quotes or line ends in them, which a name and a quote give away.

Passphrases, passwords with an escaped quote, keys in groups, strings over several lines, passwords in
addresses of databases. Data, and the validators that need code. Cost: constant for an attempt.

Tested in: tests/redact/test_phrase_rules.py
"""

import re

from dejavu.model.late_pattern import late_pattern

from .heuristics import is_plausible_secret
from .random_runs import has_random_piece, is_words
from .rule import Rule

__all__ = ["RULES"]

_IGNORE = re.IGNORECASE
_TOLD = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "can", "cannot", "character", "characters", "das", "de",
    "der", "die", "do", "does", "ein", "eine", "el", "enter", "field", "for", "forgot", "forgotten",
    "from", "für", "has", "have", "here", "if", "in", "incorrect", "invalid", "is", "ist", "it", "la",
    "le", "least", "les", "match", "mit", "mot", "must", "need", "new", "nicht", "no", "not", "of", "on",
    "or", "our", "passphrase", "password", "passwords", "please", "required", "reset", "set", "should",
    "special", "symbol", "than", "that", "the", "this", "to", "too", "type", "un", "und", "une", "use",
    "votre", "was", "we", "weak", "with", "you", "your", "zu",
))  # fmt: skip
"""Words of sentences about passwords, in which a passphrase is not written."""
_NAME = late_pattern(
    r"(?:passw|passphrase|secret|token|api.?key|access.?key|private.?key|_key)[\w-]{0,24}[\"'\]]{0,2}"
    r"\s{0,3}[:=] ?\Z",
    _IGNORE,
)
_LEAST_WORDS = 3
_LEAST = 8


def _phrase(match: re.Match[str]) -> bool:
    """Whether what is quoted behind a password's name is one, and no sentence about passwords."""
    value = re.sub(r"'\"'\"'|'\\''|\\", "", match["secret"])
    words = value.split()
    if len(value) < _LEAST or any(word.lower().strip(".,:;!?()") in _TOLD for word in words):
        return False
    if any(sign in value for sign in ("${", "{{", "%s", "$(", "#{", "…", "...", " => ", " = ")):
        return False
    if any(has_random_piece(word) for word in words) or len(words) == 1:
        return is_plausible_secret("".join(words), key="password", before="", quoted=True)
    is_phrase = "phrase" in match["key"].lower() or match["key"].isupper()
    return is_phrase and len(words) > _LEAST_WORDS and all(word.isalnum() for word in words)


def _grouped(match: re.Match[str]) -> bool:
    """Whether groups behind a name of a secret are one value that was drawn at random."""
    groups = match["secret"].split()
    value = "".join(groups)
    return (
        sum(map(is_words, groups)) * 2 <= len(groups) + 1
        and len(value) >= 3 * _LEAST
        and any(map(str.isdigit, value))
        and is_plausible_secret(value, key="_key", before="", quoted=True)
    )


def _over_lines(match: re.Match[str]) -> bool:
    """Whether a string of several lines is named as a secret, and is one value broken over them."""
    value = re.sub(r"[\s\\]", "", match["secret"])
    before = match.string[max(match.start() - 64, 0) : match.start()]
    return _NAME.search(before) is not None and is_plausible_secret(
        value, key="_key", before="", quoted=True
    )


def _in_address(match: re.Match[str]) -> bool:
    value = match["secret"]
    return ("/" in value or "@" in value or " " in value) and has_random_piece(
        re.sub("[/@ ]", "", value)
    )


_NAMES = ("password", "Password", "PASSWORD", "passwd", "PASSWD", "passphrase", "Passphrase", "PASSPHRASE",
          "_PASS", "_pass", "pwd", "PWD")  # fmt: skip
_GROUPED = (
    "key: ", "key=", "key = ", 'key": "', "KEY: ", "KEY=", "KEY = ", 'KEY": "', "Key: ", "Key=", "Key = ",
    'Key": "', "token: ", "token=", "token = ", 'token": "', "TOKEN: ", "TOKEN=", "TOKEN = ", 'TOKEN": "',
    "Token: ", "Token=", "Token = ", 'Token": "', "secret: ", "secret=", "secret = ", 'secret": "',
    "SECRET: ", "SECRET=", "SECRET = ", 'SECRET": "', "Secret: ", "Secret=", "Secret = ", 'Secret": "',
)  # fmt: skip
_DATABASES = (
    "postgres://", "postgresql://", "mysql://", "mariadb://", "mongodb://", "mongodb+srv://", "redis://",
    "rediss://", "amqp://", "amqps://", "mssql://", "sqlserver://", "clickhouse://", "ldap://", "ldaps://",
    "ftp://", "sftp://", "smtp://", "smtps://",
)  # fmt: skip

RULES = (
    Rule(
        "password", "", _NAMES,
        late_pattern(
            r"(?P<key>password|passwd|passphrase|_pass|pwd)(?:_[a-z0-9]{1,12}){0,2}(?:\\{0,3}[\"'])?"
            r"[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}"
            r"(?:\"(?=[^\"\n]{1,200}[ \\])|'(?=[^'\n]{1,200}(?:[ \\]|'\"'\"'|'\\')))"
            r"(?P<secret>(?<=\")(?:[^\"\\\n]|\\.){6,256}+(?=\")"
            r"|(?<=')(?:[^'\\\n]|'\"'\"'|'?\\.'?){6,256}+(?='))", _IGNORE,
        ),
        "", "names of settings: quoted with blanks or quotes", anchored_inside=True, validator=_phrase,
    ),
    Rule(
        "assignment", "", _GROUPED,
        late_pattern(
            r"(?:key|token|secret)(?:\": \"|: | ?= ?)[\"'`]?"
            r"(?P<secret>(?:(?:[A-Za-z0-9+/_.-]{3,8} ){5,40}|(?:[A-Za-z0-9+/_.-] ){15,127})"
            r"[A-Za-z0-9+/_.=-]{1,8})(?=[\"'`\s]|$)", _IGNORE,
        ),
        "", "names of settings: values in groups", anchored_inside=True, validator=_grouped,
    ),
    Rule(
        "assignment", "", ('"""', "\'\'\'"),
        late_pattern(
            r"(?:(?<=[:=])|(?<=[:=] ))(?:\"\"\"|\'\'\')\\?"
            r"\s{0,16}(?P<secret>[A-Za-z0-9+/_=.~-]{2,200}+(?:\\?\s{0,16}[A-Za-z0-9+/_=.~-]{2,200}+){0,40}+)"
            r"\\?\s{0,16}(?:\"\"\"|''')"
        ),
        "", "TOML, Python: strings over lines", anchored_inside=True, validator=_over_lines,
    ),
    Rule(
        "assignment", "",
        ('KEY "', 'Key "', '_key "', 'TOKEN "', 'Token "', '_token "', 'SECRET "', 'Secret "', '_secret "',
         'PASSWORD "', 'Password "', '_password "', "KEY '", "TOKEN '", "SECRET '", "PASSWORD '"),
        late_pattern(
            r"_?(?P<key>key|token|secret|password) (?P<quote>[\"'])"
            r"(?P<secret>[^\s\"'\\<>${]{12,512}+)(?P=quote)",
            _IGNORE,
        ),
        "", "C preprocessor, CMake: a name and a quoted value", anchored_inside=True,
        validator=lambda match: is_plausible_secret(
            match["secret"], key="_KEY", before=match.string[max(match.start() - 24, 0) : match.start()],
            quoted=True,
        ),
    ),
    Rule(
        "url-password", "", _DATABASES,
        late_pattern(
            r"[a-z+]{3,12}://[^\s/@:\"'<>`\\,;]{1,128}:(?P<secret>[^\s\"'<>`\\\[]{3,256}"
            r"(?: [^\s\"'<>`\\\[]{3,256})?)@(?=[\w\[$][\w.-]{0,255}(?::[0-9]{2,5})?(?:[/?\s\"',]|$))"
        ),
        "1994", "addresses of databases with signs in a password", validator=_in_address,
    ),
)  # fmt: skip
