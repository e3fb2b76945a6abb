"""Commands, statements and files that take a secret without a `=`; and what looks like them."""

import random
import string

import pytest

from dejavu.redact import Redactor

REDACT = Redactor(b"key").redact
RANDOM = random.Random(5)
A, H = string.ascii_letters + string.digits, "0123456789abcdef"


def d(count: int, letters: str = A) -> str:
    return "".join(RANDOM.choices(letters, k=count))


FOUND = [
    ("mysql --password={}", "hunter2x"),
    ("svn co --password {} url", "s3cretPw"),
    ("mongosh -u a -p {} db", "s3cretPw1"),
    ("ALTER ROLE app WITH PASSWORD '{}';", "s3cretPw"),
    ("CREATE USER a IDENTIFIED BY '{}'", "Xk9!pQ2z"),
    ("echo 'root:{}' | chpasswd", "s3cretPw1"),
    ("requirepass {}", "f00bared9x"),
    ("bindpw {}", "s3cretPw1"),
    ("API_KEY\t{}", d(32)),
    ("SERVICE_TOKEN   {}", d(32)),
    ("DB_PASSWORD\t{}", "Xk9!pQ2z"),
    ("DB_PASSWORD   {}", "Xk9!pQ2z"),
    ("ConvertTo-SecureString '{}' -AsPlainText", "P@ssw0rd1"),
    ("net use x: \\\\srv\\s /user:bob {}", "P@ssw0rd1"),
    ("cmdkey /add:x /user:y /pass:{}", "P@ssw0rd1"),
    ("ldapsearch -D cn=x -w {} -b y", "s3cretPw1"),
    ("smbclient //s/x -U bob%{}", "s3cretPw1"),
    ("sqlplus scott/{}@orcl", "t1gerX99"),
    ("htpasswd -b f bob {}", "s3cretPw1"),
    ("psql 'host=x password={} dbname=y'", "s3cr3tPw"),
    ("Server=x;User Id=y;Password={};", "Xk9!pQ2z"),
    ("wget --http-password={} u", "s3cretPw"),
    ("wget --password={} u", "s3cretPw"),
    ("az login -u x -p {}", "Xk9!pQ2z11"),
    ("vault login {}", "s." + d(24)),
    ("gh auth login --with-token <<< {}", "ghp_" + d(36)),
    ("export PGPASSWORD='{}'", "a&b;c!d$9"),
    ("passwd: {}", "hunter2x"),
    ('pass = "{}"', "hunter2x!"),
    ("password={}&user=x", "Xk9pQ2z1"),
    ("passwort: {}", "Geheim99!"),
    ("pwd={};", "Xk9pQ2z1"),
    ("<password>{}</password>", "Xk9pQ2z1!"),
    ('<add key="ApiKey" value="{}"/>', d(32)),
    ("password: |\n  {}", "Xk9!pQ2z"),
    ('"password" : "{}"', "abc123!"),
    ("set PASSWORD={}", "Xk9!pQ2z"),
    ('$env:API_KEY = "{}"', d(32)),
    ('os.environ["OPENAI_KEY"] = "{}"', d(40)),
    ("process.env.API_KEY = '{}'", d(32)),
    ("kubectl create secret generic a --from-literal=pw={}", "Xk9!pQ2zq"),
    ("heroku config:set SECRET={}", d(32)),
    ("fly secrets set TOKEN={}", d(32)),
    ("x-api-key: {}", d(32)),
    ("curl -H 'X-Auth-Token: {}' u", d(40)),
    ("curl -u bob:{} https://x", "s3cretPw"),
    ("http --auth bob:{} u", "s3cretPw1"),
    ("Cookie: session={}", d(40)),
    ("Set-Cookie: sid={}; Path=/", d(40)),
    ("https://x/?api_key={}", d(32)),
    ("https://x/?access_token={}&x=1", d(40)),
    ("?token={}", d(40)),
    ("kind: Secret\nmetadata:\n  name: x\ndata:\n  a: {}\n", d(24) + "=="),
    ("the passcode is {}", "98Xk-41zz"),
    ("my password: {}", "Sommer2024"),
    ("PIN code password is {}", "Xy12345"),
    ("secret: {}", d(20)),
    ("client_secret={}", d(32)),
    ("aws_secret_access_key={}", d(40, A + "+/")),
    ("AWS_SECRET_ACCESS_KEY\t{}", d(40, A + "+/")),
    ("secretAccessKey {}", d(40, A + "+/")),
    ("redis://:{}@h:6379", "s3cretPw"),
    ("amqp://u:{}@h", "gu3st!x"),
    ('psk="{}"', "W1fiPassw0rd"),
    ("wpa_passphrase ssid {}", "W1fiPassw0rd"),
    ("enable secret 5 {}", "$1$abcd$" + d(22)),
    ("ansible_password: {}", "Xk9!pQ2z"),
    ("ansible_ssh_pass={}", "Xk9!pQ2z"),
    ("become_pass: {}", "Xk9!pQ2z"),
    ("secret_key = '{}'", "django-insecure-" + d(40, A + "!@#%^&*(-_=+)")),
    ("SECRET_KEY_BASE={}", d(64, H)),
    ("private_token: {}", d(20)),
    ("PRIVATE-TOKEN: {}", d(20)),
    ("MASTER_KEY={}", d(32, H)),
    ("encryption key: {}", d(64, H)),
    ("hmac_secret: {}", d(32)),
    ("totp: {}", "JBSWY3DPEHPK3PXP"),
    ("otpauth://totp/x?secret={}&issuer=y", "JBSWY3DPEHPK3PXP"),
]


@pytest.mark.parametrize(("form", "secret"), FOUND)
def test_found(form: str, secret: str) -> None:
    out = REDACT(form.replace("{}", secret))
    assert "[redacted:" in out
    assert not any(secret[i : i + 6] in out for i in range(max(len(secret) - 5, 1))), out


@pytest.mark.parametrize(
    "text",
    [
        "svn co --password $PASSWORD url", "mongosh -u a -p db", "ldapsearch -w secret -b y",
        "sqlplus /nolog",
        "ALTER ROLE app WITH PASSWORD 'changeme'", "requirepass yes", "API_KEY\tthe key of the service",
        "KEY_ALL_ACCESS | KEY_WOW64_32KEY", "| API_KEY | required |", "TOKEN  description",
        "<password>{value}</password>",
        "password = auth[2]", "password = self._decode_base64(arg)", "the password> prompt", "psk=none",
        "kubectl create secret generic a --from-literal=name=value", "http GET example.org/user:bob",
        "kind: Secret\nmetadata:\n  name: x\n", "encryption key: see the manual", "totp: enabled",
        "vault login method", "okta token: required", "reliably key: value", "enable secret service",
        "username bob password", "passwort: ja", "pass = os.environ['PASS']", "--pass-through",
        "net user bob /delete", "echo user:group | chown", "--api-key=$API_KEY",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACT(text) == text
