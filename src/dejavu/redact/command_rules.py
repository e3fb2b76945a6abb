"""Rules for secrets that commands, statements and settings take without a `=`, and for encoded keys.

A value follows an option, a keyword or a tab, or has a column to itself. `encoded_rules` are for keys
in base64: of a PEM file, of DER without a header, and of any vendor's token; the beginning of an
encoded text is known where the beginning of the text is. Data, made from the vendors' tables, and the
validators that need code. Cost: constant for an attempt.
"""

import base64
import binascii
import re
from collections.abc import Iterable

from dejavu.model.late_pattern import late_pattern

from .generic_rules import PEM_BODY
from .heuristics import is_plausible_secret, is_short_password
from .rule import Rule, companion

__all__ = ["RULES", "encoded_rules"]

_IGNORE = re.IGNORECASE
_ARGUMENT = r"(?P<quote>[\"']?)(?P<secret>[^\s\"'$<{*|>&-][^\s\"']{3,127}+)"


def _password(match: re.Match[str]) -> bool:
    return is_short_password(match["secret"], setting=True, quoted=True)


def _mixed(match: re.Match[str]) -> bool:
    """Whether letters are mixed with digits or signs, as in a password and not in a word or a flag."""
    value = match["secret"].rstrip(".,;:)")
    return len(value) >= 6 and not value.isalpha() and any(map(str.isalpha, value))


def _in_a_column(match: re.Match[str]) -> bool:
    name, text = match["key"], match.string
    line = text[text.rfind("\n", max(match.start() - 80, 0), match.start()) + 1 : match.start()]
    if "|" in match["gap"] and not line.lstrip().startswith("|"):
        return False
    if "PASS" in name or "PWD" in name:
        return is_short_password(match["secret"], setting=True, quoted=False)
    return is_plausible_secret(match["secret"], key=name, before="", quoted=False)


def _command(words: str, pattern: str, source: str, *, flags: int = 0) -> Rule:
    """Return the rule of a password in a command; `words`: one anchor a line."""
    anchors = tuple(words.split("\n"))
    return Rule(
        "command-password", "", anchors, late_pattern(pattern, flags), "", source,
        validator=_mixed,
    )  # fmt: skip


_REST = r"[^\n|;]{0,160}?"

RULES = (
    Rule(
        "option", "", ("--pass", "--http-pass", "--proxy-pass", "--db-pass", "--admin-pass", "/pass:", "/p:"),
        late_pattern(r"(?:--(?:[a-z]{1,8}-)?pass(?:word|wd|phrase)?[ =]|/p(?:ass)?:)" + _ARGUMENT, _IGNORE),
        "", "command lines", validator=_password,
    ),
    _command("mongosh \nmongo \nmongodump \nmongorestore ",
             rf"mongo[a-z]{{0,7}} {_REST}(?<= )-p[ =]?" + _ARGUMENT, "MongoDB docs: mongosh"),
    _command("ldapsearch \nldapmodify \nldapadd \nldapwhoami \nldapdelete ",
             rf"ldap[a-z]{{3,8}} {_REST}(?<= )-w[ ]?" + _ARGUMENT, "ldapsearch(1)"),
    _command("smbclient \nrpcclient \nsmbmap \nmount.cifs ",
             rf"(?:smb|rpc|mount)[a-z.]{{1,8}} {_REST}-U ?[\"']?[^\s%\"']{{1,64}}%"
             r"(?P<secret>[^\s\"']{4,128}+)",
             "smbclient(1)"),
    _command("sqlplus \nexpdp \nimpdp \nrman ",
             rf"(?:sqlplus|expdp|impdp|rman) {_REST}\b[A-Za-z][\w$]{{1,30}}/(?P<secret>[^\s@/\"']{{4,64}}+)@",
             "Oracle docs: SQL*Plus"),
    _command("htpasswd ",
             rf"htpasswd {_REST}-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}} \S{{1,200}} \S{{1,64}} " + _ARGUMENT,
             "htpasswd(1)"),
    _command("echo ",
             r"echo (?:-n )?[\"']?[\w.-]{1,32}:(?P<secret>[^\s\"':]{6,128}+)[\"']?"
             r" {0,2}\| {0,2}(?:sudo )?chpasswd",
             "chpasswd(8)"),
    _command("net use \nnet user ",
             r"net use[r]? [^\n]{0,120}?(?:/user:\S{1,80}|net user \S{1,40}) " + _ARGUMENT,
             "Windows commands: net use", flags=_IGNORE),
    _command("ConvertTo-SecureString", r"ConvertTo-SecureString(?: -String)? " + _ARGUMENT,
             "PowerShell docs: ConvertTo-SecureString"),
    _command("wpa_passphrase ", r"wpa_passphrase \S{1,40} " + _ARGUMENT, "wpa_passphrase(8)"),
    _command("http \nhttps \nxh ",
             rf"(?:https?|xh) {_REST}(?:-a|--auth)[ =][\"']?[^\s:\"']{{1,64}}:(?P<secret>[^\s\"']{{6,128}}+)",
             "HTTPie docs: authentication"),
    _command("--from-literal=",
             r"--from-literal=[\w.-]{0,60}(?:pass|pw|pwd|secret|token|key)[\w.-]{0,20}=[\"']?(?P<secret>[^\s\"']{6,512}+)",
             "kubectl docs: create secret", flags=_IGNORE),
    _command("requirepass \nmasterauth \nbindpw \nrootpw \nauth_pass \nsasl_passwd ",
             r"(?:requirepass|masterauth|bindpw|rootpw|auth_pass|sasl_passwd)[ \t]{1,8}" + _ARGUMENT,
             "redis.conf; nslcd.conf(5); slapd.conf(5); keepalived.conf(5)"),
    _command("psk=\npsk =", r"psk ?= ?" + _ARGUMENT, "wpa_supplicant.conf(5)"),
    _command("enable secret \nenable password \nusername ",
             r"(?:enable|username \S{1,40}(?: privilege \d{1,2})?) (?:secret|password)(?: [05789])? "
             + _ARGUMENT.replace("$", ""),
             "Cisco IOS command reference"),
    Rule(
        "sql-password", "", ("IDENTIFIED BY", "identified by", "Identified by", "PASSWORD '", "password '",
        "PASSWORD \"",
                             "IDENTIFIED WITH", "identified with"),
        late_pattern(
            r"(?:identified (?:by|with \S{1,40} (?:by|as))|password) "
            r"(?P<quote>[\"'])(?P<secret>[^\n\"']{6,128})(?P=quote)", _IGNORE,
        ),
        "", "SQL: CREATE USER, ALTER ROLE", validator=_password,
    ),
    # NAME<tab>value, and the columns that commands print settings in.
    Rule(
        "assignment", "", ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS"),
        late_pattern(
            r"(?P<key>(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS))(?:_[A-Z0-9]{1,12}){0,2}"
            r"[\"'`]?(?P<gap>\t| {2,16}|[ \t]{0,4}\|[ \t]{1,8})[ \t`]{0,40}"
            r"(?P<quote>[\"']?)(?P<secret>[^\s\"'`|]{6,256}+)"
        ),
        "", "tables of settings", validator=_in_a_column,
    ),
    Rule(
        "assignment", "", ("secretAccessKey ", "SecretAccessKey ", "secret_access_key "),
        late_pattern(r"secret_?access_?key[ \t]{1,8}(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])", _IGNORE),
        "2006", "AWS docs: credentials",
    ),
    Rule(
        "assignment", "", ('KEY"]', "KEY']", 'TOKEN"]', "TOKEN']", 'SECRET"]', "SECRET']"),
        late_pattern(
            r"(?P<key>KEY|TOKEN|SECRET)[\"']\][ \t]{0,4}=[ \t]{0,4}"
            r"(?P<quote>[\"'])(?P<secret>[^\s\"']{12,256}+)"
        ),
        "", "names of settings",
        validator=lambda match: is_plausible_secret(match["secret"], key="_KEY", before="", quoted=True),
    ),
    Rule(
        "password", "", ("password>", "Password>", "passwd>", "secret>", "Secret>", "clientSecret>",
        "password: |", "Password: |", "password: >"),
        late_pattern(
            r"(?:passw(?:or)?d|(?:client)?secret)(?:>[ \t]{0,2}|:[ \t]{1,2}[|>]-?\s{1,16})"
            r"(?P<quote>[\"']?)(?P<secret>[^\s\"'<>]{6,128}+)(?=\s|[<\"']|$)", _IGNORE,
        ),
        "", "XML, YAML blocks", validator=_password,
    ),
    Rule(
        "password", "", ("pass ", "pass=", "pass:"),
        late_pattern(r"pass[ \t]{0,3}[:=][ \t]{0,3}(?P<quote>[\"'])(?P<secret>[^\s\"'<>]{6,128}+)(?P=quote)"),
        "", "names of settings", validator=_password,
    ),
    Rule(
        "password", "", ("passwort", "Passwort", "PASSWORT", "kennwort", "Kennwort", "motdepasse",
        "mot de passe", "Mot de passe",
                         "contraseña", "Contraseña", "senha", "Senha"),
        late_pattern(
            r"(?:passwort|kennwort|mot ?de ?passe|contraseña|senha)[\"']?[ \t]{0,3}[:=][ \t]{0,3}"
            r"(?P<quote>[\"']?)(?P<secret>[^\s\"'<>]{6,128}+)", _IGNORE,
        ),
        "", "names of settings in other languages", validator=_password,
    ),
    Rule(
        "kube-secret", "Kubernetes", ("kind: Secret",),
        late_pattern(
            r"kind: Secret\b(?:(?!\n---)[\s\S]){0,600}?\n[ \t]{0,8}(?:data|stringData):[ \t]{0,8}"
            r"(?P<secret>(?:\n[ \t]{1,16}[\w.-]{1,80}:[ \t]{1,4}[^\s{][^\n]{3,8000}){1,64})"
        ),
        "2015", "Kubernetes docs: Secrets",
    ),
    Rule(
        "private-hex", "", ("encryption key", "Encryption key", "signing key", "master key", "secret key",
        "Secret key"),
        late_pattern(
            r"(?:encryption|signing|master|secret) key[\"'`*]{0,3}(?: is)?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?"
            r"(?P<secret>(?:0x)?[0-9a-f]{32,128}+)(?![0-9a-f])", _IGNORE,
        ),
        "", "raw keys",
    ),
    Rule(
        "totp", "", ("totp", "TOTP", "otpauth://", "OTP_SECRET", "otp_secret", "mfa_secret", "MFA_SECRET"),
        late_pattern(
            r"(?:[tT][oO][tT][pP][\w ]{0,20}[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
            r"|otpauth://[^\s\"']{0,200}?secret=|(?:otp|mfa)_secret[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?)"
            r"(?P<secret>[A-Z2-7]{16,128}+={0,6})(?![a-z0-9])"
        ),
        "2011", "RFC 6238; Key Uri Format",
    ),
    Rule(
        "vault", "HashiCorp", ("vault ", "VAULT_TOKEN", "X-Vault-Token"),
        late_pattern(
            r"(?:vault login |VAULT_TOKEN[= :]{1,3}|X-Vault-Token: ?)[\"']?"
            r"(?P<secret>s\.[A-Za-z0-9]{24})(?![A-Za-z0-9])"
        ),
        "2015", "Vault docs: Tokens",
    ),
    Rule(
        "gitlab", "GitLab", ("_gitlab_session=", "feed_token=", "incoming+"),
        late_pattern(r"(?:_gitlab_session|feed_token)=(?P<secret>[\w-]{20,64}+)"),
        "2014", "GitLab docs: Token overview",
    ),
    Rule(
        "basic", "Sidekiq", ("CONTRIBSYS__COM=",),
        late_pattern(r"CONTRIBSYS__COM[=: ]{1,3}[\"']?(?P<secret>[0-9a-f]{8}:[0-9a-f]{8})\b"),
        "2015", "Sidekiq wiki: Commercial installation",
    ),
    # A name of a vendor with hex or base64 of the length that it issues: Okta, Datadog and others.
    Rule(
        "named-key", "", tuple(
            form for word in ("okta", "datadog", "zendesk", "trello", "algolia", "fastly", "heroku",
            "linode", "vultr",
                              "hetzner", "mistral", "cohere", "deepgram", "assemblyai", "sumologic",
                              "messagebird",
                              "rapidapi", "finnhub", "coinbase", "kraken", "etherscan", "infura", "alchemy",
                              "codecov",
                              "travis", "sendbird", "looker", "opsgenie", "pagerduty", "rollbar", "bugsnag",
                              "postmark",
                              "mailjet", "sparkpost", "freshdesk", "serpapi", "scrapingbee", "pusher",
                              "ably", "vonage", "cloudflare", "paypal", "spotify", "plaid", "binance", "auth0",
                              "discord",
                              "mixpanel", "amplitude", "dwolla", "strava", "jira", "zoom", "sendinblue",
                              "nexmo", "twilio", "cloudinary", "dropbox", "bittrex", "kucoin", "airbrake",
                              "droneci")
            for form in (word, word.upper(), word.capitalize())
        ),
        late_pattern(
            r"[A-Za-z]{4,12}[ _.-]{0,2}[\w .-]{0,24}?(?:key|token|secret|sid|auth)[\"'`]{0,2}"
            r"(?:[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}| is )[\"'`]?"
            r"(?P<secret>[A-Za-z0-9_=-]{20,128}+)(?![\w/.-])", _IGNORE,
        ),
        "", "vendors' docs: API keys without a prefix",
        validator=lambda match: is_plausible_secret(match["secret"], key="token", before="", quoted=True),
        companions=(
            companion("named-key", r"(?:[A-Za-z]{0,60}[0-9]|[0-9]{1,60}[A-Za-z])[\w~-]{18,100}+", lines=2),
        ),
    ),
)  # fmt: skip


_SHORTEST_PREFIX = 4  # characters of a token's prefix: five and a third in base64
_TOKEN = re.compile(rb"[\x20-\x7e\s]+")
_BODY = r"[A-Za-z0-9+/]{20,4096}+={0,2}"
_PEM = r"[A-Za-z0-9+/]{40,65536}+(?:(?:\\{1,4}[nr]|\s){1,8}[A-Za-z0-9+/]{16,128}+){0,400}+={0,2}"
_DER = (
    "MIIBOg", "MIIBOw", "MIICW", "MIICX", "MIICd", "MIIEo", "MIIEp", "MIIEv", "MIIG4", "MIIG5", "MIIJJ",
    "MIIJK", "MIIJQ", "MIIJR", "MIGHAgEA", "MIG2AgEA", "MHcCAQEEI", "MC4CAQAw", "b3BlbnNzaC1rZXktdjEA",
)  # fmt: skip


def _start(prefix: str) -> str:
    """Return what base64 of every text with this prefix begins with."""
    return base64.b64encode(prefix.encode()).decode().rstrip("=")[: len(prefix) * 8 // 6]


def _is_private(match: re.Match[str]) -> bool:
    return b"PRIVATE KEY" in _decoded(match[0][:60])


def _is_text(match: re.Match[str]) -> bool:
    """Whether what is encoded is a text: chance gives no forty printable characters."""
    return _TOKEN.fullmatch(_decoded(match[0])) is not None


def _decoded(text: str) -> bytes:
    text = text.rstrip("=")
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def encoded_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules for base64 of keys, and of the tokens of these rules."""
    prefixes = {
        anchor
        for rule in rules
        if rule.random and not rule.lookbehind
        for anchor in rule.anchors
        if len(anchor) >= _SHORTEST_PREFIX
    }
    return (
        Rule(
            "private-key-b64", "", (_start("-----BEGIN "),),
            late_pattern(_start("-----BEGIN ") + _PEM),
            "", "base64 of RFC 7468", validator=_is_private,
        ),
        Rule(
            "private-key-der", "", _DER,
            late_pattern(
                r"(?:MII[A-Za-z0-9+/]{2,4}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAAK[BC])|MIG[H2]AgEAM|MHcCAQEEI"
                rf"|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/=]{{16,}}+(?:{PEM_BODY})*+"
            ),
            "", "RFC 5208, RFC 5915, RFC 8017; OpenSSH PROTOCOL.key",
        ),
        Rule(
            "token-b64", "", tuple(sorted({_start(prefix) for prefix in prefixes})), late_pattern(_BODY),
            "", "base64 of a vendor's token", validator=_is_text,
        ),
    )  # fmt: skip
