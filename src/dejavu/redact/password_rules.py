"""Rules for secrets that only a name or a command tells: short passwords, separated by a blank, typed.

A value behind `password` may be six characters long and of any signs; commands and Dockerfiles have
no `=`. Data, and the validators that need code. Cost: constant for an attempt.
"""

import re

from dejavu.model.late_pattern import late_pattern

from .heuristics import is_plausible_secret, is_short_password
from .random_runs import is_file_name, looks_random
from .rule import Rule, phrase_forms

__all__ = ["RULES"]

_IGNORE = re.IGNORECASE
_QUOTE = r"(?P<quote>\\{0,3}[\"'`]?)"
# To the blank or the closing quote; a further parameter of a query is no part of it.
_SIGNS = r"(?:(?!&[a-z_]{1,30}=)[^\s\"'`<>|]){%s}+"
_NAME = (
    r"(?P<key>[A-Z][A-Z0-9_]{0,60}?"
    r"(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PWD|PASSPHRASE|CREDENTIALS?|PAT))"
)
# PASSWORD_MIN_LENGTH, PWD_EXPIRY_DAYS: a setting about passwords.
_NOT_ABOUT = (
    r"(?!(?:_[a-z0-9]{1,12})?_(?:len(?:gth)?|min(?:imum)?|max(?:imum)?|days|hours|minutes|seconds|expiry|expires|ttl|age"
    r"|hashers?|algorithm|policy|rounds|cost|field|header|attempts|retries|count|size|history|version|type)(?![a-z0-9_]))"
)
_HEX = late_pattern(r"(?=[a-f]{0,31}[0-9])[0-9a-f]{32,128}")
_CLI_VALUE = r"[\"']?(?P<secret>[^\s\"'$<{*-][^\s\"']{3,127}+)"


def _short_password(match: re.Match[str]) -> bool:
    start = match.start("key")
    before = match.string[max(start - 1, 0) : start]
    return is_short_password(
        match["secret"],
        setting=match["key"].isupper() or before == "_",
        quoted=bool(match["quote"]),
    )


def _named_value(match: re.Match[str]) -> bool:
    name = match["key"]
    if "PASS" in name or "PWD" in name:
        return is_short_password(match["secret"], setting=True, quoted=bool(match["quote"]))
    return is_plausible_secret(match["secret"], key=name, before="", quoted=True)


def _said_password(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(".,;:)!?")
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return (
        len(value) >= 7
        and letters
        and digits
        and is_short_password(value, setting=True, quoted=True)
    )


def _said_secret(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(".")
    return _HEX.fullmatch(value) is not None or (looks_random(value) and not is_file_name(value))


def _said_token(match: re.Match[str]) -> bool:
    before = match.string[max(match.start() - 24, 0) : match.start()]
    value = match["secret"].rstrip(".")
    return looks_random(value) and is_plausible_secret(
        value, key="token", before=before, quoted=True
    )


_LABELS = phrase_forms(
    "api key", "api token", "secret key", "access key", "encryption key", "signing key", "license key",
    "master key", "access token", "auth token", "refresh token", "bearer token", "client secret",
    "recovery code",
)  # fmt: skip


_ANNOUNCED = phrase_forms(
    "recovery key", "recovery code", "unseal key", "root token", "secret key", "api key", "api token",
    "access key", "access token", "auth token", "private key", "encryption key", "client secret",
    "new password", "your password", "new token", "your token",
)  # fmt: skip


def _announced(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(".")
    return is_plausible_secret(value, key="_key", before="", quoted=True) and not is_file_name(
        value
    )


def _labelled(match: re.Match[str]) -> bool:
    """Whether what follows a label is a value; without a sign between it has to look drawn."""
    value = match["secret"].rstrip(".,;:)!?")
    if match["sign"]:
        return is_plausible_secret(value, key="_key", before="", quoted=False)
    return _HEX.fullmatch(value) is not None or looks_random(value)


RULES = (
    Rule(
        "assignment", "", _LABELS,
        late_pattern(
            r"[a-z]{3,10} (?:key|token|secret|code)(?: id)?(?: \[[^\]\n]{0,24}\])?"
            r"(?P<sign>(?: is|[ \t]{0,4}[:=：])?)"
            r"[ \t]{1,12}[\"'`*]{0,3}(?P<secret>[A-Za-z0-9+/_.~=-]{16,256}+)", _IGNORE,
        ),
        "", "labels", anchored_inside=True, validator=_labelled,
    ),
    Rule(
        "assignment", "", _ANNOUNCED,
        late_pattern(
            r"[a-z]{3,10} (?:key|token|secret|code|password)(?: [a-z ]{2,60})?:(?:[ \t]{0,200}\n){1,3}"
            r"[ \t]{0,16}(?:[^\w\s]{1,2} {1,2})?(?P<secret>[A-Za-z0-9+/_.~=-]{16,256}+)(?=\s|$)", _IGNORE,
        ),
        "", "a sentence that ends with a colon, and a value alone below it", anchored_inside=True,
        validator=_announced,
    ),
    Rule(
        "password", "",
        ("Passwort", "passwort", "Kennwort", "kennwort", "ontraseña", "ot de passe", "achtwoord", "asło",
         "ароль", "密码", "密碼", "パスワード", "비밀번호", "PASS=", "pass=", "PW=", "pw=", "pw:"),
        late_pattern(
            r"(?:(?:passwort|kennwort|ontraseña|ot de passe|achtwoord|asło|ароль|密码|密碼|パスワード|비밀번호)"
            r"(?:[ \t]{0,4}[:=：])"
            rf"|(?<![A-Za-z0-9])(?:pass=|pw[=:]))[ \t]{{0,4}}{_QUOTE}(?P<secret>{_SIGNS % '6,256'})", _IGNORE,
        ),
        "", "names of passwords in other languages", anchored_inside=True,
        validator=lambda match: is_short_password(match["secret"], setting=True, quoted=bool(match["quote"])),
    ),
    Rule(
        "password", "",
        ("password", "Password", "PASSWORD", "passwd", "Passwd", "PASSWD", "passphrase",
         "Passphrase", "PASSPHRASE", "_PASS", "_pass", "pwd", "Pwd", "PWD"),
        late_pattern(
            rf"(?P<key>password|passwd|passphrase|_pass|pwd){_NOT_ABOUT}(?:_[a-z0-9]{{1,12}}){{0,2}}(?:\\{{0,3}}[\"'])?"
            rf"[ \t]{{0,4}}(?:=>|:=|[:=])[ \t]{{0,4}}{_QUOTE}(?P<secret>{_SIGNS % '6,256'})", _IGNORE,
        ),
        "", "names of settings", anchored_inside=True, validator=_short_password,
        head=late_pattern(
            r"(?:password|passwd|passphrase|_pass|pwd)(?:_[a-z0-9]{1,12}){0,2}(?:\\{0,3}[\"'])?"
            r"[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}(?:\\{0,3}[\"'`]?)[^\s\"'`<>|]{6}", _IGNORE,
        ),
    ),
    Rule(
        "password", "", ("assword", "assphrase", "asscode", "ASSWORD"),
        late_pattern(
            r"pass(?:word|phrase|code)[a-z\"'`* ]{0,40}? (?:is|was|to)[: ]{1,3}[\"'`*]{0,3}"
            r"(?P<secret>[^\s\"'`*]{7,64})", _IGNORE,
        ),
        "", "prose", anchored_inside=True, lookbehind=(1,), validator=_said_password,
    ),
    Rule(
        "assignment", "", ("secret ", "Secret ", "SECRET "),
        late_pattern(
            r"secret (?:access )?(?:key )?(?:is )?[\"'`*]{0,3}"
            r"(?P<secret>[A-Za-z0-9+/_.~=-]{20,128}+)(?![A-Za-z0-9+/])", _IGNORE,
        ),
        "", "prose", validator=_said_secret,
    ),
    Rule(
        "assignment", "", ("ENV ", "ARG ", "setenv ", "set -", "export "),
        late_pattern(
            rf"(?:ENV|ARG|setenv|export|set -[a-zA-Z]{{1,3}}(?: -[a-zA-Z]{{1,3}}){{0,2}})[ \t]{{1,8}}"
            rf"(?-i:{_NAME})[ \t]{{1,8}}{_QUOTE}(?P<secret>[^\s\"'`]{{6,256}}+)"
        ),
        "", "Dockerfile reference: ENV; csh(1), fish(1)", validator=_named_value,
    ),
    Rule(
        "aws-secret", "Amazon", ("configure set ",),
        late_pattern(
            r"configure set (?:[\w.-]{1,60}\.)?aws_(?:secret_access_key|session_token)[ \t]{1,8}"
            + _CLI_VALUE
        ),
        "2013", "AWS CLI user guide: aws configure set",
    ),
    Rule(
        "command-password", "", ("mysql", "mariadb"),
        late_pattern(r"(?:mysql|mariadb)[a-z]{0,8}\b[^\n|;&]{0,200}? "
                     r"-p[\"']?(?P<secret>[^\s\"'$<{-][^\s\"']{3,255}+)"),
        "", "MySQL manual: connection options",
    ),
    Rule(
        "command-password", "", ("zip -", "7z ", "7za ", "openssl enc "),
        late_pattern(
            r"(?:zip [^\n|;&]{0,200}?(?<= )-P ?|7za? [^\n|;&]{0,200}?(?<= )-p"
            r"|openssl enc [^\n|;&]{0,200}?(?<= )-k )"
            + _CLI_VALUE
        ),
        "", "zip(1), 7z(1), openssl-enc(1)", anchored_inside=True,
    ),
    Rule(
        "assignment", "", ("Key(", "Token(", "Secret(", "Password("),
        late_pattern(
            r"(?P<key>Key|Token|Secret|Password)\([\"'](?P<secret>[^\s\"'\\]{12,256}+)[\"']"
        ),
        "", "calls that set a secret", anchored_inside=True,
        validator=lambda match: looks_random(match["secret"]) and not is_file_name(match["secret"]),
    ),
    Rule(
        "assignment", "", ("token ", "Token ", "passwd "),
        late_pattern(
            r"(?:token|passwd) (?:is )?[\"'`*]{0,3}(?P<secret>[A-Za-z0-9+/_.~=-]{20,256}+)(?![A-Za-z0-9+/])",
            _IGNORE,
        ),
        "", "prose", anchored_inside=True, validator=_said_token,
    ),
    Rule(
        "command-password", "", ("sshpass ",),
        late_pattern(r"sshpass[ \t]{1,4}-p[ \t]{0,4}" + _CLI_VALUE), "", "sshpass(1)",
    ),
    Rule(
        "command-password", "", (" login ",),
        late_pattern(r" login [^\n|;&]{0,200}?(?:-p|--password)[ =]{1,3}" + _CLI_VALUE),
        "", "docker login, podman login, helm registry login",
        anchored_inside=True,
        validator=lambda match: not match["secret"].startswith("-"),
    ),
    Rule(
        "command-password", "Redis", ("redis-cli ",),
        late_pattern(r"redis-cli [^\n|;&]{0,200}?(?:-a|--pass)[ =]{1,3}" + _CLI_VALUE),
        "", "redis-cli documentation",
    ),
    Rule(
        "command-password", "", ("-passin ", "-passout "),
        late_pattern(r"-pass(?:in|out)[ \t]{1,4}pass:(?P<secret>[^\s\"'$]{4,128}+)"), "", "openssl(1)",
    ),
    Rule(
        "wireguard", "WireGuard", ("PrivateKey", "PresharedKey"),
        late_pattern(r"(?:PrivateKey|PresharedKey)[ \t]{0,4}=[ \t]{0,4}(?P<secret>[A-Za-z0-9+/]{43}=)"),
        "2016", "wg(8): configuration file",
    ),
    Rule(
        "private-hex", "", ("rivate key", "rivate_key", "rivate-key", "rivateKey", "RIVATE_KEY"),
        late_pattern(
            r"private[ _-]?key[\"'`*]{0,3}(?: is)?[ \t]{0,4}[:=]?[ \t]{0,4}[\"'`]?"
            r"(?P<secret>(?:0x)?[0-9a-f]{64})(?![0-9a-f])", _IGNORE,
        ),
        "", "raw keys of 256 bits", anchored_inside=True, lookbehind=(1,),
    ),
    Rule(
        "rails", "Rails", ("secret_key_base", "SECRET_KEY_BASE", "RAILS_MASTER_KEY"),
        late_pattern(
            r"(?:secret_key_base|RAILS_MASTER_KEY)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
            r"(?P<secret>[0-9a-f]{32,256}+)", _IGNORE,
        ),
        "2013", "Rails guides: Securing Rails applications", anchored_inside=True,
        head=late_pattern("secret_key_base|RAILS_MASTER_KEY", _IGNORE),
    ),
    Rule(
        "npm-auth", "npm", ("_authToken",),
        late_pattern(r"_(?:authToken[ \t]{0,4}=[ \t]{0,4}[\"']?(?P<secret>[^\s\"'$<{]{12,1000}+))"),
        "2014", "npm docs: npmrc", anchored_inside=True,
    ),
    Rule(
        "mailgun", "Mailgun", ("mailgun", "Mailgun", "MAILGUN"),
        late_pattern(
            r"mailgun[^\n]{0,80}?(?<![0-9a-f])(?P<secret>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?![0-9a-f])",
            _IGNORE,
        ),
        "2018", "Mailgun docs: API keys", anchored_inside=True,
    ),
    Rule(
        "azure-functions", "Microsoft", ("code=", "x-functions-key"),
        late_pattern(
            r"(?:code=|x-functions-key[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?)"
            r"(?P<secret>[\w/+-]{52,60}={1,2})"
        ),
        "2016", "Azure Functions docs: Access keys", anchored_inside=True,
    ),
    Rule(
        "signature", "", ("X-Amz-Signature=", "X-Goog-Signature=", "X-Amz-Security-Token="),
        late_pattern(r"X-(?:Amz|Goog)-(?:Signature|Security-Token)=(?P<secret>[A-Za-z0-9%+/=_-]{32,4000}+)"),
        "2012", "AWS SigV4, Google Cloud Storage: signed URLs", anchored_inside=True,
    ),
)  # fmt: skip
