"""Ordinary screens of files, sums, certificates, requests, dumps, DNS and chains.

Data for `elsewhere.py`. They judged the rules once, and rules are tuned on them since;
`ordinary_heldout*.py` has those that judge now.
`text(seed, size)` gives so many characters of all kinds in turn.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import random
import string
from collections.abc import Callable

from benchmarks.redact.ordinary import (
    LOWER,
    MIXED,
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

__all__ = ["OF_FILES", "text"]

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_NIX = "0123456789abcdfghijklmnpqrsvwxyz"
_POD = "bcdfghjklmnpqrstvwxz2456789"
_HEX_UP = "0123456789ABCDEF"
_WORDS = (
    "retry", "budget", "ring", "refill", "queue", "router", "batch", "cursor", "frame", "layout", "parser",
    "token", "stream", "index", "cache", "shard", "worker", "session", "password", "secret", "key", "auth",
    "credential", "policy", "header", "cookie",
)  # fmt: skip


def _camel(rng: random.Random) -> str:
    return "".join(word.title() for word in rng.sample(_WORDS, 3))


def _snake(rng: random.Random) -> str:
    return "_".join(rng.sample(_WORDS, 3))


def _path(rng: random.Random) -> str:
    return f"src/{rng.choice(_WORDS)}/{_snake(rng)}.{rng.choice(('py', 'rs', 'ts', 'go'))}"


def _hexdump(rng: random.Random) -> str:
    rows: list[str] = []
    for at in range(0, 96, 16):
        data = rng.randbytes(16)
        shown = "".join(chr(one) if 32 <= one < 127 else "." for one in data)
        words = " ".join(data[k : k + 2].hex() for k in range(0, 16, 2))
        rows.append(f"{at:08x}: {words}  {shown}")
    return "\n".join(rows)


def _public_pgp(rng: random.Random) -> str:
    body = "mQINB" + b64(rng, 400)
    rows = [body[at : at + 64] for at in range(0, len(body), 64)]
    sum_ = "=" + drawn_of(rng, MIXED, 4)
    return "\n".join(
        [
            "-----BEGIN PGP PUBLIC KEY BLOCK-----",
            "",
            *rows,
            sum_,
            "-----END PGP PUBLIC KEY BLOCK-----",
        ]
    )


def _gpg(rng: random.Random) -> str:
    print_ = drawn_of(rng, _HEX_UP, 40)
    return f"pub   ed25519 2025-03-{number(rng, 28):02} [SC]\n      {print_}\nuid           [ultimate] Alice <alice@example.test>\nsub   cv25519/0x{print_[-16:]} 2025-03-01 [E]"


def _modulus(rng: random.Random) -> str:
    rows = ["                    " + rng.randbytes(15).hex(":") + ":" for _ in range(5)]
    return "\n".join(
        ["                Modulus:", *rows, "                Exponent: 65537 (0x10001)"]
    )


def _integrity(rng: random.Random) -> str:
    package = f"{name(rng)}@{version(rng)}"
    return f'  resolved "https://registry.example.test/{name(rng)}/-/{name(rng)}-{version(rng)}.tgz#{hexadecimal(rng, 40)}"\n  integrity sha512-{b64(rng, 64)}\n  /{package}:'


def _oops(rng: random.Random) -> str:
    return f"[{number(rng)}.{number(rng, 999999):06}] RIP: 0010:{_snake(rng)}+0x{hexadecimal(rng, 2)}/0x{hexadecimal(rng, 3)}\n[{number(rng)}.{number(rng, 999999):06}] Code: {rng.randbytes(20).hex(' ')} <{hexadecimal(rng, 2)}>\n[{number(rng)}.{number(rng, 999999):06}] RAX: {hexadecimal(rng, 16)} RBX: ffff{hexadecimal(rng, 12)} RCX: {hexadecimal(rng, 16)}"


def _minified(rng: random.Random) -> str:
    def one() -> str:
        return f"function {drawn_of(rng, string.ascii_letters, 2)}(e,t){{return e.{_camel(rng)}&&t[{number(rng)}]||({drawn_of(rng, string.ascii_letters, 1)}={number(rng)})}}"

    return (
        "!"
        + ";".join(one() for _ in range(4))
        + f";\n//# sourceMappingURL=main.{hexadecimal(rng, 8)}.js.map"
    )


def _mappings(rng: random.Random) -> str:
    parts = [drawn_of(rng, "ACEGIKMOQSUWY", 1) + drawn_of(rng, MIXED, 3) for _ in range(40)]
    return '{"version":3,"mappings":"' + ",".join(parts) + ";" + '"}'


def _svg(rng: random.Random) -> str:
    points = "".join(
        f"{rng.choice('lcsq')}{number(rng, 90) / 10}-{number(rng, 90) / 10} " for _ in range(14)
    )
    return (
        f'<path fill="#{hexadecimal(rng, 6)}" d="M{number(rng, 99)} {number(rng, 99)}{points}z"/>'
    )


def _trace(rng: random.Random) -> str:
    return f"    at com.example.{rng.choice(_WORDS)}.{_camel(rng)}$$Lambda$14/0x{hexadecimal(rng, 16)}.apply({_camel(rng)}.java:{number(rng)})\n  {number(rng, 30):2}: 0x{hexadecimal(rng, 12)} - core::ops::function::FnOnce::call_once::h{hexadecimal(rng, 16)}"


def _protobuf(rng: random.Random) -> str:
    return f'1: "{_snake(rng)}"\n2 {{\n  1: 0x{hexadecimal(rng, 16)}\n  3: "\\{rng.randrange(100, 377)}\\n\\{rng.randrange(100, 377)}{drawn_of(rng, MIXED, 3)}\\t\\{rng.randrange(100, 377)}"\n  4: {number(rng)}\n}}'


def _coverage(rng: random.Random) -> str:
    missing = ", ".join(f"{(at := number(rng, 900))}-{at + 9}" for _ in range(5))
    return (
        f"{_path(rng):44}{number(rng, 400):6}{number(rng, 60):6}{number(rng, 100):5}%   {missing}"
    )


def _symbols(rng: random.Random) -> str:
    word = "".join(f"{len(w)}{w}" for w in rng.sample(_WORDS, 3))
    return f"{hexadecimal(rng, 16)} T _ZN{word}17h{hexadecimal(rng, 16)}E\n{hexadecimal(rng, 16)} t _ZNSt6vectorI{word}SaIS1_EE9push_backEOS1_"


def _manifest(rng: random.Random) -> str:
    return f'      "digest": "sha256:{hexadecimal(rng, 64)}",\n      "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",\n      "size": {number(rng)}'


def _events(rng: random.Random) -> str:
    return f'Normal   Pulled   12s   kubelet  Successfully pulled image "registry.example.test/{name(rng)}@sha256:{hexadecimal(rng, 64)}" in {number(rng)}ms\npod/{name(rng)}-{drawn_of(rng, _POD, 10)}-{drawn_of(rng, _POD, 5)}   1/1   Running'


def _dnssec(rng: random.Random) -> str:
    return f'example.test.  3600 IN DNSKEY 257 3 13 {b64(rng, 64)}\nexample.test.  3600 IN DS {number(rng, 65535)} 13 2 {drawn_of(rng, _HEX_UP, 64)}\nexample.test.  300 IN RRSIG A 13 2 300 20261201000000 20261121000000 {number(rng, 65535)} example.test. {b64(rng, 64)}\nsel._domainkey IN TXT "v=DKIM1; k=rsa; p=MIIBIjAN{b64(rng, 60)}"'


def _tls(rng: random.Random) -> str:
    return f'*  subject: CN=*.example.test\n*  SHA256 Fingerprint={rng.randbytes(32).hex(":").upper()}\n*  serial:{rng.randbytes(18).hex(":")}\n* SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384 / X25519\npin-sha256="{b64(rng, 32)}"'


def _headers(rng: random.Random) -> str:
    return f'< etag: W/"{hexadecimal(rng, 8)}-{b64(rng, 20)[:27]}"\n< x-request-id: {new_uuid(rng)}\n< x-amzn-trace-id: Root=1-{hexadecimal(rng, 8)}-{hexadecimal(rng, 24)}\n< traceparent: 00-{hexadecimal(rng, 32)}-{hexadecimal(rng, 16)}-01\n< cf-ray: {hexadecimal(rng, 16)}-FRA\n< x-amz-cf-id: {b64(rng, 42)[:54]}=='


def _pages(rng: random.Random) -> str:
    return f'"next_cursor": "{b64(rng, 36)}", "id": "{drawn_of(rng, MIXED, 27)}", "ulid": "01{drawn_of(rng, _CROCKFORD, 24)}", "object": "{rng.choice(("req", "evt", "cus", "msg", "run", "chatcmpl"))}_{drawn_of(rng, MIXED, 24)}"'


def _settings(rng: random.Random) -> str:
    return rng.choice((
        f"PASSWORD_HASHERS = ['django.contrib.auth.hashers.{_camel(rng)}Hasher']",
        f"token_count={number(rng)} max_tokens={number(rng)} secret_name=prod/{name(rng)}/{_snake(rng)}",
        f"password: ${{{{ secrets.{_snake(rng).upper()} }}}}",
        f"API_KEY=$(vault kv get -field=value kv/{name(rng)}/{_snake(rng)})",
        f"    api_key=os.environ[\"{_snake(rng).upper()}\"],",
        f"secretKeyRef:\n  name: {name(rng)}-{rng.choice(_WORDS)}\n  key: {_snake(rng)}",
        f"key: {_snake(rng)}-v{number(rng, 9)}-${{{{ hashFiles('**/{name(rng)}.lock') }}}}",
        f"def {_snake(rng)}(token: str, *, secret: {_camel(rng)} | None = None) -> {_camel(rng)}:",
        f"session_key = hashlib.blake2b({_snake(rng)}.encode(), digest_size={number(rng, 64)}).hexdigest()",
        "password: ********   token: <redacted>   secret: (sensitive value)",
    ))  # fmt: skip


OF_FILES: dict[str, Kind] = {
    "git objects": any_of(
        lambda rng: f"* {hexadecimal(rng, 9)} (tag: v{version(rng)}) {_snake(rng)}: refill {_camel(rng)}",
        lambda rng: f"index {hexadecimal(rng, 11)}..{hexadecimal(rng, 11)} 100644",
        lambda rng: f"{hexadecimal(rng, 40)} refs/pull/{number(rng)}/merge",
        lambda rng: f"100644 blob {hexadecimal(rng, 64)}    {_path(rng)}",
    ),
    "sums": any_of(
        lambda rng: f"{hexadecimal(rng, 128)}  {name(rng)}-{version(rng)}.tar.xz",
        lambda rng: f"BLAKE2b ({name(rng)}.iso) = {hexadecimal(rng, 96)}",
        lambda rng: f"SRI: sha384-{b64(rng, 48)}",
        lambda rng: f"h1:{b64(rng, 32)} go.example.test/{name(rng)} v{version(rng)}/go.mod",
    ),
    "lock files and flakes": any_of(
        _integrity,
        lambda rng: f'checksum = "{hexadecimal(rng, 64)}"\nsource = "registry+https://example.test/index"',
        lambda rng: f'    {{ url = "https://files.example.test/{hexadecimal(rng, 2)}/{hexadecimal(rng, 60)}/{name(rng)}-{version(rng)}-py3-none-any.whl", hash = "sha256:{hexadecimal(rng, 64)}", size = {number(rng)} }},',
        lambda rng: f"      sha256: {hexadecimal(rng, 64)}\n      md5: {hexadecimal(rng, 32)}\n      - conda: https://conda.example.test/linux-64/{name(rng)}-{version(rng)}-h{hexadecimal(rng, 7)}_0.conda",
        lambda rng: f'  "narHash": "sha256-{b64(rng, 32)}",\n  "rev": "{hexadecimal(rng, 40)}",',
    ),
    "builds and caches": any_of(
        lambda rng: f"   Compiling {name(rng)} v{version(rng)} (/work/{hexadecimal(rng, 7)}/{name(rng)})",
        lambda rng: f"     Running unittests src/lib.rs (target/debug/deps/{_snake(rng)}-{hexadecimal(rng, 16)})",
        lambda rng: f" => => writing image sha256:{hexadecimal(rng, 64)}   0.{number(rng, 9)}s",
        lambda rng: f"copying path '/nix/store/{drawn_of(rng, _NIX, 32)}-{name(rng)}-{version(rng)}' from 'https://cache.example.test'",
        lambda rng: f"dist/assets/{_camel(rng)}-{drawn_of(rng, MIXED + '_-', 8)}.js   {number(rng)}.{number(rng, 99)} kB │ gzip: {number(rng)}.0 kB",
        lambda rng: f"FAILED tests/{_snake(rng)}.py::Test{_camel(rng)}::test_{_snake(rng)}[{drawn_of(rng, LOWER, 6)}-{number(rng)}]",
        lambda rng: f"cache hit, replaying logs {hexadecimal(rng, 16)}",
    ),
    "certificates and public keys": any_of(
        _public_pgp, _gpg, _modulus, _tls,
        lambda rng: f"256 SHA256:{b64(rng, 32)[:43]} deploy@{name(rng)} (ED25519)",
        lambda rng: f"{name(rng)}.example.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(rng, 32)[:43]}",
        lambda rng: f"age1{drawn_of(rng, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l', 58)}",
        lambda rng: f"untrusted comment: minisign public key {drawn_of(rng, _HEX_UP, 16)}\nRW{b64(rng, 40)}",
        lambda rng: f"peer: {b64(rng, 32)}\n  endpoint: 192.0.2.7:51820\n  allowed ips: 10.0.0.2/32",
    ),
    "clouds": any_of(
        lambda rng: f"arn:aws:elasticloadbalancing:eu-west-1:{number(rng, 10**12):012}:targetgroup/{name(rng)}/{hexadecimal(rng, 16)}",
        lambda rng: f"i-0{hexadecimal(rng, 16)}  subnet-0{hexadecimal(rng, 16)}  sg-0{hexadecimal(rng, 16)}  ami-0{hexadecimal(rng, 16)}",
        lambda rng: f"projects/{name(rng)}-{number(rng)}/locations/europe-west1/operations/operation-{number(rng, 10**13)}-{hexadecimal(rng, 13)}-{hexadecimal(rng, 8)}",
        lambda rng: f"/subscriptions/{new_uuid(rng)}/resourceGroups/{name(rng)}/providers/Microsoft.Web/sites/{name(rng)}",
        lambda rng: f"https://{name(rng)}.s3.example.test/{hexadecimal(rng, 2)}/{new_uuid(rng)}.parquet?versionId={drawn_of(rng, MIXED + '._', 32)}",
        lambda rng: f"NextToken omitted; RequestId: {new_uuid(rng)}, HostId: {b64(rng, 56)}",
    ),
    "containers": any_of(_manifest, _events,
        lambda rng: f"{hexadecimal(rng, 12)}: Pull complete\nDigest: sha256:{hexadecimal(rng, 64)}",
        lambda rng: f"/var/lib/docker/overlay2/l/{drawn_of(rng, string.ascii_uppercase + '234567', 26)}:/var/lib/docker/overlay2/{hexadecimal(rng, 64)}/diff",
        lambda rng: f"cri-containerd-{hexadecimal(rng, 64)}.scope",
    ),
    "kernel and symbols": any_of(_oops, _symbols, _trace,
        lambda rng: f"UUID={new_uuid(rng)} PARTUUID={hexadecimal(rng, 8)}-01 /dev/disk/by-id/nvme-eui.{hexadecimal(rng, 16)}",
        lambda rng: f"BuildID[sha1]={hexadecimal(rng, 40)}, for GNU/Linux 3.2.0, not stripped",
        lambda rng: f"audit: type=1400 audit({number(rng, 10**9)}.{number(rng, 999):03}:{number(rng)}): apparmor=\"DENIED\" profile=\"snap.{name(rng)}\"",
        lambda rng: f"7f{hexadecimal(rng, 10)}-7f{hexadecimal(rng, 10)} r-xp 00000000 fd:01 {number(rng)} /usr/lib/x86_64-linux-gnu/lib{name(rng)}.so.{version(rng)}",
    ),
    "code of pages": any_of(_minified, _mappings, _svg,
        lambda rng: f".{_camel(rng)}_{drawn_of(rng, MIXED, 5)}__{drawn_of(rng, MIXED, 5)}{{background:url(/static/media/{name(rng)}.{hexadecimal(rng, 20)}.woff2)}}",
        lambda rng: f'<script src="/_next/static/chunks/{number(rng)}-{hexadecimal(rng, 16)}.js" integrity="sha384-{b64(rng, 48)}" crossorigin="anonymous"></script>',
        lambda rng: f'<div class="css-{drawn_of(rng, LOWER, 7)} sc-{drawn_of(rng, MIXED, 6)}-0 {drawn_of(rng, string.ascii_letters, 6)}" data-reactid="{new_uuid(rng)}">',
    ),
    "dumps": any_of(_hexdump, _protobuf),
    "names and DNS": any_of(_dnssec,
        lambda rng: f"_{hexadecimal(rng, 32)}.example.test. CNAME _{hexadecimal(rng, 32)}.acm-validations.example.test.",
        lambda rng: f"2001:db8:{hexadecimal(rng, 4)}:{hexadecimal(rng, 4)}:{hexadecimal(rng, 4)}:{hexadecimal(rng, 4)}:{hexadecimal(rng, 4)}:{hexadecimal(rng, 4)} lladdr {rng.randbytes(6).hex(':')} REACHABLE",
        lambda rng: f"{drawn_of(rng, string.ascii_lowercase + '234567', 56)}.onion",
    ),
    "requests": any_of(_headers, _pages,
        lambda rng: f"span_id={hexadecimal(rng, 16)} trace_id={hexadecimal(rng, 32)} dur={number(rng)}ms POST /v1/{rng.choice(_WORDS)}/{new_uuid(rng)}",
        lambda rng: f"magnet:?xt=urn:btih:{hexadecimal(rng, 40)}&dn={name(rng)}",
        lambda rng: f"Message-ID: <{drawn_of(rng, MIXED + '-_', 36)}@mail.example.test>",
        lambda rng: f"https://youtu.example.test/{drawn_of(rng, MIXED + '-_', 11)} https://docs.example.test/document/d/{drawn_of(rng, MIXED + '-_', 44)}/edit",
    ),
    "addresses": any_of(
        lambda rng: f"0x{hexadecimal(rng, 40)} -> 0x{hexadecimal(rng, 40)} tx 0x{hexadecimal(rng, 64)}",
        lambda rng: f"bc1q{drawn_of(rng, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l', 38)}  1{drawn_of(rng, _BASE58, 33)}",
        lambda rng: f"Qm{drawn_of(rng, _BASE58, 44)}  bafybei{drawn_of(rng, string.ascii_lowercase + '234567', 52)}",
        lambda rng: f"program {drawn_of(rng, _BASE58, 44)} consumed {number(rng)} of 200000 compute units",
    ),
    "tables and settings": any_of(_coverage, _settings),
    "files": any_of(
        lambda rng: f"/private/var/folders/{drawn_of(rng, LOWER, 2)}/{drawn_of(rng, LOWER + '_', 30)}/T/tmp{drawn_of(rng, LOWER + '_', 8)}",
        lambda rng: f".git/objects/{hexadecimal(rng, 2)}/{hexadecimal(rng, 38)}",
        lambda rng: f"node_modules/.pnpm/@{name(rng)}+{name(rng)}@{version(rng)}_{drawn_of(rng, LOWER, 26)}/node_modules",
        lambda rng: f"~/.cache/uv/archive-v0/{drawn_of(rng, MIXED + '-_', 21)}/{_snake(rng)}.cpython-312-x86_64-linux-gnu.so",
        lambda rng: f"DerivedData/{_camel(rng)}-{drawn_of(rng, string.ascii_lowercase, 28)}/Build/Products",
        lambda rng: f"bazel-out/k8-fastbuild-ST-{hexadecimal(rng, 12)}/bin/{_path(rng)}",
        lambda rng: f"~/.terraform/providers/example.test/{name(rng)}/{version(rng)}: h1:{b64(rng, 32)} zh:{hexadecimal(rng, 64)}",
    ),
}  # fmt: skip


def text(seed: int, size: int) -> str:
    """At least `size` characters of all kinds in turn, the same ones for a seed."""
    rng = random.Random(seed)
    kinds: list[Callable[[random.Random], str]] = list(OF_FILES.values())
    rows: list[str] = []
    length = 0
    while length < size:
        row = kinds[len(rows) % len(kinds)](rng)
        rows.append(row)
        length += len(row) + 1
    return "\n".join(rows)
