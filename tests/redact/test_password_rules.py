"""Each form by an example drawn here, and what looks like it and is none."""

import random
import string

import pytest

from dejavu.redact import Redactor

REDACTOR = Redactor(b"key")
RANDOM = random.Random(7)


def drawn(count: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(RANDOM.choices(letters, k=count))


HEX, BASE64 = "0123456789abcdef", string.ascii_letters + string.digits + "+/"
UUID = f"{drawn(8, HEX)}-{drawn(4, HEX)}-{drawn(4, HEX)}-{drawn(4, HEX)}-{drawn(12, HEX)}"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD={}", "Xk9!pQ2z"),
        ("POSTGRES_PASSWORD: {}", "s3cretPw"),
        ("PGPASSWORD={} psql", "Tr0ub4dor&3xyz"),
        ("MYSQL_ROOT_PASSWORD={}", "p;q!r$t7"),
        ('{{"password": "{}"}}', "ab12cd"),
        ("redis_pass = '{}'", "k!tten99"),
        ("spring.datasource.password={}", "Qw3rty!z"),
        ("ENV API_KEY {}", drawn(24)),
        ("ENV DB_PASSWORD {}", "hunter2x"),
        ("setenv SERVICE_TOKEN {}", drawn(30)),
        ("set -gx AWS_SECRET {}", drawn(40)),
        ("set -x GH_TOKEN {}", drawn(40)),
        ("aws configure set aws_secret_access_key {}", drawn(40, BASE64)),
        ("mysql -u root -p{} shop", "s3cr3t!"),
        ("mysqldump -h db -u app -p{} --all", drawn(14)),
        ("sshpass -p {} ssh host", "Passw0rd"),
        ("sshpass -p '{}' ssh host", "Passw0rd"),
        ("docker login -u me -p {} registry.example.org", drawn(16)),
        ("redis-cli -h cache -a {} ping", drawn(20)),
        ("openssl rsa -in k.pem -passin pass:{}", "s3cr3t99"),
        ("PrivateKey = {}", drawn(43, BASE64) + "="),
        ("private key: {}", drawn(64, HEX)),
        ("  secret_key_base: {}", drawn(128, HEX)),
        ("RAILS_MASTER_KEY={}", drawn(32, HEX)),
        ("//registry.example.org/:_authToken={}", UUID),
        ("Mailgun key {}", f"{drawn(32, HEX)}-{drawn(8, HEX)}-{drawn(8, HEX)}"),
        ("https://x.azurewebsites.net/api/f?code={}", drawn(54) + "=="),
        ("GET /o?X-Amz-Date=1&X-Amz-Signature={}", drawn(64, HEX)),
        ("the password is {}, do not lose it", "hunter2-blue-42"),
        ("I set the root password to {}.", "c0rrect.horse"),
        ("xai-{}", drawn(40) + "_" + drawn(39)),
        ("{}", "GOOG1E" + drawn(55, string.ascii_uppercase + string.digits)),
        ("{}", drawn(42, BASE64) + "+ACR" + "A" + drawn(5)),
    ],
)  # fmt: skip
def test_found(text: str, secret: str) -> None:
    clean = REDACTOR.redact(text.format(secret))
    assert "[redacted:" in clean
    assert not any(secret[i : i + 6] in clean for i in range(len(secret) - 5)), clean


@pytest.mark.parametrize(
    "text",
    [
        "POSTGRES_PASSWORD=postgres",
        "password: str = Field(min_length=8)",
        "password=os.environ['DB_PASSWORD']",
        "password = getpass.getpass()",
        "DB_PASSWORD=${DB_PASSWORD:-changeme1}",
        "DB_PASSWORD=<your-password1>",
        "password: 'password1'",
        "pwd=/work/pond/src2",
        "passwd: files systemd",
        "the password is stored in the keychain",
        "The password is hashed with bcrypt 12 times",
        "ENV PATH /usr/local/bin:$PATH",
        "ENV API_KEY_FILE /run/secrets/key1",
        "export TOKEN",
        "set -euo pipefail",
        "mysql -u root -p shop",
        "mkdir -p some/folder2",
        "docker login registry.example.org",
        "private key: see the file",
        "sha256 " + drawn(64, HEX),
        "public key: " + drawn(64, HEX),
        "code=200&state=ready",
        "if password != confirm_password2:",
        "self.password = password2",
    ],
)
def test_near_misses_stay(text: str) -> None:
    assert REDACTOR.redact(text) == text


LABELLED = "Zk3bq9LmXt7Rv2Nc5Hd8Gs1Pw4Jf6Ky0"


@pytest.mark.parametrize(
    "text",
    [
        "API key: {}",
        "api key = {}",
        "Your API key is {}",
        "Secret key: {}",
        "Secret access key: {}",
        "AWS Secret Access Key [None]: {}",
        "access token {}",
        "Encryption key: {}",
        "Recovery code: {}",
        "pw: {}",
        "PASS={}",
        "密码：{}",
        "パスワード: {}",
        "пароль: {}",
        "Passwort: {}",
        "contraseña: {}",
        'setApiKey("{}")',
        "zip -P {} a.zip b",
        "7z x -p{} a.7z",
        "openssl enc -aes256 -k {}",
        "using token {} for user 42",
        "auth_token {}",
        'mysql -p"{}" shop',
    ],
)
def test_values_below_common_labels_go(text: str) -> None:
    assert LABELLED[:10] not in Redactor(b"key").redact(text.format(LABELLED))


@pytest.mark.parametrize(
    "text",
    [
        "see the API key documentation page",
        "the secret key is in vault/prod/app1",
        "token count is 1200 for this run",
        "license key: required",
        "next page token CAESBkdIb3Q5N0tKSDlLdE1uUA",
        "PASS=1 tests",
        "Access token: see below",
        "encryption key rotation happened on 2026-11-27",
        "KeyError: getKey('name_of_the_thing_2')",
    ],
)
def test_words_behind_such_labels_stay(text: str) -> None:
    assert Redactor(b"key").redact(text) == text


@pytest.mark.parametrize("length", [65, 80, 200])
def test_a_long_password_goes_whole(length: int) -> None:
    value = ("aB3$xY7-" * 40)[:length]
    for text in (f"mysql -p{value} shop", f"password={value}"):
        assert "aB3$xY7" not in Redactor(b"key").redact(text)
