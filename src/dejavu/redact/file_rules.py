"""Rules for files that keep secrets in a form of their own: `.pgpass`, `shadow`, cookie jars and others.

Data, and the validators that need code. Cost: constant for an attempt.
"""

import re

from dejavu.model.late_pattern import late_pattern

from .heuristics import is_plausible_secret, is_short_password
from .rule import Rule

__all__ = ["RULES"]

_IGNORE = re.IGNORECASE
_CRYPT = r"[./A-Za-z0-9]"


def _mixed(match: re.Match[str]) -> bool:
    value = match["secret"]
    return len(value) >= 20 or (any(map(str.isalpha, value)) and not value.isalpha())


def _password(match: re.Match[str]) -> bool:
    return is_short_password(match["secret"], setting=True, quoted=True)


def _alone_on_its_line(match: re.Match[str]) -> bool:
    before = match.string[max(match.start() - 16, 0) : match.start()].rpartition("\n")[2]
    return not before.strip() and _password(match)


def _of_a_header(match: re.Match[str]) -> bool:
    return is_plausible_secret(match["secret"], key="api-key", before="", quoted=True)


def _constant(match: re.Match[str]) -> bool:
    value = match["secret"]
    return "put your unique phrase" not in value and len(set(value)) > 5 and not value.isalpha()


RULES = (
    Rule(
        "pgpass", "PostgreSQL", (":*:", ":5432:", ":5433:", ":5434:", ":6432:"),
        late_pattern(
            r":(?:\*|[0-9]{2,5}):[^:\s]{1,64}:[^:\s]{1,64}:"
            r"(?P<secret>(?:[^\s:\\]|\\[:\\]){4,128}+)(?=\s|\\n|[\"']|$)"
        ),
        "2002", "PostgreSQL docs: the password file", anchored_inside=True,
        validator=lambda match: len(set(match["secret"])) > 2,
    ),
    Rule(
        "password-hash", "", ("$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$2a$", "$2b$",
        "$2y$", "$apr1$", "$argon2", "{SHA}", "{SSHA}"),
        late_pattern(
            rf"(?:\$(?:[1567]|g?y|apr1)\$(?:rounds=[0-9]{{1,9}}\$)?{_CRYPT}{{0,32}}"
            rf"(?:\${_CRYPT}{{1,48}})?\${_CRYPT}{{22,90}}+|\$2[aby]\$[0-9]{{2}}\${_CRYPT}{{53}}"
            rf"|\$argon2(?:id?|d)\$v=[0-9]{{1,3}}\$[\w=,]{{5,60}}\$[\w+/]{{8,90}}\$[\w+/]{{20,180}}+"
            r"|\{S?SHA\}[A-Za-z0-9+/]{27,60}={0,2})(?![./A-Za-z0-9])"
        ),
        "1992", "crypt(5); shadow(5); Apache docs: htpasswd", anchored_inside=True,
    ),
    Rule(
        "cookie", "", ("\tTRUE\t", "\tFALSE\t"),
        late_pattern(
            r"\t(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t[0-9]{1,19}\t[^\t\n]{1,128}\t(?P<secret>[^\t\n\r]{8,4096}+)"
        ),
        "1994", "curl docs: the cookie file format", anchored_inside=True, validator=_mixed,
    ),
    Rule(
        "header", "", ("X-", "x-"),
        late_pattern(
            r"x-[a-z-]{0,40}?(?:key|token|secret|password|credentials?)\\{0,3}[\"']?"
            r"[ \t]{0,2}(?:[:=,]|=>)[ \t]{0,2}\\{0,3}[\"']?"
            r"(?P<secret>[^\s\"'\\,;<>]{12,2000}+)", _IGNORE,
        ),
        "", "vendors' docs: headers with a key", validator=_of_a_header,
        head=late_pattern("x-[a-z-]{0,40}?(?:key|token|secret|password|credential)", _IGNORE),
    ),
    Rule(
        "constant", "WordPress", ("define(", "define ("),
        late_pattern(
            r"define ?\([ ]{0,3}[\"'](?P<key>[A-Z0-9_]{0,40}?(?:PASSWORD|PASSWD|KEY|SALT|SECRET|TOKEN))"
            r"[\"'] ?,[ ]{0,8}"
            r"(?P<quote>[\"'])(?P<secret>(?:(?!(?P=quote))[^\n]){6,128})(?P=quote)"
        ),
        "2003", "WordPress docs: wp-config.php", validator=_constant,
    ),
    Rule(
        "sensitive", "HashiCorp", ('"sensitive": true', '"sensitive":true'),
        late_pattern(
            r"\"sensitive\":\s{0,2}true,\s{0,40}\"type\":\s{0,2}(?:\"[a-z]{1,12}\"|\[[^\]]{0,2000}\]{1,4}),\s{0,40}\"value\":\s{0,2}"
            r"(?:\"(?P<secret>(?:[^\"\\]|\\.){1,4096}+)\")"
        ),
        "2021", "Terraform docs: output -json", anchored_inside=True,
    ),
    Rule(
        "password", "", ("pass =", "pass=", "password ", "passphrase ", "PASS "),
        late_pattern(
            r"(?:pass ?= ?|pass(?:word|phrase)?[ \t]{1,8})(?P<quote>[\"']?)"
            r"(?P<secret>[^\s\"'<>=:]{6,256}+)(?P=quote)[ \t]{0,4}(?=\r?\n|$)", _IGNORE,
        ),
        "", "rclone.conf; msmtprc; fetchmailrc", validator=_alone_on_its_line,
    ),
)  # fmt: skip
