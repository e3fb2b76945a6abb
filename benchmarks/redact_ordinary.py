"""Ordinary screens by kind: values that look drawn at random and are no secrets.

Data for `redact_elsewhere.py`; nothing here knows the redactor. A kind draws one row of output. The
split is by kind and was fixed before any result was seen: rules are tuned on `TUNING` alone.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import base64
import random
import string
import uuid
from collections.abc import Callable

__all__ = ["HELD_OUT", "TUNING", "Kind"]

Kind = Callable[[random.Random], str]
_NIX = "0123456789abcdfghijklmnpqrsvwxyz"
_LOWER = string.ascii_lowercase + string.digits
_LETTERS = string.ascii_letters + string.digits
_POD = "bcdfghjklmnpqrstvwxz2456789"
_NAMES = (
    "openssl", "python3", "glibc", "ring", "retry-budget", "curl", "zlib", "billing", "gateway",
    "worker", "ingest", "frontend", "cache", "auth", "scheduler", "metrics",
)  # fmt: skip
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def _hex(rng: random.Random, size: int) -> str:
    return f"{rng.getrandbits(4 * size):0{size}x}"


def _b64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def _of(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choices(letters, k=size))


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _version(rng: random.Random) -> str:
    return f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(20)}"


def _name(rng: random.Random) -> str:
    return rng.choice(_NAMES)


def _any(*kinds: Kind) -> Kind:
    return lambda rng: rng.choice(kinds)(rng)


def _certificate(rng: random.Random) -> str:
    body = "MII" + _b64(rng, 300)
    rows = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *rows, "-----END CERTIFICATE-----"])


def _pod(rng: random.Random) -> str:
    return f"{_name(rng)}-{_of(rng, _POD, 9)}-{_of(rng, _POD, 5)}"


_ACCOUNT = "123456789012"
TUNING: dict[str, Kind] = {
    "Nix paths": _any(
        lambda r: f"/nix/store/{_of(r, _NIX, 32)}-{_name(r)}-{_version(r)}/bin/{_name(r)}",
        lambda r: f"building '/nix/store/{_of(r, _NIX, 32)}-{_name(r)}-{_version(r)}.drv'...",
        lambda r: f"  hash = \"sha256-{_b64(r, 32)}\";",
    ),
    "ARNs": _any(
        lambda r: f"arn:aws:iam::{_ACCOUNT}:role/{_name(r)}-{_of(r, string.ascii_uppercase + string.digits, 13)}",
        lambda r: f"arn:aws:ecs:eu-central-1:{_ACCOUNT}:task/{_name(r)}/{_hex(r, 32)}",
        lambda r: f'"TargetGroupArn": "arn:aws:elasticloadbalancing:us-east-1:{_ACCOUNT}:targetgroup/{_name(r)}/{_hex(r, 16)}"',
        lambda r: f"arn:aws:secretsmanager:eu-west-1:{_ACCOUNT}:secret:{_name(r)}-{_of(r, _LETTERS, 6)}",
    ),
    "pip hashes": _any(
        lambda r: f"{_name(r)}=={_version(r)} --hash=sha256:{_hex(r, 64)} \\",
        lambda r: f"    --hash=sha256:{_hex(r, 64)}",
        lambda r: f'{{file = "{_name(r)}-{_version(r)}.tar.gz", hash = "sha256:{_hex(r, 64)}"}},',
    ),
    "UUIDs and trace ids": _any(
        lambda r: f"request_id={_uuid(r)} trace_id={_hex(r, 32)} span_id={_hex(r, 16)}",
        lambda r: f"{{'sessionId': '{_uuid(r)}', 'parent': '{_uuid(r)}'}}",
        lambda r: f"traceparent: 00-{_hex(r, 32)}-{_hex(r, 16)}-01",
        lambda r: f"x-amzn-trace-id: Root=1-{_hex(r, 8)}-{_hex(r, 24)};Sampled=1",
    ),
    "checksums": _any(
        lambda r: f"{_hex(r, 64)}  dist/{_name(r)}-{_version(r)}.tar.gz",
        lambda r: f"{_hex(r, 32)}  {_name(r)}.iso",
        lambda r: f"SHA512 ({_name(r)}.tgz) = {_hex(r, 128)}",
        lambda r: f"{_hex(r, 40)} refs/heads/{_name(r)}",
    ),
    "public keys": _any(
        lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_b64(r, 33)[:43]} ada@{_name(r)}",
        lambda r: f"256 SHA256:{_b64(r, 33)[:43]} ada@{_name(r)} (ED25519)",
        lambda r: f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{_b64(r, 390)} ada@{_name(r)}",
        lambda r: "2048 MD5:" + ":".join(_hex(r, 2) for _ in range(16)) + " root (RSA)",
    ),
    "certificates": _any(
        _certificate,
        lambda r: "        " + ":".join(_hex(r, 2) for _ in range(15)) + ":",
        lambda r: "SHA256 Fingerprint=" + ":".join(_hex(r, 2).upper() for _ in range(32)),
    ),
    "settings": _any(
        lambda r: f"PASSWORD_MIN_LENGTH={r.randrange(8, 32)}",
        lambda r: f"TOKEN_EXPIRY_SECONDS={r.randrange(60, 90000)}",
        lambda r: f"secret_rotation_days: {r.randrange(10, 90)}",
        lambda r: f"PASSWORD_HASHER=argon2id_v{r.randrange(9)}",
        lambda r: f"api_key_header: X-Api-Key-V{r.randrange(4)}",
    ),
    "source and tests": _any(
        lambda r: f"tests/{_name(r)}/test_{_name(r)}_{r.randrange(99)}.py::test_retry[{_hex(r, 4)}] PASSED",
        lambda r: f"def compute_{_name(r).replace('-', '_')}_v{r.randrange(9)}(self, budget: int = {r.randrange(999)}):",
        lambda r: f"from {_name(r).replace('-', '_')}.core import RetryBudget, refill_every  # noqa: F401",
        lambda r: f"...{_name(r)}/src/main/java/org/acme/{_name(r).title()}Service.java:{r.randrange(400)}",
        lambda r: f"W {_name(r)}.go:{r.randrange(400)}] dial tcp 10.0.{r.randrange(99)}.{r.randrange(99)}:5432...",
    ),
    "git": _any(
        lambda r: f"commit {_hex(r, 40)} (HEAD -> main, origin/main)",
        lambda r: f"index {_hex(r, 7)}..{_hex(r, 7)} 100644",
        lambda r: f"{_hex(r, 9)} {_name(r)}: refill the budget in ticks",
        lambda r: f"   {_hex(r, 8)}..{_hex(r, 8)}  main -> main",
    ),
    "cloud ids": _any(
        lambda r: f"aws_instance.{_name(r)}: Creation complete after 12s [id=i-0{_hex(r, 16)}]",
        lambda r: f"vpc-0{_hex(r, 16)}  subnet-0{_hex(r, 16)}  sg-0{_hex(r, 16)}  ami-0{_hex(r, 16)}",
        lambda r: f"/subscriptions/{_uuid(r)}/resourceGroups/{_name(r)}/providers/Microsoft.Web/sites/{_name(r)}",
        lambda r: f"projects/acme-{r.randrange(10**6)}/locations/europe-west3/clusters/{_name(r)}",
        lambda r: f"https://{_name(r)}-{_of(r, _LOWER, 10)}-ew.a.run.app",
        lambda r: f"Distribution E{_of(r, string.ascii_uppercase + string.digits, 13)}  d{_of(r, _LOWER, 13)}.cloudfront.net",
    ),
    "data": _any(
        lambda r: f"background: url(data:image/png;base64,iVBORw0KGgo{_b64(r, 90)})",
        lambda r: f"{r.randrange(16**4):08x}: " + " ".join(_hex(r, 4) for _ in range(8)) + "  " + _of(r, "....ELF@.8.text", 16),
        lambda r: f"{r.randrange(16**4):08x}  " + " ".join(_hex(r, 2) for _ in range(8)) + "  " + " ".join(_hex(r, 2) for _ in range(8)),
        lambda r: f"https://acme.test/search?q=%E2%82%AC%20{_name(r)}%2F{_name(r)}&utm_source=%7Bcampaign%7D",
        lambda r: f'"\\u00fcber \\u20ac {_name(r)} \\u2014 \\u043f\\u0440\\u0438\\u0432\\u0435\\u0442"',
        lambda r: base64.b64encode(f"{_name(r)} is ready, and {_name(r)} waits".encode()).decode(),
    ),
    "videos and packages": _any(
        lambda r: f"https://youtu.be/{_of(r, _LETTERS + '-_', 11)}",
        lambda r: f"{_name(r)}-{_version(r)}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        lambda r: f"lib{_name(r)}1.{r.randrange(9)}-dev/noble-updates {_version(r)}-0ubuntu{r.randrange(9)}~24.04.1 amd64",
        lambda r: f"{_name(r)}@npm:{_version(r)}, {_name(r)}@workspace:*::hash={_hex(r, 6)}&version={_version(r)}",
        lambda r: f"bottle {_name(r)}--{_version(r)}.arm64_sequoia.bottle.tar.gz",
    ),
}  # fmt: skip
HELD_OUT: dict[str, Kind] = {
    "hardware": _any(
        lambda r: f"00:1f.{r.randrange(9)} SATA controller: Intel Corporation Device {_hex(r, 4)} (rev {r.randrange(30)})",
        lambda r: f"UUID={_uuid(r)} /home ext4 defaults 0 2",
        lambda r: f"usb-Generic_Flash_Disk_{_of(r, string.digits + 'ABCDEF', 8)}-0:0 -> ../../sdb",
        lambda r: f"wwn-0x5{_hex(r, 15)} -> ../../sda{r.randrange(9)}",
    ),
    "databases": _any(
        lambda r: f"LSN: {r.randrange(99)}/{_hex(r, 8).upper()}, prev {r.randrange(99)}/{_hex(r, 8).upper()}",
        lambda r: f'ObjectId("{_hex(r, 24)}")  {_name(r)}  {r.randrange(99999)}',
        lambda r: f" {r.randrange(9999)} | {_uuid(r)} | {_name(r)}@example.test | 2026-11-{r.randrange(10, 30)}",
    ),
    "builds": _any(
        lambda r: f"Cache restored from key: Linux-node-{_hex(r, 64)}",
        lambda r: f"https://ci.example.test/acme/{_name(r)}/actions/runs/{r.randrange(10**10, 10**11)}",
        lambda r: f"Compiling {_name(r)} v{_version(r)} (/home/ada/src/{_name(r)}) [{r.randrange(400)}/{r.randrange(400, 900)}]",
        lambda r: f"dist/assets/index-{_of(r, _LETTERS, 8)}.js   {r.randrange(900)}.{r.randrange(99)} kB",
        lambda r: f"target/debug/deps/{_name(r)}-{_hex(r, 16)}.rlib",
    ),
    "pod names": _any(
        lambda r: f"{_pod(r)}   1/1   Running   {r.randrange(9)}   {r.randrange(99)}h",
        lambda r: f"pod/{_pod(r)} condition met",
        lambda r: f"ip-10-0-{r.randrange(99)}-{r.randrange(99)}.ec2.internal  Ready  {_name(r)}-{_of(r, _POD, 5)}",
    ),
    "container digests": _any(
        lambda r: f"ghcr.io/acme/{_name(r)}@sha256:{_hex(r, 64)}",
        lambda r: f" ---> {_hex(r, 12)}",
        lambda r: f"Removing intermediate container {_hex(r, 12)}",
        lambda r: f"{_hex(r, 12)}: Pull complete",
        lambda r: f"=> exporting layers sha256:{_hex(r, 64)} 0.{r.randrange(9)}s",
    ),
    "a linker's references": _any(
        lambda r: f"main.cpp:(.text+0x{_hex(r, 3)}): undefined reference to `_ZN4{_name(r)[:4]}6Client4sendEPKc{r.choice('jmlx')}'",
        lambda r: f"/usr/bin/ld: /tmp/cc{_of(r, _LETTERS, 6)}.o: in function `_ZNSt6vectorI{_name(r)}SaIS0_EE'",
        lambda r: f"  {r.randrange(99)}: 0000000000{_hex(r, 6)}  {r.randrange(400)} FUNC GLOBAL DEFAULT 14 _{_name(r)}_v{r.randrange(9)}",
        lambda r: f"#{r.randrange(30)} 0x0000{_hex(r, 12)} in __libc_start_call_main () from /lib/x86_64-linux-gnu/libc.so.6",
    ),
    "lock files": _any(
        lambda r: f'      "integrity": "sha512-{_b64(r, 64)}",',
        lambda r: f"github.com/acme/{_name(r)} v{_version(r)} h1:{_b64(r, 32)}",
        lambda r: f'checksum = "{_hex(r, 64)}"',
        lambda r: f'  resolved "https://registry.acme.test/{_name(r)}/-/{_name(r)}-{_version(r)}.tgz#{_hex(r, 40)}"',
        lambda r: f"  github.com/acme/{_name(r)} v0.0.0-20{r.randrange(20, 26)}0{r.randrange(1, 9)}11094512-{_hex(r, 12)}",
    ),
    "record ids": _any(
        lambda r: f'"id": "msg_01{_of(r, _LETTERS, 22)}", "tool_use_id": "toolu_01{_of(r, _LETTERS, 22)}"',
        lambda r: f'{{"_id": {{"$oid": "{_hex(r, 24)}"}}, "user": "01{_of(r, _CROCKFORD, 24)}"}}',
        lambda r: f'"id": "call_{_of(r, _LETTERS, 24)}", "object": "chat.completion"',
        lambda r: f"order cus_{_of(r, _LETTERS, 14)} ch_{_of(r, _LETTERS, 24)} succeeded",
        lambda r: f"ETag: W/\"{_hex(r, 8)}-{_b64(r, 20)[:27]}\"",
        lambda r: f"x-request-id: {_of(r, _LETTERS, 16)}  cf-ray: {_hex(r, 16)}-FRA",
    ),
    "logs": _any(
        lambda r: f"2026-11-21T10:{r.randrange(60):02}:{r.randrange(60):02}.{r.randrange(1000):03}Z INFO {_name(r)} took {r.randrange(9999)} ms pid={r.randrange(99999)}",
        lambda r: f"GET /api/v1/{_name(r)}?page=2&next_page_token={_b64(r, 18)} 200 {r.randrange(99999)}",
        lambda r: f"[{r.randrange(99999)}.{r.randrange(10**6):06}] eth0: link up 02:42:{_hex(r, 2)}:{_hex(r, 2)}:{_hex(r, 2)}:{_hex(r, 2)} fe80::{_hex(r, 4)}:{_hex(r, 4)}:fe{_hex(r, 2)}:{_hex(r, 4)}",
        lambda r: f"-rw-r--r-- 1 ada ada 4096 /tmp/tmp{_of(r, _LOWER, 8)}/{_hex(r, 12)}.log",
        lambda r: f"writing main.{_hex(r, 8)}.chunk.js, vendors~main.{_hex(r, 20)}.js",
    ),
}  # fmt: skip
