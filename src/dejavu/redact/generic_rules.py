"""Rules that know a secret by its context: keys, headers, URLs, names of settings.

Data, and the last words (`validator`) of the rules that need one. Cost: constant for an attempt.
"""

import base64
import binascii
import re

from dejavu.model.late_pattern import late_pattern

from .heuristics import is_plausible_secret
from .rule import Rule

__all__ = ["PEM_BODY", "RULES"]

_IGNORE = re.IGNORECASE
# Between the lines of a body: quotes, signs of patches, and the numbers that tools put before lines.
PEM_BODY = r"(?:[\s>|│+\"',]|\\{1,4}[nrt]|(?<=[\s])[0-9]{1,6}(?=[ \t→:|│])[ \t→:|│]{1,4})*+[A-Za-z0-9+/=]{16,}+"


def _cases(*words: str) -> tuple[str, ...]:
    return tuple(form for word in words for form in {word, word.upper(), word.capitalize()})


def _has_digit(match: re.Match[str]) -> bool:
    return any(char.isdigit() for char in match["secret"])


def _headed(match: re.Match[str]) -> bool:
    """Whether what ends before a body is the header of a private key, as far as it can be seen."""
    before = match.string[max(match.start() - 40, 0) : match.start()].rpartition("\n")[2]
    return before.rstrip().endswith("PRIVATE") and "END " not in before


def _user_and_password(match: re.Match[str]) -> bool:
    """Whether base64 holds `user:password` (RFC 7617) and not merely a word after `Basic`."""
    try:
        pair = base64.b64decode(match["secret"] + "=" * (-len(match["secret"]) % 4))
    except (binascii.Error, ValueError):
        return False
    return b":" in pair[:-1]


def _password_in_url(match: re.Match[str]) -> bool:
    """Whether the part before `@` is not a variable, a mask or a word of documentation."""
    value = match["secret"]
    if value.startswith(("$", "{", "<", "%s", "[")) or len(set(value)) < 3:
        return False
    return value.lower() not in {
        "pass",
        "password",
        "passwd",
        "pwd",
        "secret",
        "token",
        "pw",
        "key",
    }


# arn:aws:secretsmanager:REGION:ACCOUNT:secret:a-name; a row may end inside the account.
_OF_A_RESOURCE = late_pattern(r":(?:[0-9]\s{0,8}(?:[-+│|]\s)?\s{0,4}){12}:[^A-Za-z0-9]{0,20}\Z")


def _assigned(match: re.Match[str]) -> bool:
    start = match.start("key")
    before = match.string[max(start - 24, 0) : start]
    if _OF_A_RESOURCE.search(match.string, max(start - 60, 0), start):
        return False
    return is_plausible_secret(
        match["secret"],
        key=match["key"],
        before=before,
        quoted=bool(match["quote"]),
    )


# What may follow a keyword and still name a secret: API_KEY_PROD, secretAccessKey, token_2.
_SUFFIX = (
    r"(?:[_.-]?(?:access|api|auth|b64|base64|data|db|dev|key|live|main|plain|prod|production|root|"
    r"secret|staging|test|text|token|user|value|[0-9]{1,2})(?![a-z]{2})){0,3}"
)
_SEPARATOR = (
    # key = "value", key: 'value', key => value, {\"key\":\"value\"}, key: str = "value"
    r"(?:\\{0,3}[\"'`])?\]?[ \t]{0,8}(?::[ \t]{0,2}[A-Za-z][A-Za-z\[\]|. ]{0,24}(?==))?"
    r"(?:=>|:=|\?=|[=:])\s{0,4}"
    r"(?:\{\s{0,8}\\{0,3}[\"']?value\\{0,3}[\"']?\s{0,2}[:=]\s{0,2})?"
    # 'KEY', 'value'; PHP's serialize; Key (name)=(value); the next of a numbered list
    r"|\\{0,3}[\"'](?:,[ ]{0,2}|;s:[0-9]{1,6}:)(?=\\{0,3}[\"'])|\)=\("
    r"|\\{0,3}[\"']\s{1,24}[0-9]{1,4}[):]\s{0,2}(?=[\"'])"
    # <key>value, and {"name": "KEY", "value": "..."} over lines, with fields of numbers or a diff's old
    # value between
    r"|>|(?:\\{0,3}[\"'])?[,;]?\s{0,24}(?:\\{0,3}[\"']\w{1,24}\\{0,3}[\"']\s?[:=]\s?[0-9]{1,20},?\s{0,12}){0,4}"
    r"(?:-\s{0,24}value: ?\S{0,64}\s{0,24}\+\s{0,24})?(?:[\w.\[\]]{1,48}\.)?"
    r"\\{0,3}[\"']?[vV]alue\\{0,3}[\"']?\s{0,2}[:=]\s{0,2}"
)
_ASSIGN_WORDS = (
    *_cases(
        "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key",
        "api-key", "accesskey", "access_key", "access-key", "privatekey", "private_key",
        "authkey", "auth_key", "accountkey", "account_key", "encryption_key", "signing_key",
        "master_key", "credential", "licensekey", "license_key", "authorization", "cookie",
    ),
    "apiKey", "ApiKey", "API-Key", "Api-Key", "accessKey", "AccessKey", "privateKey", "authKey",
    "AccountKey", "encryptionKey", "EncryptionKey", "signingKey", "SigningKey", "masterKey",
    "passWord", "PassWord",
)  # fmt: skip
# A quoted value ends with its quote; a bare one also where another setting may begin.
_VALUE_TAIL = late_pattern(r"[^\s\"'`\\,;&<>|]*+")
_VALUE = (
    r"(?P<quote>(?:\\{0,3}[\"'`])?)"
    r"(?P<secret>(?<=[\"'`])[^\s\"'`\\]{12,128}+|(?<![\"'`])[^\s\"'`\\,;&<>|]{12,128}+)"
)

_ASSIGNMENT_HEAD = late_pattern(
    rf"(?:{'|'.join(sorted({word.lower() for word in _ASSIGN_WORDS}))})"
    rf"{_SUFFIX.replace('(?![a-z]{2})', '')}(?:{_SEPARATOR.replace('(?==)', '')})"
    r"(?:\\{0,3}[\"'`])?[^\s\"'`\\]{12}",
    _IGNORE,
)
_ASSIGNMENT = late_pattern(
    rf"(?P<key>(?>{'|'.join(sorted({word.lower() for word in _ASSIGN_WORDS}))}))"
    rf"{_SUFFIX}(?:{_SEPARATOR})"
    rf"{_VALUE}",
    _IGNORE,
)
_MARKS = (
    "live", "prod", "production", "test", "sandbox", "secret", "sk", "pat", "api", "key", "apikey",
    "token", "oauth", "dev", "pk", "at", "rt",
)  # fmt: skip

RULES = (
    Rule(
        "private-key", "", ("-----BEGIN",),
        late_pattern(
            # A screen may break the header between its words, and joins them without a blank.
            r"-----BEGIN\s?(?:[A-Z0-9]{1,12}\s?){0,4}PRIVATE\s?KEY(?:\s?BLOCK)?-----"
            r"(?:[^-]{0,65536}+(?:-(?!----)[^-]{0,4096}+){0,64}+"
            r"-----END\s?(?:[A-Z0-9]{1,12}\s?){0,4}PRIVATE\s?KEY(?:\s?BLOCK)?-----"
            # Cut off: what looks like its lines goes.
            rf"|(?:[\s>|│]*+[A-Za-z-]{{3,20}}: [^\n]{{0,200}})*+(?:{PEM_BODY})++)"
        ),
        "1993", "RFC 7468, RFC 4880, OpenSSH PROTOCOL.key", anchored_inside=True,
        head=late_pattern(r"-----BEGIN\s?(?:[A-Z0-9]{1,12}\s?){0,4}PRIVATE"),
        validator=lambda match: re.search(r"[A-Za-z0-9+/=]{16}", match[0][27:]) is not None,
    ),
    Rule(
        "private-key", "", ("KEY-----", "KEY BLOCK-----"),
        # Its first line was cut off: what follows looks like a key's lines.
        late_pattern(rf"KEY(?: BLOCK)?-----(?P<secret>(?:{PEM_BODY})++)"),
        "1993", "RFC 7468: the end of a header", anchored_inside=True, validator=_headed,
    ),
    Rule(
        "putty-key", "PuTTY", ("Private-Lines:",),
        late_pattern(rf"Private-Lines: [0-9]{{1,4}}(?P<secret>(?:{PEM_BODY})++)"),
        "1999", "PuTTY manual: PPK file format",
    ),
    Rule(
        "jwt", "", ("eyJ", "ZXlK"),
        late_pattern(r"(?:eyJ|ZXlK)[\w-]{8,2000}\.[\w-]{8,8000}\.[\w-]{0,}+(?:\.[\w-]{4,}+)*+"),
        "2015", "RFC 7519, RFC 7515, RFC 7516",
    ),
    Rule(
        "bearer", "", ("Bearer ", "bearer ", "BEARER "),
        late_pattern(r"bearer {1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,}+)", _IGNORE),
        "2012", "RFC 6750", anchored_inside=True, validator=_has_digit,
    ),
    Rule(
        "basic", "", ("Basic ", "basic ", "BASIC "),
        late_pattern(r"basic {1,3}(?P<secret>[A-Za-z0-9+/]{8,1000}+={0,2})(?!\w)", _IGNORE),
        "1996", "RFC 7617", anchored_inside=True, validator=_user_and_password,
    ),
    Rule(
        "auth-header", "", _cases("authorization"),
        late_pattern(
            r"authorization\\{0,3}[\"']?[ \t]{0,2}[:=,][ \t]{0,2}\\{0,3}[\"']?"
            r"(?:token|bot|ssws|apikey|api-key|key|digest|negotiate|klaviyo-api-key|genie"
            r"key|discord|zoho-oauthtoken|snowflake token=)[ =:]{1,3}\\{0,3}[\"']?"
            r"(?P<secret>[A-Za-z0-9._~+/=:-]{16,}+)", _IGNORE,
        ),
        "1996", "RFC 9110, and vendors' schemes", anchored_inside=True, validator=_has_digit,
    ),
    Rule(
        "url-password", "", ("://",),
        late_pattern(r"://[^\s/@:\"'<>`\\,;]{0,128}:(?P<secret>[^\s/@\"'<>`\\\[]{3,256})@(?=[\w\[$])"),
        "1994", "RFC 3986 3.2.1", anchored_inside=True, validator=_password_in_url,
        head=late_pattern(r"://[^\s/@:\"'<>`\\,;]{0,128}:[^\s/@\"'<>`\\\[]{3}"),
    ),
    Rule(
        "url-user", "", ("://",),
        late_pattern(
            r"://(?=[A-Za-z_.-]{0,40}[0-9])(?P<secret>[A-Za-z0-9_.-]{20,256})"
            r"(?::x-oauth-basic)?@(?=[\w\[])"
        ),
        "", "Git over HTTPS with a token as user", anchored_inside=True,
        head=late_pattern("://[A-Za-z0-9_.-]{20}"),
    ),
    Rule(
        "curl-user", "", ("curl ",),
        late_pattern(
            r"curl [^\n|;]{0,200}?(?:-u|--user)[ =]{1,2}[\"']?[^\s:\"']{1,64}:"
            r"(?P<secret>[^\s\"'$<{\[*][^\s\"']{5,}+)"
        ),
        "", "curl manual: --user",
    ),
    Rule(
        "option", "",
        ("--password", "--token", "--api-key", "--secret", "--access-token", "--auth-token"),
        late_pattern(r"--[a-z-]{5,24}[ =][\"']?(?P<secret>[^\s\"'$<{\-][^\s\"']{11,400}+)"),
        "", "command lines",
        validator=lambda match: is_plausible_secret(match["secret"], key="option", before="", quoted=True),
    ),
    Rule(
        "netrc", "", ("login ",),
        late_pattern(r"login\s{1,4}\S{1,128}\s{1,8}password\s{1,4}(?P<secret>[^\s\"'\\\[*][^\s\"'\\]{7,}+)"),
        "1983", "ftp(1): .netrc",
    ),
    Rule(
        "docker-auth", "Docker", ('"auth"', "_auth"),
        late_pattern(r"\"?_?auth\"?\s{0,4}[:=]\s{0,4}\"?(?P<secret>[A-Za-z0-9+/]{12,1000}+={0,2})"),
        "2013", "Docker docs: config.json; npm docs: npmrc", anchored_inside=True, validator=_user_and_password,
    ),
    Rule(
        "kubeconfig", "Kubernetes", ("client-key-data",),
        late_pattern(r"client-key-data\"?:\s{0,4}\"?(?P<secret>[A-Za-z0-9+/]{40,}+={0,2})"),
        "2014", "Kubernetes docs: kubeconfig",
    ),
    Rule(
        "signature", "Microsoft", ("sig=",),
        late_pattern(r"sig=(?P<secret>[A-Za-z0-9+/]{0,60}(?:%[0-9A-Fa-f]{2}[A-Za-z0-9+/]{0,60}){1,20})"),
        "2012", "Azure docs: Shared access signatures",
        validator=lambda match: len(match["secret"]) >= 40,
    ),
    # <words>_live_<token>, acme_sk_<token>: the shape most vendors have settled on.
    Rule(
        "prefixed", "", tuple(f"_{mark}_" for mark in _MARKS),
        late_pattern(
            rf"(?<=[a-z][a-z0-9])_(?:{'|'.join(_MARKS)})_"
            r"(?=[A-Za-z]{0,23}[0-9])(?=[0-9]{0,23}[A-Za-z])(?P<secret>[A-Za-z0-9]{24,}+)"
        ),
        "", "form common to many vendors", anchored_inside=True,
    ),
    Rule(
        "assignment", "", _ASSIGN_WORDS, _ASSIGNMENT, "", "names of settings",
        anchored_inside=True, validator=_assigned, tail=_VALUE_TAIL, head=_ASSIGNMENT_HEAD,
    ),
    Rule(
        "assignment", "MySQL", ("Duplicate entry '",),
        late_pattern(
            r"Duplicate entry '(?P<quote>)(?P<secret>[^\s']{12,256}+)'\s{0,4}for\s{0,4}key\s{0,4}'[^\s']{0,64}?"
            r"(?P<key>passw|secret|token|api_?key|_key|credential)", _IGNORE,
        ),
        "", "MySQL manual: error 1062", validator=_assigned,
    ),
    Rule(
        "assignment", "", ("_KEY", "_PAT", "_CREDENTIALS"),
        late_pattern(
            r"(?P<key>_(?:KEY|PAT|CREDENTIALS))(?:_[A-Z0-9]{1,8})?"
            r"\\{0,3}[\"']?[ \t]{0,2}[:=][ \t]{0,2}"
            rf"{_VALUE}"
        ),
        "", "names of settings", anchored_inside=True, validator=_assigned, tail=_VALUE_TAIL,
    ),
)  # fmt: skip
