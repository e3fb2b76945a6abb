"""The same set's second half: containers, logs, tables, keys, code, sciences and files.

Data for `elsewhere.py`, under the rules of `ordinary_heldout.py`.
"""

# ruff: noqa: E501 - a row of a program reads best as one line, and so do words

import base64
import json
import random
import string

from benchmarks.redact.ordinary import Kind, any_of
from benchmarks.redact.ordinary_heldout import (
    ALNUM,
    LOWER,
    UPPER,
    URLSAFE,
    a_uuid,
    b64,
    camel,
    clock,
    decimal,
    hexes,
    path,
    pick,
    rows,
    semver,
    stamp,
    title,
    word,
    words,
)

_POD = "bcdfghjklmnpqrstvwxz2456789"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_HOSTS = ("api", "auth", "billing", "cart", "ingest", "search", "web", "worker")
_TEXTS = (
    "Die Datei wurde gespeichert, aber die Vorschau konnte nicht erzeugt werden.", "保存されていない変更があります。続行しますか？",
    "No se pudo conectar con el servidor; se volverá a intentar en breve.", "Не удалось загрузить список заказов.",
    "La session a expiré. Reconnectez-vous pour continuer.", "Zapisano zmiany w ustawieniach powiadomień.", "파일을 업로드하는 중입니다.",
)  # fmt: skip


def _colons(data: bytes) -> str:
    return data.hex(":")


# Containers, clusters and clouds


def _docker(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"{hexes(r, 12)}   registry.example.test/{word(r)}:{semver(r)}   \"/docker-entrypoint.…\"   {r.randrange(23)} hours ago   Up {r.randrange(23)} hours   0.0.0.0:{r.randrange(1024, 65535)}->{r.randrange(1024, 9999)}/tcp   {word(r)}-{word(r)}-1", lambda r: f"registry.example.test/{word(r)}   {hexes(r, 7)}   {hexes(r, 12)}   {r.randrange(9)} weeks ago   {r.randrange(900)}MB", lambda r: f"{hexes(r, 12)}: Pull complete", lambda r: f"Digest: sha256:{hexes(r, 64)}", lambda r: f"FROM python:3.12-slim@sha256:{hexes(r, 64)} AS {word(r)}", lambda r: f"Step {r.randrange(9)}/9 : COPY {word(r)} /srv/{word(r)}\n ---> Running in {hexes(r, 12)}\nRemoving intermediate container {hexes(r, 12)}\n ---> {hexes(r, 12)}", lambda r: f"local     {hexes(r, 64)}")  # fmt: skip


def _kubernetes(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"{r.choice(_HOSTS)}-{pick(r, _POD, 10)}-{pick(r, _POD, 5)}   1/1   Running   {r.randrange(9)} ({r.randrange(9)}d ago)   {r.randrange(90)}d   10.{r.randrange(255)}.{r.randrange(255)}.{r.randrange(255)}   ip-10-0-{r.randrange(255)}-{r.randrange(255)}.eu-central-1.compute.internal", lambda r: f"{r.randrange(59)}m   Normal   ScalingReplicaSet   deployment/{r.choice(_HOSTS)}   Scaled up replica set {r.choice(_HOSTS)}-{pick(r, _POD, 10)} to {r.randrange(9)}", lambda r: f'    resourceVersion: "{r.randrange(10**9)}"\n    uid: {a_uuid(r)}', lambda r: f"    pod-template-hash: {pick(r, _POD, 10)}\n    checksum/config: {hexes(r, 64)}", lambda r: f"  Container ID:   containerd://{hexes(r, 64)}\n    Image ID:       registry.example.test/{word(r)}@sha256:{hexes(r, 64)}", lambda r: f"    /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-{pick(r, _POD, 5)} (ro)")  # fmt: skip


def _infrastructure(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"aws_security_group.{words(r, 2, '_')}: Refreshing state... [id=sg-0{hexes(r, 16)}]", lambda r: f'      ~ ami                          = "ami-0{hexes(r, 16)}" -> "ami-0{hexes(r, 16)}" # forces replacement', lambda r: f"module.{word(r)}.aws_iam_role_policy_attachment.{word(r)}: Creation complete after {r.randrange(9)}s [id={words(r, 2, '-')}-{stamp(r)[:10].replace('-', '')}{r.randrange(10**18):018}]", lambda r: f'      + {words(r, 2, "_")}_arn = (known after apply)', lambda r: f'    "etag": "W/\\"{a_uuid(r)}\\"", "id": "/subscriptions/{a_uuid(r)}/resourceGroups/{word(r)}-rg/providers/Microsoft.Network/virtualNetworks/{word(r)}"', lambda r: f"changed: [{word(r)}-{r.randrange(20):02}.example.test] => (item={words(r, 2, '-')})", lambda r: f"{stamp(r, ' ')}   {r.randrange(10**8):10} {word(r)}/{stamp(r)[:10].replace('-', '/')}/part-{r.randrange(99):05}-{a_uuid(r)}-c000.snappy.parquet")  # fmt: skip


# Logs, traces and numbers of services


def _json_log(rng: random.Random) -> str:
    return rows(rng, 2, 7, lambda r: json.dumps({"level": r.choice(("info", "warn", "error")), "ts": f"{stamp(r)}.{r.randrange(1000):03}Z", "logger": f"{word(r)}.{word(r)}", "msg": words(r, 4), "trace_id": hexes(r, 32), "span_id": hexes(r, 16), "request_id": r.choice((a_uuid(r), "01" + pick(r, _CROCKFORD, 24), pick(r, LOWER, 20))), "duration_ms": r.randrange(900)}), lambda r: f"{stamp(r, ' ')},{r.randrange(1000):03} [{word(r)}-{r.randrange(9)}] {r.choice(('INFO ', 'DEBUG'))} c.e.{word(r)}.{title(r)} - {words(r, 5)} id={r.randrange(10**6)} took {r.randrange(900)}ms", lambda r: f"traceparent: 00-{hexes(r, 32)}-{hexes(r, 16)}-01", lambda r: f"[{clock(r)}] {r.choice(('GET', 'POST', 'PATCH'))} /api/{word(r)}/{a_uuid(r)}/{word(r)}?page={r.randrange(99)}&sort=-{words(r, 2, '_')} {r.choice((200, 201, 304, 404))} {decimal(r, 300, 3)} ms - {r.randrange(9999)}")  # fmt: skip


def _stack_trace(rng: random.Random) -> str:
    return any_of(
        lambda r: "Traceback (most recent call last):\n" + rows(r, 2, 6, lambda q: f'  File "/srv/app/.venv/lib/python3.12/site-packages/{word(q)}/{words(q, 2, "_")}.py", line {q.randrange(900)}, in {words(q, 3, "_")}\n    return await self.{words(q, 2, "_")}({word(q)}, {word(q)}=self.{word(q)})') + f"\n{word(r)}.errors.{title(r)}Error: {words(r, 6)}",
        lambda r: f"TypeError: Cannot read properties of undefined (reading '{camel(r)}')\n" + rows(r, 3, 9, lambda q: f"    at {title(q)}.{camel(q)} (https://app.example.test/_next/static/chunks/{q.randrange(999)}-{hexes(q, 16)}.js:1:{q.randrange(99999)})", lambda q: f"    at async {camel(q)} (file:///srv/app/node_modules/.pnpm/{word(q)}@{semver(q)}/node_modules/{word(q)}/dist/index.mjs:{q.randrange(999)}:{q.randrange(99)})"),
        lambda r: f"goroutine {r.randrange(900)} [chan receive, {r.randrange(9)} minutes]:\n" + rows(r, 3, 8, lambda q: f"github.com/example/{word(q)}/internal/{word(q)}.(*{title(q)}).{title(q)}(0xc000{hexes(q, 6)}, {{0x{hexes(q, 6)}, 0xc000{hexes(q, 6)}}}, 0x{hexes(q, 2)})\n\t/go/pkg/mod/github.com/example/{word(q)}@v0.0.0-{q.randrange(20240101, 20261231)}{q.randrange(240000):06}-{hexes(q, 12)}/{word(q)}.go:{q.randrange(900)} +0x{hexes(q, 3)}"),
        lambda r: rows(r, 4, 9, lambda q: f"  {q.randrange(40):2}: {word(q)}::{word(q)}::{title(q)}<T>::{words(q, 2, '_')}::{{{{closure}}}}\n             at /home/dev/.cargo/registry/src/index.crates.io-{hexes(q, 16)}/{word(q)}-{semver(q)}/src/{word(q)}.rs:{q.randrange(900)}:{q.randrange(80)}"),
    )(rng)  # fmt: skip


def _series(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f'{words(r, 3, "_")}_seconds_bucket{{instance="10.0.{r.randrange(255)}.{r.randrange(255)}:9090",job="{r.choice(_HOSTS)}",le="{decimal(r, 9)}"}} {r.randrange(10**7)}', lambda r: f"{word(r)},host={r.choice(_HOSTS)}-{r.randrange(20)},region=eu usage={decimal(r)},free={r.randrange(10**10)}i {r.randrange(10**18, 2 * 10**18)}", lambda r: f"     {word(r)}_duration..............: avg={decimal(r)}ms min={decimal(r)}µs med={decimal(r)}ms max={decimal(r, 9)}s p(90)={decimal(r)}ms", lambda r: f"  {decimal(r, 99, 1)}%  {decimal(r, 99, 1)}%  {decimal(r, 9)}s  {decimal(r, 99, 1)}%  runtime.{camel(r)}", lambda r: f"{stamp(r)} {decimal(r, 99)} {decimal(r, 99)} {r.randrange(10**6)} {r.randrange(10**6)}")  # fmt: skip


# Tables and answers


def _sql(rng: random.Random) -> str:
    return " id     |                 uuid                 |     email      |          created_at           | meta\n--------+--------------------------------------+----------------+-------------------------------+------\n" + rows(rng, 3, 12, lambda r: f" {r.randrange(10**6):6} | {a_uuid(r)} | {word(r)}{r.randrange(99)}@example.test | {stamp(r, ' ')}.{r.randrange(10**6):06}+00 | {json.dumps({word(r): word(r), 'v': r.randrange(99), 'digest': hexes(r, 32)})}") + f"\n({rng.randrange(900)} rows)"  # fmt: skip


def _csv(rng: random.Random) -> str:
    return any_of(
        lambda r: "order_id,sku,customer,quantity,price,tracking,ordered_at\n" + rows(r, 4, 14, lambda q: f"ORD-{q.randrange(10**8):08},{pick(q, UPPER, 4)}-{pick(q, UPPER, 6)}-{q.randrange(99):02},CUST{q.randrange(10**6):06},{q.randrange(9)},{decimal(q, 900)},1Z{pick(q, UPPER, 6)}{q.randrange(10**10):010},{stamp(q)}Z"),
        lambda r: "event_id,session,page,duration,user_agent_hash\n" + rows(r, 4, 14, lambda q: f"{'01' + pick(q, _CROCKFORD, 24)},{a_uuid(q)},/{words(q, 2, '/')},{q.randrange(99999)},{hexes(q, 32)}"),
        lambda r: "timestamp;sensor;temperature;humidity;pressure\n" + rows(r, 4, 14, lambda q: f"{stamp(q)};{word(q)}-{q.randrange(99)};{decimal(q, 40)};{decimal(q)};{decimal(q, 1100, 1)}"),
    )(rng)  # fmt: skip


def _api_answer(rng: random.Random) -> str:
    return any_of(
        lambda r: json.dumps({"id": r.randrange(10**9), "node_id": b64(r, 18).rstrip("="), "sha": hexes(r, 40), "html_url": f"https://github.com/example/{word(r)}/commit/{hexes(r, 40)}", "author": {"login": word(r), "id": r.randrange(10**7)}, "verification": {"verified": False, "reason": "unsigned"}}, indent=2),
        lambda r: json.dumps({"object": "list", "data": [{"id": f"{r.choice(('cus', 'in', 'pi', 'evt'))}_{pick(r, ALNUM, 24)}", "created": r.randrange(10**9, 2 * 10**9), "livemode": False} for _ in range(3)], "has_more": True}, indent=2),
        lambda r: json.dumps({"id": f"chatcmpl-{pick(r, ALNUM, 29)}", "object": "chat.completion", "model": "small-2026-05", "system_fingerprint": f"fp_{hexes(r, 10)}", "usage": {"prompt_tokens": r.randrange(9999), "completion_tokens": r.randrange(999)}}),
        lambda r: json.dumps({"data": {word(r): {"edges": [{"cursor": b64(r, 15), "node": {"id": b64(r, 21), "name": words(r, 2)}} for _ in range(3)], "pageInfo": {"endCursor": b64(r, 15), "hasNextPage": True}}}}, indent=2),
        lambda r: json.dumps({"_index": f"{word(r)}-2026.11.{r.randrange(1, 31):02}", "_id": pick(r, URLSAFE, 20), "_score": round(r.random() * 9, 4), "_source": {"@timestamp": stamp(r) + "Z", "message": words(r, 6)}}),
    )(rng)  # fmt: skip


# Keys that are public, and sums

_MINISIGN = b"Ed"
_ED25519 = b"\0\0\0\x0bssh-ed25519\0\0\0 "
_ECDSA = b"\0\0\0\x13ecdsa-sha2-nistp256\0\0\0\x08nistp256\0\0\0A\x04"
_RSA = b"\0\0\0\x07ssh-rsa\0\0\0\x03\x01\0\x01\0\0\x01\x01\0"


def _blob(rng: random.Random, head: bytes, size: int) -> str:
    """A public key in base64: what names its kind, and so many bytes."""
    return base64.b64encode(head + rng.randbytes(size)).decode()


def _certificate(rng: random.Random) -> str:
    public = _colons(rng.randbytes(rng.choice((65, 257))))
    return f"        Serial Number:\n            {_colons(rng.randbytes(16))}\n        Issuer: C = US, O = Let's Encrypt, CN = R{rng.randrange(9, 15)}\n        Subject: CN = {word(rng)}.example.test\n            Public Key Algorithm: rsaEncryption\n                Modulus:\n" + "\n".join("                    " + public[at : at + 45] for at in range(0, len(public), 45)) + f"\n            X509v3 Subject Key Identifier: \n                {_colons(rng.randbytes(20)).upper()}\n                    Log ID    : {_colons(rng.randbytes(16)).upper()}:\n                    Timestamp : Nov 21 {clock(rng)}.{rng.randrange(1000):03} 2026 GMT\nsha256 Fingerprint={_colons(rng.randbytes(32)).upper()}"  # fmt: skip


def _ssh_keys(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: f"ssh-ed25519 {_blob(r, _ED25519, 32)} {word(r)}@{word(r)}", lambda r: f"256 SHA256:{b64(r, 32).rstrip('=')} {word(r)}@laptop (ED25519)", lambda r: f"|1|{b64(r, 20)}|{b64(r, 20)} ecdsa-sha2-nistp256 {_blob(r, _ECDSA, 64)}", lambda r: f"ssh-rsa {_blob(r, _RSA, 256)} {word(r)}@ci", lambda r: f"debug1: Server host key: ssh-ed25519 SHA256:{b64(r, 32).rstrip('=')}", lambda r: f"Nov 21 {clock(r)} bastion sshd[{r.randrange(9999)}]: Accepted publickey for deploy from 10.0.0.{r.randrange(255)} port {r.randrange(9999)} ssh2: ED25519 SHA256:{b64(r, 32).rstrip('=')}", lambda r: f"MD5:{_colons(r.randbytes(16))}")  # fmt: skip


def _public_keys(rng: random.Random) -> str:
    return rows(rng, 2, 6, lambda r: f"peer: {b64(r, 32)}\n  endpoint: 198.51.100.{r.randrange(255)}:51820\n  allowed ips: 10.8.0.{r.randrange(255)}/32\n  latest handshake: {r.randrange(59)} seconds ago\n  transfer: {decimal(r)} GiB received, {decimal(r)} MiB sent", lambda r: f"pub   ed25519 2026-01-{r.randrange(1, 29):02} [SC]\n      {hexes(r, 40).upper()}\nuid           [ultimate] {title(r, 1)} <{word(r)}@example.test>", lambda r: f"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{b64(r, 21)}\n{b64(r, 43)}\n-----END PUBLIC KEY-----", lambda r: f"untrusted comment: minisign public key {hexes(r, 16).upper()}\n{_blob(r, _MINISIGN, 40)}", lambda r: f"age recipient: age1{pick(r, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l', 58)}", lambda r: f'    <script src="/assets/{word(r)}.js" integrity="sha384-{b64(r, 48)}" crossorigin="anonymous"></script>', lambda r: f"{hexes(r, 64)}  {word(r)}_{semver(r)}_linux_amd64.tar.gz")  # fmt: skip


# Code and what is made of it


def _source(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f"export const {camel(r, 4)} = create{title(r, 2)}<{title(r, 3)}Props>(({{ {camel(r)}, {camel(r, 2)} }}) => {camel(r, 3)}.{camel(r)}({word(r)}?.{word(r)} ?? []));", lambda r: f"    def test_{words(r, 7, '_')}(self, {words(r, 2, '_')}: {title(r)}) -> None:", lambda r: f"func (s *{title(r)}) {title(r, 4)}(ctx context.Context, {camel(r)} *pb.{title(r, 3)}Request) (*pb.{title(r, 3)}Response, error) {{", lambda r: f"private static final String {words(r, 4, '_').upper()} = \"{words(r, 2, '.')}.{words(r, 2, '-')}\";", lambda r: f"impl<'a, T: {title(r)} + Send + 'static> From<{title(r, 3)}<'a, T>> for {title(r, 3)} {{", lambda r: f"  const token = await getToken({{ {camel(r)}: {camel(r)}.id }}); // {words(r, 4)}", lambda r: f'const {word(r).upper()}_RE = /^(?:[A-Za-z0-9_-]{{{r.randrange(9)},{r.randrange(10, 40)}}}\\.)+{word(r)}[^"\\\\]*$/u;', lambda r: f"CREATE UNIQUE INDEX CONCURRENTLY idx_{words(r, 4, '_')} ON {word(r)} ({word(r)}_id, {word(r)}_at DESC) WHERE deleted_at IS NULL;")  # fmt: skip


def _constants(rng: random.Random) -> str:
    return rows(rng, 3, 9, lambda r: "    " + ", ".join(f"0x{hexes(r, 8)}" for _ in range(6)) + ",", lambda r: "    " + ", ".join(f"0x{hexes(r, 2)}" for _ in range(12)) + ",", lambda r: f'  {{ input: "{words(r, 2)}", sha256: "{hexes(r, 64)}" }},', lambda r: f"expect({camel(r)}).toBe('{hexes(r, r.choice((32, 40, 64)))}')", lambda r: f'    {title(r)} = uuid.UUID("{a_uuid(r)}")', lambda r: f"const MAGIC: u64 = 0x{hexes(r, 4)}_{hexes(r, 4)}_{hexes(r, 4)}_{hexes(r, 4)};", lambda r: f"#define {words(r, 2, '_').upper()}_POLY 0x{hexes(r, 16).upper()}ULL")  # fmt: skip


def _protobuf(rng: random.Random) -> str:
    def octal(r: random.Random) -> str:
        name, field = word(r), words(r, 2, "_")
        return "".join(r.choice((f"\\n\\{len(name):03o}{name}", f"\\022\\{len(field):03o}{field}", "\\030\\001 \\001(\\tR", f"\\x{r.randrange(256):02x}")) for _ in range(8))  # fmt: skip

    return rows(rng, 2, 8, lambda r: f"{words(r, 2, '_')} {{\n  {words(r, 2, '_')}: {r.randrange(10**9)}\n  {word(r)}_bytes: \"{octal(r)}\"\n}}", lambda r: f"\t0x0a, {', '.join(f'0x{byte:02x}' for byte in r.randbytes(15))},", lambda r: f"DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile(b'{octal(r)}{octal(r)}')", lambda r: f'\t"{octal(r)}" +')  # fmt: skip


def _assets(rng: random.Random) -> str:
    return any_of(
        lambda r: f"@font-face{{font-family:{title(r)};src:url(data:font/woff2;base64,d09GMgABAAAAA{b64(r, r.randrange(200, 900))}) format('woff2')}}",
        lambda r: "//# sourceMappingURL=data:application/json;charset=utf-8;base64," + base64.b64encode(json.dumps({"version": 3, "sources": [path(r, ".ts")], "names": [camel(r) for _ in range(9)], "mappings": ";".join(pick(r, "ACEGIKMOQSUWYDF", 4) for _ in range(60))}).encode()).decode(),
        lambda r: f'  "image/jpeg": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDA{b64(r, r.randrange(200, 900))}",',
        lambda r: f"!function(e,t){{\"object\"==typeof exports?module.exports=t():e.{title(r)}=t()}}(this,(function(){{" + "".join(f"var {pick(r, string.ascii_letters, 1)}=n({r.randrange(9999)}),{pick(r, string.ascii_letters, 2)}={pick(r, string.ascii_letters, 1)}.{camel(r)}||\"{camel(r)}\";" for _ in range(12)),
        lambda r: '{"version":3,"sources":["../' + path(r, ".ts") + '"],"names":["' + '","'.join(camel(r) for _ in range(6)) + '"],"mappings":"' + ";".join(",".join(pick(r, "ACEGIKMOQSUWYDFHJLNPRTVXZabcdefghijk", 4) for _ in range(r.randrange(2, 7))) for _ in range(30)) + '"}',
    )(rng)  # fmt: skip


def _styles(rng: random.Random) -> str:
    def point(r: random.Random) -> str:
        return f"{decimal(r, 24)} {decimal(r, 24)}"

    return rows(rng, 2, 7, lambda r: f'<symbol id="{words(r, 2, "-")}" viewBox="0 0 24 24"><path d="M{point(r)}' + "".join(f"{r.choice('clhvsqa')}{decimal(r, 9)}-{decimal(r, 9)}.{r.randrange(99)}-{decimal(r, 9)}" for _ in range(20)) + 'z"/></symbol>', lambda r: f'<div className="flex min-h-[{r.randrange(900)}px] items-center bg-[#{hexes(r, 6)}] px-{r.randrange(9)} data-[state=open]:animate-in sm:grid-cols-[repeat({r.randrange(9)},minmax(0,1fr))]">', lambda r: f".{title(r)}_{word(r)}__{pick(r, URLSAFE, 5)},.sc-{pick(r, string.ascii_letters, 6)}.{pick(r, string.ascii_letters, 6)}{{color:#{hexes(r, 6)};box-shadow:0 {r.randrange(9)}px {r.randrange(20)}px rgba(0,0,0,.{r.randrange(99)})}}", lambda r: f'{{"ty":4,"nm":"{word(r)}","ks":{{"p":{{"a":1,"k":[{{"t":{r.randrange(90)},"s":[{decimal(r, 900, 3)},{decimal(r, 900, 3)},0]}}]}}}}}},')  # fmt: skip


def _binaries(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"\tlib{word(r)}.so.{r.randrange(9)} => /lib/x86_64-linux-gnu/lib{word(r)}.so.{r.randrange(9)} (0x00007f{hexes(r, 10)})", lambda r: f"    {decimal(r)}%  {word(r)}  lib{word(r)}.so  [.] _ZN{''.join(f'{len(w)}{w}' for w in words(r, 3).split())}EPKc{r.choice(('', 'mRKSt6vectorIdSaIdEE', 'PNS_7ContextE'))}", lambda r: f"  [{r.randrange(40):2}] .{word(r)}  PROGBITS  {hexes(r, 16)}  {hexes(r, 8)}  WA  0  0  8", lambda r: f"{word(r)}: ELF 64-bit LSB pie executable, x86-64, dynamically linked, BuildID[sha1]={hexes(r, 40)}, not stripped", lambda r: f"{hexes(r, 16)} T __ZNK{len(title(r, 1))}{title(r, 1)}{r.randrange(9)}{word(r)}Ev", lambda r: f"main;{';'.join(camel(r) for _ in range(6))} {r.randrange(9999)}", lambda r: f"\t\t{hexes(r, 24).upper()} /* {title(r)}.swift in Sources */ = {{isa = PBXBuildFile; fileRef = {hexes(r, 24).upper()} /* {title(r)}.swift */; }};")  # fmt: skip


# Sciences and models


def _weights(rng: random.Random) -> str:
    return rows(rng, 4, 14, lambda r: f"model.layers.{r.randrange(80)}.{r.choice(('self_attn.q_proj', 'self_attn.o_proj', 'mlp.gate_proj', 'input_layernorm'))}.weight   torch.Size([{r.randrange(1, 20) * 512}, {r.randrange(1, 20) * 512}])  torch.bfloat16", lambda r: f'    "encoder.block.{r.randrange(24)}.layer.{r.randrange(3)}.DenseReluDense.wi_{r.randrange(2)}.weight": "model-{r.randrange(9):05}-of-00009.safetensors",', lambda r: f"llama_model_loader: - kv {r.randrange(40):3}: tokenizer.ggml.{word(r)} arr[str,{r.randrange(99999)}] = [\"<unk>\", \"Ġ{word(r)}\", \"Ġ{word(r)[:4]}\", ...", lambda r: f"~/.cache/huggingface/hub/models--example--{word(r)}-{r.randrange(70)}b/snapshots/{hexes(r, 40)}/model-{r.randrange(9):05}-of-00009.safetensors", lambda r: f"epoch {r.randrange(90)}: {r.randrange(100)}%|█████▍    | {r.randrange(9999)}/{r.randrange(9999)} [{clock(r)}<{clock(r)}, {decimal(r, 9)}it/s, loss={decimal(r, 4, 4)}, lr={decimal(r, 9)}e-05]", lambda r: f"wandb: View run {words(r, 2, '-')}-{r.randrange(99)} at https://wandb.example.test/{word(r)}/{word(r)}/runs/{pick(r, LOWER, 8)}", lambda r: f"GPU {r.randrange(8)}: A100-SXM4-80GB (UUID: GPU-{a_uuid(r)})")  # fmt: skip


def _arrays(rng: random.Random) -> str:
    return rows(rng, 3, 10, lambda r: "tensor([[" + ", ".join(f"{r.uniform(-3, 3):7.4f}" for _ in range(6)) + "],", lambda r: f"{r.randrange(9999):6}  {decimal(r, 999, 6)}  {decimal(r, 999, 6)}  {title(r)}  {stamp(r, ' ')}  NaN", lambda r: " [" + " ".join(f"{r.uniform(-1, 1):.8e}" for _ in range(4)) + "]", lambda r: f"{r.choice(('mean', 'std', '25%', 'max')):8}{r.uniform(0, 9999):15.6f}{r.uniform(0, 9999):15.6f}{r.uniform(0, 9999):15.6f}", lambda r: '"embedding": [' + ", ".join(f"{r.uniform(-0.1, 0.1):.10f}" for _ in range(8)) + ",")  # fmt: skip


def _biology(rng: random.Random) -> str:
    return rows(rng, 3, 9, lambda r: f"chr{r.randrange(1, 23)}\t{r.randrange(10**8)}\trs{r.randrange(10**9)}\t{pick(r, 'ACGT', r.randrange(1, 20))}\t{pick(r, 'ACGT', r.randrange(1, 20))}\t{decimal(r, 99)}\tPASS\tAC={r.randrange(9)};AF={decimal(r, 1, 3)};AN={r.randrange(999)}\tGT:AD:DP\t0/1:{r.randrange(99)},{r.randrange(99)}:{r.randrange(99)}", lambda r: f"@A00{r.randrange(999)}:{r.randrange(99)}:H{pick(r, UPPER, 8)}:{r.randrange(4)}:{r.randrange(9999)}:{r.randrange(9999)}:{r.randrange(9999)} 1:N:0:{pick(r, 'ACGT', 8)}+{pick(r, 'ACGT', 8)}\n{pick(r, 'ACGTN', 100)}\n+\n{pick(r, 'FFFF:,#FFF', 100)}", lambda r: f">sp|{pick(r, 'OPQ', 1)}{r.randrange(9)}{pick(r, UPPER, 3)}{r.randrange(9)}|{pick(r, UPPER, 4)}_HUMAN\n{pick(r, 'ACDEFGHIKLMNPQRSTVWY', 60)}", lambda r: f"({word(r)}_{r.randrange(99)}:{decimal(r, 1, 6)},({pick(r, UPPER, 6)}.{r.randrange(9)}:{decimal(r, 1, 6)},ENSG{r.randrange(10**11):011}:{decimal(r, 1, 6)}){r.randrange(100)}:{decimal(r, 1, 6)});", lambda r: f"CC(=O)N{pick(r, 'Cc1(=O)NS', 20)}  InChIKey={pick(r, string.ascii_uppercase, 14)}-{pick(r, string.ascii_uppercase, 10)}-N")  # fmt: skip


def _places(rng: random.Random) -> str:
    return rows(rng, 3, 10, lambda r: '{"type":"Feature","geometry":{"type":"LineString","coordinates":[' + ",".join(f"[{r.uniform(-180, 180):.6f},{r.uniform(-90, 90):.6f}]" for _ in range(5)) + "]}}", lambda r: f" {r.randrange(9999)} | 0101000020E6100000{hexes(r, 32).upper()}", lambda r: f"h3={'8' + hexes(r, 1)}{hexes(r, 8)}{'f' * 5} geohash={pick(r, '0123456789bcdefghjkmnpqrstuvwxyz', 9)} {r.uniform(-90, 90):.5f},{r.uniform(-180, 180):.5f}", lambda r: f'"polyline":"{pick(r, string.ascii_letters + "_@?`~|{}[]^", r.randrange(30, 90))}"', lambda r: f"POLYGON(({', '.join(f'{r.uniform(5, 15):.7f} {r.uniform(47, 55):.7f}' for _ in range(5))}))", lambda r: f"https://tiles.example.test/{r.randrange(20)}/{r.randrange(99999)}/{r.randrange(99999)}.pbf")  # fmt: skip


# Files, networks and texts


def _listing(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f"-rw-r--r--  1 dev  staff  {r.randrange(10**6):7} Nov {r.randrange(1, 30):2} {clock(r)[:5]} {words(r, 2, '_')}.{hexes(r, 8)}.{r.choice(('js', 'css', 'snap', 'log'))}", lambda r: f"./node_modules/.cache/babel-loader/{hexes(r, 64)}.json", lambda r: f"│   ├── {words(r, 2, '-')}.tsx", lambda r: f".git/objects/{hexes(r, 2)}/{hexes(r, 38)}", lambda r: f"{r.randrange(900)}M\t./target/debug/incremental/{word(r)}-{pick(r, LOWER, 13)}/s-{pick(r, LOWER, 10)}-{pick(r, LOWER, 7)}-{pick(r, LOWER, 25)}", lambda r: f"src/{word(r)}/__pycache__/{words(r, 2, '_')}.cpython-312.pyc", lambda r: f"drwx------@ 5 dev staff 160 Nov 21 {clock(r)[:5]} com.example.{word(r)}.{pick(r, UPPER, 10)}", lambda r: f"/private/var/folders/{pick(r, LOWER, 2)}/{pick(r, LOWER, 30)}/T/{word(r)}-{pick(r, ALNUM, 6)}/{word(r)}.sock")  # fmt: skip


def _settings(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f'    "{word(r)}:{word(r)}": "{word(r)} --config ./{words(r, 2, "-")}.config.ts && {word(r)} build",', lambda r: f"{words(r, 2, '_').upper()}={r.choice(('true', '8080', 'postgres://localhost:5432/' + word(r), '/srv/' + word(r), 'https://' + word(r) + '.example.test/v1', ''))}", lambda r: f"  {word(r)}:\n    image: registry.example.test/{word(r)}:{semver(r)}\n    environment:\n      - {words(r, 2, '_').upper()}=${{{words(r, 2, '_').upper()}:-{word(r)}}}", lambda r: f"{words(r, 2, '_').upper()}_API_KEY={r.choice(('', 'your-api-key-here', '<your key>', '${API_KEY}'))}", lambda r: f"    location ~ ^/{word(r)}/(?<{word(r)}>[^/]+)/ {{ proxy_pass http://{word(r)}_upstream; proxy_read_timeout {r.randrange(300)}s; }}", lambda r: f'{words(r, 2, "-")} = {{ version = "{semver(r)}", features = ["{word(r)}", "{word(r)}-{word(r)}"], default-features = false }}', lambda r: f"  tokenizer_max_length: {r.randrange(9999)}  # {words(r, 4)}")  # fmt: skip


def _networks(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"tcp   ESTAB 0      0      10.0.0.{r.randrange(255)}:{r.randrange(65535)}   198.51.100.{r.randrange(255)}:443   users:((\"{word(r)}\",pid={r.randrange(9999)},fd={r.randrange(90)}))", lambda r: f"    link/ether {_colons(r.randbytes(6))} brd ff:ff:ff:ff:ff:ff\n    inet6 fe80::{hexes(r, 4)}:{hexes(r, 2)}ff:fe{hexes(r, 2)}:{hexes(r, 4)}/64 scope link", lambda r: f"64 bytes from 2001:db8:{hexes(r, 4)}:{hexes(r, 4)}::{hexes(r, 4)}: icmp_seq={r.randrange(99)} ttl={r.randrange(64)} time={decimal(r)} ms", lambda r: f"{clock(r)}.{r.randrange(10**6):06} IP 10.0.0.{r.randrange(255)}.{r.randrange(65535)} > 10.0.0.{r.randrange(255)}.443: Flags [P.], seq {r.randrange(10**10)}:{r.randrange(10**10)}, ack {r.randrange(10**10)}, win {r.randrange(9999)}, options [nop,nop,TS val {r.randrange(10**10)} ecr {r.randrange(10**10)}]", lambda r: f"{word(r)}.example.test.\t{r.randrange(3600)}\tIN\tCNAME\td{pick(r, LOWER, 13)}.cloudfront.net.", lambda r: f"< etag: W/\"{hexes(r, 4)}-{pick(r, ALNUM + '+/', 27)}\"\n< cf-ray: {hexes(r, 16)}-FRA\n< x-request-id: {a_uuid(r)}")  # fmt: skip


def _texts(rng: random.Random) -> str:
    return rows(rng, 3, 9, lambda r: f'  "{words(r, 3, ".")}": "{r.choice(_TEXTS)}",', lambda r: f"#: {path(r)}:{r.randrange(900)}\nmsgid \"{words(r, 5)}\"\nmsgstr \"{r.choice(_TEXTS)}\"", lambda r: f"See [{words(r, 2)}](https://docs.example.test/{words(r, 2, '/')}#{words(r, 3, '-')}) and https://doi.example.test/10.{r.randrange(1000, 9999)}/{word(r)}.2026.{r.randrange(9999)}.", lambda r: f"- [ ] {words(r, 6)} (https://www.notion.so/{'-'.join(title(r, 1) for _ in range(4))}-{hexes(r, 32)})", lambda r: f"https://docs.google.com/spreadsheets/d/1{pick(r, URLSAFE, 43)}/edit#gid={r.randrange(10**9)}", lambda r: f"https://www.youtube.com/watch?v={pick(r, URLSAFE, 11)}&list=PL{pick(r, URLSAFE, 32)}", lambda r: f"> {words(r, 9)}, as {title(r, 1)} et al. (2026, arXiv:26{r.randrange(1, 12):02}.{r.randrange(10**5):05}) report for n = {r.randrange(9999)}.")  # fmt: skip


HELDOUT_DATA: dict[str, Kind] = {
    "docker": _docker, "kubernetes": _kubernetes, "infrastructure": _infrastructure, "JSON log": _json_log, "stack trace": _stack_trace,
    "time series": _series, "SQL result": _sql, "CSV": _csv, "API answer": _api_answer, "certificate": _certificate, "SSH keys": _ssh_keys,
    "public keys and sums": _public_keys, "source": _source, "constants": _constants, "protobuf": _protobuf, "assets": _assets,
    "styles and icons": _styles, "binaries": _binaries, "weights": _weights, "arrays": _arrays, "biology": _biology, "geodata": _places,
    "directory listing": _listing, "settings": _settings, "network tools": _networks, "texts and links": _texts,
}  # fmt: skip
