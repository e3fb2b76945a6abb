"""Ordinary screens of services, symbols, mail, chains, pages, clouds and builds.

Data for `elsewhere.py`. They judged the rules once, and rules are tuned on them since;
`ordinary_heldout*.py` has those that judge now.
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
    version,
)

__all__ = ["OF_TOOLS"]

_BASE32 = string.ascii_lowercase + "234567"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def _identifier(rng: random.Random) -> str:
    return name(rng).replace("-", "_")


OF_TOOLS: dict[str, Kind] = {
    "services": any_of(
        lambda r: f"   Invocation: {hexadecimal(r, 32)}",
        lambda r: f"-- Boot {hexadecimal(r, 32)} --",
        lambda r: (
            f"           └─{r.randrange(99999)} /usr/libexec/{name(r)} --config /etc/{name(r)}/{name(r)}.toml --listen 127.0.0.1:{r.randrange(9999)}"
        ),
        lambda r: (
            f"Nov 21 10:00:{r.randrange(60):02} ring systemd[1]: Started {name(r)}.service - session {r.randrange(999)} of user ada."
        ),
        lambda r: (
            f"dev-disk-by\\x2duuid-{new_uuid(r).replace('-', chr(92) + 'x2d')}.device loaded active plugged"
        ),
    ),
    "events of a cluster": any_of(
        lambda r: f"UID:              {new_uuid(r)}",
        lambda r: f"Container ID:  containerd://{hexadecimal(r, 64)}",
        lambda r: (
            f"Normal  Scheduled  {r.randrange(60)}s  default-scheduler  Successfully assigned default/{name(r)}-{drawn_of(r, 'bcdfghjklmnpqrstvwxz2456789', 10)}-{drawn_of(r, 'bcdfghjklmnpqrstvwxz2456789', 5)} to node-{r.randrange(9)}"
        ),
        lambda r: (
            f"              pod-template-hash={drawn_of(r, 'bcdfghjklmnpqrstvwxz2456789', 10)}"
        ),
        lambda r: (
            f"      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-{drawn_of(r, 'bcdfghjklmnpqrstvwxz2456789', 5)} (ro)"
        ),
    ),
    "symbols": any_of(
        lambda r: (
            f"_ZN4core3ptr{r.randrange(20, 60)}drop_in_place$LT${name(r)[:5]}..Client$GT$17h{hexadecimal(r, 16)}E"
        ),
        lambda r: f"_RNvNtCs{drawn_of(r, MIXED, 11)}_{len(name(r))}{_identifier(r)}4core3run",
        lambda r: (
            f"  at {name(r)}.Service$$EnhancerBySpringCGLIB$${hexadecimal(r, 8)}.retry(<generated>)"
        ),
        lambda r: (
            f"0x00007ff{hexadecimal(r, 9)} <+{r.randrange(400)}>: callq 0x{hexadecimal(r, 12)} <{_identifier(r)}_refill@plt>"
        ),
        lambda r: (
            f"@_TtC{r.randrange(9)}Ring{len(name(r))}{_identifier(r)}7Manager = hidden constant"
        ),
    ),
    "mail and names": any_of(
        lambda r: f"Message-ID: <CA{drawn_of(r, MIXED + '+=_-', 46)}@mail.example.test>",
        lambda r: f"        b={b64(r, 48)}",
        lambda r: f"acme.test.  3600 IN DS {r.randrange(65536)} 13 2 {hexadecimal(r, 64).upper()}",
        lambda r: (
            f"acme.test.  3600 IN RRSIG A 13 2 3600 20261221000000 20261121000000 {r.randrange(65536)} acme.test. {b64(r, 64)}"
        ),
        lambda r: (
            f"      {' '.join(hexadecimal(r, 4).upper() for _ in range(5))}  {' '.join(hexadecimal(r, 4).upper() for _ in range(5))}"
        ),
    ),
    "chains": any_of(
        lambda r: (
            f"transfer 0x{hexadecimal(r, 40)} -> 0x{hexadecimal(r, 40)} {r.randrange(999)} wei"
        ),
        lambda r: f"added Qm{drawn_of(r, _BASE58, 44)} {name(r)}.txt",
        lambda r: f"ipfs://bafybei{drawn_of(r, _BASE32, 52)}/{name(r)}.json",
        lambda r: f"to bc1q{drawn_of(r, _BECH32, 38)} 0.0{r.randrange(999)}",
        lambda r: f"txid {hexadecimal(r, 64)} vout {r.randrange(9)}",
    ),
    "web pages": any_of(
        lambda r: (
            f'<script src="/{name(r)}.js" integrity="sha384-{b64(r, 48)}" crossorigin></script>'
        ),
        lambda r: (
            f'<div class="Button_root__{drawn_of(r, MIXED, 5)} css-{drawn_of(r, LOWER, 7)}-{name(r)}">'
        ),
        lambda r: f"https://docs.example.test/document/d/1{drawn_of(r, MIXED + '-_', 43)}/edit",
        lambda r: (
            f"@font-face{{src:url(/fonts/{name(r)}.{hexadecimal(r, 8)}.woff2)format('woff2')}}"
        ),
        lambda r: (
            f'<svg><path d="M{r.randrange(99)}.{r.randrange(99)}c0-1.{r.randrange(99)}-.{r.randrange(99)}-2.{r.randrange(99)}-2-2H{r.randrange(9)}v-2h{r.randrange(99)}l-{r.randrange(9)}.7z"/></svg>'
        ),
    ),
    "answers of a cloud": any_of(
        lambda r: f"x-amz-request-id: {drawn_of(r, UPPER, 16)}",
        lambda r: f"x-amz-id-2: {b64(r, 56)}",
        lambda r: f"RequestId: {new_uuid(r)}, HostId: {b64(r, 57)}",
        lambda r: (
            f'"selfLink": "https://www.example.test/compute/v1/projects/acme-{r.randrange(9999)}/zones/europe-west3-a/operations/operation-{r.randrange(10**12, 10**13)}-{hexadecimal(r, 13)}-{hexadecimal(r, 8)}-{hexadecimal(r, 8)}"'
        ),
        lambda r: (
            f"docker.elastic.test/{name(r)}: {{'_id': '{drawn_of(r, MIXED + '-_', 20)}', '_seq_no': {r.randrange(999)}}}"
        ),
    ),
    "other builds": any_of(
        lambda r: (
            f"Downloaded from snapshots: https://maven.acme.test/org/acme/{name(r)}/1.0-SNAPSHOT/{name(r)}-1.0-20261121.1011{r.randrange(60):02}-{r.randrange(99)}.jar (12 kB at 90 kB/s)"
        ),
        lambda r: f"https://scans.example.test/s/{drawn_of(r, LOWER, 13)}",
        lambda r: (
            f"~/.gradle/caches/modules-2/files-2.1/org.acme/{name(r)}/{version(r)}/{hexadecimal(r, 40)}/{name(r)}-{version(r)}.jar"
        ),
        lambda r: (
            f"/private/var/folders/{drawn_of(r, LOWER, 2)}/{drawn_of(r, LOWER + '_', 30)}/T/{name(r)}.{drawn_of(r, MIXED, 8)}"
        ),
        lambda r: (
            f"UUID: {new_uuid(r).upper()} (arm64) {name(r)}.app.dSYM/Contents/Resources/DWARF/{name(r)}"
        ),
        lambda r: (
            f"bazel-out/k8-fastbuild-ST-{hexadecimal(r, 12)}/bin/{name(r)}/lib{_identifier(r)}.a"
        ),
    ),
}
