"""Ordinary screens by kind: values that look drawn at random and are no secrets.

Data for `elsewhere.py`; nothing here knows the redactor. A kind draws one row of output.
Rules are tuned on these; `ordinary_heldout*.py` has those that judge.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import base64
import random
import string
import uuid
from collections.abc import Callable

__all__ = [
    "LOWER",
    "MIXED",
    "TUNING",
    "UPPER",
    "Kind",
    "any_of",
    "b64",
    "drawn_of",
    "hexadecimal",
    "name",
    "new_uuid",
    "number",
    "version",
]

Kind = Callable[[random.Random], str]
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
MIXED = string.ascii_letters + string.digits
_NIX = "0123456789abcdfghijklmnpqrsvwxyz"
_POD = "bcdfghjklmnpqrstvwxz2456789"
_NAMES = (
    "openssl", "python3", "glibc", "ring", "retry-budget", "curl", "zlib", "billing", "gateway",
    "worker", "ingest", "frontend", "cache", "auth", "scheduler", "metrics",
)  # fmt: skip
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def hexadecimal(rng: random.Random, size: int) -> str:
    return f"{rng.getrandbits(4 * size):0{size}x}"


def b64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def drawn_of(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choices(letters, k=size))


def new_uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def version(rng: random.Random) -> str:
    return f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(20)}"


def name(rng: random.Random) -> str:
    return rng.choice(_NAMES)


def number(rng: random.Random, most: int = 5000) -> int:
    return rng.randrange(1, most)


def any_of(*kinds: Kind) -> Kind:
    return lambda rng: rng.choice(kinds)(rng)


def _certificate(rng: random.Random) -> str:
    body = "MII" + b64(rng, 300)
    rows = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *rows, "-----END CERTIFICATE-----"])


def _pod(rng: random.Random) -> str:
    return f"{name(rng)}-{drawn_of(rng, _POD, 9)}-{drawn_of(rng, _POD, 5)}"


_ACCOUNT = "123456789012"
TUNING: dict[str, Kind] = {
    "Nix paths": any_of(
        lambda r: f"/nix/store/{drawn_of(r, _NIX, 32)}-{name(r)}-{version(r)}/bin/{name(r)}",
        lambda r: f"building '/nix/store/{drawn_of(r, _NIX, 32)}-{name(r)}-{version(r)}.drv'...",
        lambda r: f"  hash = \"sha256-{b64(r, 32)}\";",
    ),
    "ARNs": any_of(
        lambda r: f"arn:aws:iam::{_ACCOUNT}:role/{name(r)}-{drawn_of(r, string.ascii_uppercase + string.digits, 13)}",
        lambda r: f"arn:aws:ecs:eu-central-1:{_ACCOUNT}:task/{name(r)}/{hexadecimal(r, 32)}",
        lambda r: f'"TargetGroupArn": "arn:aws:elasticloadbalancing:us-east-1:{_ACCOUNT}:targetgroup/{name(r)}/{hexadecimal(r, 16)}"',
        lambda r: f"arn:aws:secretsmanager:eu-west-1:{_ACCOUNT}:secret:{name(r)}-{drawn_of(r, MIXED, 6)}",
    ),
    "pip hashes": any_of(
        lambda r: f"{name(r)}=={version(r)} --hash=sha256:{hexadecimal(r, 64)} \\",
        lambda r: f"    --hash=sha256:{hexadecimal(r, 64)}",
        lambda r: f'{{file = "{name(r)}-{version(r)}.tar.gz", hash = "sha256:{hexadecimal(r, 64)}"}},',
    ),
    "UUIDs and trace ids": any_of(
        lambda r: f"request_id={new_uuid(r)} trace_id={hexadecimal(r, 32)} span_id={hexadecimal(r, 16)}",
        lambda r: f"{{'sessionId': '{new_uuid(r)}', 'parent': '{new_uuid(r)}'}}",
        lambda r: f"traceparent: 00-{hexadecimal(r, 32)}-{hexadecimal(r, 16)}-01",
        lambda r: f"x-amzn-trace-id: Root=1-{hexadecimal(r, 8)}-{hexadecimal(r, 24)};Sampled=1",
    ),
    "checksums": any_of(
        lambda r: f"{hexadecimal(r, 64)}  dist/{name(r)}-{version(r)}.tar.gz",
        lambda r: f"{hexadecimal(r, 32)}  {name(r)}.iso",
        lambda r: f"SHA512 ({name(r)}.tgz) = {hexadecimal(r, 128)}",
        lambda r: f"{hexadecimal(r, 40)} refs/heads/{name(r)}",
    ),
    "public keys": any_of(
        lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(r, 33)[:43]} ada@{name(r)}",
        lambda r: f"256 SHA256:{b64(r, 33)[:43]} ada@{name(r)} (ED25519)",
        lambda r: f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b64(r, 390)} ada@{name(r)}",
        lambda r: "2048 MD5:" + ":".join(hexadecimal(r, 2) for _ in range(16)) + " root (RSA)",
    ),
    "certificates": any_of(
        _certificate,
        lambda r: "        " + ":".join(hexadecimal(r, 2) for _ in range(15)) + ":",
        lambda r: "SHA256 Fingerprint=" + ":".join(hexadecimal(r, 2).upper() for _ in range(32)),
    ),
    "settings": any_of(
        lambda r: f"PASSWORD_MIN_LENGTH={r.randrange(8, 32)}",
        lambda r: f"TOKEN_EXPIRY_SECONDS={r.randrange(60, 90000)}",
        lambda r: f"secret_rotation_days: {r.randrange(10, 90)}",
        lambda r: f"PASSWORD_HASHER=argon2id_v{r.randrange(9)}",
        lambda r: f"api_key_header: X-Api-Key-V{r.randrange(4)}",
    ),
    "source and tests": any_of(
        lambda r: f"tests/{name(r)}/test_{name(r)}_{r.randrange(99)}.py::test_retry[{hexadecimal(r, 4)}] PASSED",
        lambda r: f"def compute_{name(r).replace('-', '_')}_v{r.randrange(9)}(self, budget: int = {r.randrange(999)}):",
        lambda r: f"from {name(r).replace('-', '_')}.core import RetryBudget, refill_every  # noqa: F401",
        lambda r: f"...{name(r)}/src/main/java/org/acme/{name(r).title()}Service.java:{r.randrange(400)}",
        lambda r: f"W {name(r)}.go:{r.randrange(400)}] dial tcp 10.0.{r.randrange(99)}.{r.randrange(99)}:5432...",
    ),
    "git": any_of(
        lambda r: f"commit {hexadecimal(r, 40)} (HEAD -> main, origin/main)",
        lambda r: f"index {hexadecimal(r, 7)}..{hexadecimal(r, 7)} 100644",
        lambda r: f"{hexadecimal(r, 9)} {name(r)}: refill the budget in ticks",
        lambda r: f"   {hexadecimal(r, 8)}..{hexadecimal(r, 8)}  main -> main",
    ),
    "cloud ids": any_of(
        lambda r: f"aws_instance.{name(r)}: Creation complete after 12s [id=i-0{hexadecimal(r, 16)}]",
        lambda r: f"vpc-0{hexadecimal(r, 16)}  subnet-0{hexadecimal(r, 16)}  sg-0{hexadecimal(r, 16)}  ami-0{hexadecimal(r, 16)}",
        lambda r: f"/subscriptions/{new_uuid(r)}/resourceGroups/{name(r)}/providers/Microsoft.Web/sites/{name(r)}",
        lambda r: f"projects/acme-{r.randrange(10**6)}/locations/europe-west3/clusters/{name(r)}",
        lambda r: f"https://{name(r)}-{drawn_of(r, LOWER, 10)}-ew.a.run.app",
        lambda r: f"Distribution E{drawn_of(r, string.ascii_uppercase + string.digits, 13)}  d{drawn_of(r, LOWER, 13)}.cloudfront.net",
    ),
    "data": any_of(
        lambda r: f"background: url(data:image/png;base64,iVBORw0KGgo{b64(r, 90)})",
        lambda r: f"{r.randrange(16**4):08x}: " + " ".join(hexadecimal(r, 4) for _ in range(8)) + "  " + drawn_of(r, "....ELF@.8.text", 16),
        lambda r: f"{r.randrange(16**4):08x}  " + " ".join(hexadecimal(r, 2) for _ in range(8)) + "  " + " ".join(hexadecimal(r, 2) for _ in range(8)),
        lambda r: f"https://acme.test/search?q=%E2%82%AC%20{name(r)}%2F{name(r)}&utm_source=%7Bcampaign%7D",
        lambda r: f'"\\u00fcber \\u20ac {name(r)} \\u2014 \\u043f\\u0440\\u0438\\u0432\\u0435\\u0442"',
        lambda r: base64.b64encode(f"{name(r)} is ready, and {name(r)} waits".encode()).decode(),
    ),
    "videos and packages": any_of(
        lambda r: f"https://youtu.be/{drawn_of(r, MIXED + '-_', 11)}",
        lambda r: f"{name(r)}-{version(r)}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        lambda r: f"lib{name(r)}1.{r.randrange(9)}-dev/noble-updates {version(r)}-0ubuntu{r.randrange(9)}~24.04.1 amd64",
        lambda r: f"{name(r)}@npm:{version(r)}, {name(r)}@workspace:*::hash={hexadecimal(r, 6)}&version={version(r)}",
        lambda r: f"bottle {name(r)}--{version(r)}.arm64_sequoia.bottle.tar.gz",
    ),
    "hardware": any_of(
        lambda r: f"00:1f.{r.randrange(9)} SATA controller: Intel Corporation Device {hexadecimal(r, 4)} (rev {r.randrange(30)})",
        lambda r: f"UUID={new_uuid(r)} /home ext4 defaults 0 2",
        lambda r: f"usb-Generic_Flash_Disk_{drawn_of(r, string.digits + 'ABCDEF', 8)}-0:0 -> ../../sdb",
        lambda r: f"wwn-0x5{hexadecimal(r, 15)} -> ../../sda{r.randrange(9)}",
    ),
    "databases": any_of(
        lambda r: f"LSN: {r.randrange(99)}/{hexadecimal(r, 8).upper()}, prev {r.randrange(99)}/{hexadecimal(r, 8).upper()}",
        lambda r: f'ObjectId("{hexadecimal(r, 24)}")  {name(r)}  {r.randrange(99999)}',
        lambda r: f" {r.randrange(9999)} | {new_uuid(r)} | {name(r)}@example.test | 2026-11-{r.randrange(10, 30)}",
    ),
    "builds": any_of(
        lambda r: f"Cache restored from key: Linux-node-{hexadecimal(r, 64)}",
        lambda r: f"https://ci.example.test/acme/{name(r)}/actions/runs/{r.randrange(10**10, 10**11)}",
        lambda r: f"Compiling {name(r)} v{version(r)} (/home/ada/src/{name(r)}) [{r.randrange(400)}/{r.randrange(400, 900)}]",
        lambda r: f"dist/assets/index-{drawn_of(r, MIXED, 8)}.js   {r.randrange(900)}.{r.randrange(99)} kB",
        lambda r: f"target/debug/deps/{name(r)}-{hexadecimal(r, 16)}.rlib",
    ),
    "pod names": any_of(
        lambda r: f"{_pod(r)}   1/1   Running   {r.randrange(9)}   {r.randrange(99)}h",
        lambda r: f"pod/{_pod(r)} condition met",
        lambda r: f"ip-10-0-{r.randrange(99)}-{r.randrange(99)}.ec2.internal  Ready  {name(r)}-{drawn_of(r, _POD, 5)}",
    ),
    "container digests": any_of(
        lambda r: f"ghcr.io/acme/{name(r)}@sha256:{hexadecimal(r, 64)}",
        lambda r: f" ---> {hexadecimal(r, 12)}",
        lambda r: f"Removing intermediate container {hexadecimal(r, 12)}",
        lambda r: f"{hexadecimal(r, 12)}: Pull complete",
        lambda r: f"=> exporting layers sha256:{hexadecimal(r, 64)} 0.{r.randrange(9)}s",
    ),
    "a linker's references": any_of(
        lambda r: f"main.cpp:(.text+0x{hexadecimal(r, 3)}): undefined reference to `_ZN4{name(r)[:4]}6Client4sendEPKc{r.choice('jmlx')}'",
        lambda r: f"/usr/bin/ld: /tmp/cc{drawn_of(r, MIXED, 6)}.o: in function `_ZNSt6vectorI{name(r)}SaIS0_EE'",
        lambda r: f"  {r.randrange(99)}: 0000000000{hexadecimal(r, 6)}  {r.randrange(400)} FUNC GLOBAL DEFAULT 14 _{name(r)}_v{r.randrange(9)}",
        lambda r: f"#{r.randrange(30)} 0x0000{hexadecimal(r, 12)} in __libc_start_call_main () from /lib/x86_64-linux-gnu/libc.so.6",
    ),
    "lock files": any_of(
        lambda r: f'      "integrity": "sha512-{b64(r, 64)}",',
        lambda r: f"github.com/acme/{name(r)} v{version(r)} h1:{b64(r, 32)}",
        lambda r: f'checksum = "{hexadecimal(r, 64)}"',
        lambda r: f'  resolved "https://registry.acme.test/{name(r)}/-/{name(r)}-{version(r)}.tgz#{hexadecimal(r, 40)}"',
        lambda r: f"  github.com/acme/{name(r)} v0.0.0-20{r.randrange(20, 26)}0{r.randrange(1, 9)}11094512-{hexadecimal(r, 12)}",
    ),
    "record ids": any_of(
        lambda r: f'"id": "msg_01{drawn_of(r, MIXED, 22)}", "tool_use_id": "toolu_01{drawn_of(r, MIXED, 22)}"',
        lambda r: f'{{"_id": {{"$oid": "{hexadecimal(r, 24)}"}}, "user": "01{drawn_of(r, _CROCKFORD, 24)}"}}',
        lambda r: f'"id": "call_{drawn_of(r, MIXED, 24)}", "object": "chat.completion"',
        lambda r: f"order cus_{drawn_of(r, MIXED, 14)} ch_{drawn_of(r, MIXED, 24)} succeeded",
        lambda r: f"ETag: W/\"{hexadecimal(r, 8)}-{b64(r, 20)[:27]}\"",
        lambda r: f"x-request-id: {drawn_of(r, MIXED, 16)}  cf-ray: {hexadecimal(r, 16)}-FRA",
    ),
    "logs": any_of(
        lambda r: f"2026-11-21T10:{r.randrange(60):02}:{r.randrange(60):02}.{r.randrange(1000):03}Z INFO {name(r)} took {r.randrange(9999)} ms pid={r.randrange(99999)}",
        lambda r: f"GET /api/v1/{name(r)}?page=2&next_page_token={b64(r, 18)} 200 {r.randrange(99999)}",
        lambda r: f"[{r.randrange(99999)}.{r.randrange(10**6):06}] eth0: link up 02:42:{hexadecimal(r, 2)}:{hexadecimal(r, 2)}:{hexadecimal(r, 2)}:{hexadecimal(r, 2)} fe80::{hexadecimal(r, 4)}:{hexadecimal(r, 4)}:fe{hexadecimal(r, 2)}:{hexadecimal(r, 4)}",
        lambda r: f"-rw-r--r-- 1 ada ada 4096 /tmp/tmp{drawn_of(r, LOWER, 8)}/{hexadecimal(r, 12)}.log",
        lambda r: f"writing main.{hexadecimal(r, 8)}.chunk.js, vendors~main.{hexadecimal(r, 20)}.js",
    ),
}  # fmt: skip
