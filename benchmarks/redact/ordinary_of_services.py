"""Ordinary screens of services, hosts and documents: drawn at random, and no secret.

Data for `elsewhere.py`. These judged twice and are tuned on now.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import random
import string

from benchmarks.redact.ordinary import (
    LOWER,
    MIXED,
    UPPER,
    Kind,
    any_of,
    b64,
    drawn_of,
    hexadecimal,
    name,
    new_uuid,
    number,
    version,
)

__all__ = ["OF_SERVICES"]

_BASE32 = string.ascii_uppercase + "234567"


def _word(rng: random.Random) -> str:
    return rng.choice(
        (
            "retry",
            "ring",
            "refill",
            "queue",
            "batch",
            "frame",
            "parser",
            "shard",
            "token_bucket",
            "key_index",
        )
    )


def _host_keys(rng: random.Random) -> str:
    return "\n".join(
        (
            f"# web-{number(rng, 9)}.example.test:22 SSH-2.0-OpenSSH_9.6",
            f"web-{number(rng, 9)}.example.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(rng, 32)[:43]}",
            f"256 SHA256:{b64(rng, 32)[:43]} web (ED25519)",
            f"2048 MD5:{rng.randbytes(16).hex(':')} web (RSA)",
        )
    )


def _crl(rng: random.Random) -> str:
    return "\n".join(
        (
            f"    Serial Number: {rng.randbytes(18).hex(':')}",
            f"        X509v3 Subject Key Identifier: {rng.randbytes(20).hex(':').upper()}",
            f"        X509v3 Authority Key Identifier: keyid:{rng.randbytes(20).hex(':').upper()}",
            f"sha256 Fingerprint={rng.randbytes(32).hex(':').upper()}",
        )
    )


def _sbom(rng: random.Random) -> str:
    return f'  "bom-ref": "pkg:npm/{name(rng)}@{version(rng)}?package-id={hexadecimal(rng, 16)}",\n  "serialNumber": "urn:uuid:{new_uuid(rng)}",\n  "hashes": [{{"alg": "SHA-512", "content": "{hexadecimal(rng, 128)}"}}]'


def _wasm(rng: random.Random) -> str:
    return f"  at __wbg_{_word(rng)}_{hexadecimal(rng, 16)} (wasm://wasm/{hexadecimal(rng, 8)}:wasm-function[{number(rng)}]:0x{hexadecimal(rng, 5)})"


def _objdump(rng: random.Random) -> str:
    return "\n".join(
        f"  {0x401000 + n * 7:x}:\t{rng.randbytes(7).hex(' ')} \tmov    0x{hexadecimal(rng, 6)}(%rip),%rax        # {hexadecimal(rng, 6)} <{_word(rng)}+0x{hexadecimal(rng, 2)}>"
        for n in range(4)
    )


def _proc_maps(rng: random.Random) -> str:
    return f"{hexadecimal(rng, 12)}-{hexadecimal(rng, 12)} r-xp 00000000 fd:01 {number(rng, 9999999)}  /usr/lib/x86_64-linux-gnu/lib{_word(rng)}.so.{number(rng, 9)}"


def _lsblk(rng: random.Random) -> str:
    return f"nvme0n1p{number(rng, 9)}  ext4  1.0  root  {new_uuid(rng)}  /\nPARTUUID={hexadecimal(rng, 8)}-0{number(rng, 9)}  wwn-0x{hexadecimal(rng, 16)}"


def _k8s(rng: random.Random) -> str:
    return f'  uid: {new_uuid(rng)}\n  resourceVersion: "{number(rng, 99999999)}"\n  annotations:\n    checksum/config: {hexadecimal(rng, 64)}\n  ownerReferences:\n  - name: web-{drawn_of(rng, "bcdfghjklmnpqrstvwxz2456789", 10)}'


def _fonts(rng: random.Random) -> str:
    return f'  @font-face {{ src: url(/static/media/{_word(rng)}.{hexadecimal(rng, 20)}.woff2) }}\n  <script src="/_next/static/chunks/{number(rng)}-{hexadecimal(rng, 16)}.js" nonce></script>'


def _embeddings(rng: random.Random) -> str:
    return "tensor([" + ", ".join(f"{rng.uniform(-1, 1):.6f}" for _ in range(12)) + "])"


def _seeds(rng: random.Random) -> str:
    return f"@settings(seed={number(rng, 10**18)})\n@reproduce_failure('6.1', b'{b64(rng, 12)}')\nRandom seed: 0x{hexadecimal(rng, 16)}"


OF_SERVICES: dict[str, Kind] = {
    "host keys": any_of(_host_keys, _crl),
    "parts lists": any_of(_sbom, lambda rng: f"SPDXRef-Package-{name(rng)}-{hexadecimal(rng, 40)} NOASSERTION {version(rng)}"),
    "machine code": any_of(_wasm, _objdump, _proc_maps),
    "disks": any_of(_lsblk, lambda rng: f"{hexadecimal(rng, 40)}  /mnt/backup/{_word(rng)}.img.zst", lambda rng: f"inode {number(rng, 10**8)} generation {number(rng, 10**9)} blake3 {hexadecimal(rng, 64)}"),
    "clusters": any_of(_k8s, lambda rng: f"{_word(rng)}-{hexadecimal(rng, 9)}-{drawn_of(rng, 'bcdfghjklmnpqrstvwxz2456789', 5)}   1/1   Running   0   {number(rng, 99)}m", lambda rng: f"etcd member {hexadecimal(rng, 16)} started peerURLs=https://10.0.0.{number(rng, 255)}:2380 raft term {number(rng)}"),
    "pages": any_of(_fonts, lambda rng: f'<link rel="modulepreload" href="/assets/{_word(rng)}-{drawn_of(rng, MIXED + "-_", 8)}.js" integrity="sha384-{b64(rng, 48)}">', lambda rng: f".css-{drawn_of(rng, LOWER, 7)}-{_word(rng).title()}Root{{padding:{number(rng, 40)}px}}"),
    "science": any_of(_embeddings, _seeds, lambda rng: f">sp|{drawn_of(rng, UPPER, 6)}|{_word(rng).upper()}\nM{drawn_of(rng, 'ACDEFGHIKLMNPQRSTVWY', 59)}\n{drawn_of(rng, 'ACGT', 60)}", lambda rng: f"InChIKey={drawn_of(rng, string.ascii_uppercase, 14)}-{drawn_of(rng, string.ascii_uppercase, 10)}-N  CC(=O)N[C@@H]({drawn_of(rng, 'CNO', 6)})C1=CC=CC=C1"),
    "versions": any_of(lambda rng: f"v0.0.0-2026112{number(rng, 9)}081203-{hexadecimal(rng, 12)}", lambda rng: f"{name(rng)} {version(rng)}+g{hexadecimal(rng, 9)}.d20261127", lambda rng: f"nixpkgs/{hexadecimal(rng, 40)} narHash = \"sha256-{b64(rng, 32)}\";", lambda rng: f"Build {number(rng)}.{number(rng)} ({drawn_of(rng, UPPER, 6)}) UUID {new_uuid(rng).upper()}"),
    "jobs": any_of(lambda rng: f"Run ID: run-{drawn_of(rng, MIXED, 16)}  workspace ws-{drawn_of(rng, MIXED, 16)}", lambda rng: f"celery {new_uuid(rng)} succeeded in {rng.random():.6f}s", lambda rng: f"job_{drawn_of(rng, _BASE32, 26).lower()} 01{drawn_of(rng, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)} queued", lambda rng: f"buildkite #{number(rng)} 019{hexadecimal(rng, 5)}-{hexadecimal(rng, 4)}-7{hexadecimal(rng, 3)}-9{hexadecimal(rng, 3)}-{hexadecimal(rng, 12)}"),
    "networks": any_of(lambda rng: f"{rng.randbytes(6).hex(':')}  192.168.1.{number(rng, 255)}  fe80::{hexadecimal(rng, 4)}:{hexadecimal(rng, 2)}ff:fe{hexadecimal(rng, 2)}:{hexadecimal(rng, 4)}", lambda rng: f"peer: public key {b64(rng, 32)}  latest handshake: {number(rng, 60)} seconds ago", lambda rng: f"TLS_AES_256_GCM_SHA384, ALPN h2, server random {hexadecimal(rng, 64)}, session id {hexadecimal(rng, 64)}", lambda rng: f"tor relay ${hexadecimal(rng, 40).upper()}~{_word(rng)}"),
    "documents": any_of(lambda rng: f"doi:10.{number(rng, 9999)}/{drawn_of(rng, LOWER, 8)}.{number(rng)}  ISBN 978-{number(rng, 9)}-{number(rng, 99999)}-{number(rng, 999)}-{number(rng, 9)}", lambda rng: f"notion.example.test/{_word(rng).title()}-{hexadecimal(rng, 32)}", lambda rng: f"figma.example.test/file/{drawn_of(rng, MIXED, 22)}/{_word(rng)}?node-id={number(rng)}-{number(rng)}", lambda rng: f"| {_word(rng)} | {drawn_of(rng, UPPER, 12)} | {number(rng)}.{number(rng, 99):02} EUR | SKU-{drawn_of(rng, UPPER, 10)} |"),
    "tests": any_of(lambda rng: f"  - {_word(rng)} › renders <{_word(rng).title()} data-testid=\"{_word(rng)}-{drawn_of(rng, LOWER, 9)}\">  ({number(rng)} ms)", lambda rng: f"exports[`{_word(rng)} 1`] = `\"{hexadecimal(rng, 32)}\"`;", lambda rng: f"FAILED tests/test_{_word(rng)}.py::test_hash[{hexadecimal(rng, 64)}] - AssertionError: assert '{hexadecimal(rng, 8)}' == '{hexadecimal(rng, 8)}'"),
}  # fmt: skip
