"""The same set's second half: services, clouds, networks, sciences and texts of the world.

Data for `elsewhere.py`, under the rules of `ordinary_of_builds.py`.
"""

# ruff: noqa: E501 - a row of a program reads best as one line, and so do words

import base64
import json
import random
import string
from urllib.parse import quote

from benchmarks.redact.ordinary import Kind
from benchmarks.redact.ordinary_of_builds import (
    ALL,
    LOWER,
    URL,
    a_uuid,
    b64,
    hexes,
    path,
    pick,
    rows,
    semver,
    stamp,
    word,
    words,
)

UPPER = string.ascii_uppercase + string.digits
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_REGIONS = ("us-east-1", "eu-central-1", "ap-southeast-2")
_FOREIGN = (
    "日本語の文字列を処理するときは正規化が必要です", "Überprüfungsausschussvorsitzender", "Превышено максимальное количество попыток",
    "การประมวลผลข้อความภาษาไทยไม่มีช่องว่าง", "데이터베이스연결이종료되었습니다", "Lentokonesuihkuturbiinimoottoriapumekaanikko", "ελληνικά γράμματα",
)  # fmt: skip


# Clouds and services


def _cloud_ids(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: r.choice((
        f"i-0{hexes(r, 16)}  vpc-0{hexes(r, 16)}  subnet-0{hexes(r, 16)}  sg-0{hexes(r, 16)}  running",
        f"arn:aws:elasticloadbalancing:{r.choice(_REGIONS)}:{r.randrange(10**11, 10**12)}:targetgroup/{word(r)}-{word(r)}/{hexes(r, 16)}",
        f"arn:aws:cloudformation:{r.choice(_REGIONS)}:{r.randrange(10**11, 10**12)}:stack/{word(r)}-{pick(r, UPPER, 13)}/{a_uuid(r)}",
        f"/subscriptions/{a_uuid(r)}/resourceGroups/rg-{word(r)}/providers/Microsoft.Compute/virtualMachines/vm-{word(r)}-{pick(r, LOWER, 6)}",
        f"operation-{r.randrange(10**12, 10**13)}-{hexes(r, 13)}-{hexes(r, 8)}-{hexes(r, 8)}", f"projects/{word(r)}-{r.randrange(999999)}/locations/europe-west1/services/{word(r)}/revisions/{word(r)}-00042-{pick(r, string.ascii_lowercase, 3)}",
        f"ocid1.instance.oc1.eu-frankfurt-1.{pick(r, string.ascii_lowercase + '234567', 60)}", f"RequestId: {a_uuid(r)} Version: $LATEST", f"1-{hexes(r, 8)}-{hexes(r, 24)} (trace)", f"E{pick(r, UPPER, 13)}.cloudfront.example.test",
    )))  # fmt: skip


def _edge_log(rng: random.Random) -> str:
    return rows(rng, 2, 6, lambda r: f"{stamp(r, chr(9))}\tFRA56-P{r.randrange(9)}\t{r.randrange(99999)}\t203.0.113.{r.randrange(255)}\tGET\td{pick(r, LOWER, 13)}.cloudfront.example.test\t/{path(r, '.js')}\t200\t-\tMozilla/5.0%20(X11;%20Linux%20x86_64)%20AppleWebKit/537.36\t-\tHit\t{pick(r, URL, 54)}==\thttps\tTLSv1.3\tTLS_AES_128_GCM_SHA256")  # fmt: skip


def _store_log(rng: random.Random) -> str:
    return rows(rng, 2, 5, lambda r: f'{hexes(r, 64)} {word(r)}-logs [21/Nov/2026:10:{r.randrange(60):02}:07 +0000] 203.0.113.{r.randrange(255)} - {pick(r, UPPER, 16)} REST.GET.OBJECT {path(r, ".parquet")} "GET /{word(r)} HTTP/1.1" 200 - {r.randrange(9999)} {b64(r, 57)} - TLSv1.3')  # fmt: skip


def _response_headers(rng: random.Random) -> str:
    return "\n".join(rng.sample([
        f'etag: "{hexes(rng, 32)}-{rng.randrange(99)}"', f"x-amz-id-2: {b64(rng, 57)}", f"x-amz-request-id: {pick(rng, UPPER, 16)}", f"cf-ray: {hexes(rng, 16)}-FRA",
        f"x-github-request-id: {':'.join(hexes(rng, 6).upper() for _ in range(5))}", f"traceparent: 00-{hexes(rng, 32)}-{hexes(rng, 16)}-01", f"x-served-by: cache-fra-etou{rng.randrange(9999999)}-FRA",
        f"x-ms-request-id: {a_uuid(rng)}", f'etag: W/"{hexes(rng, 4)}-{pick(rng, ALL + "+/", 27)}"', f"digest: sha-256={b64(rng, 32)}", f"report-to: {{\"group\":\"cf-nel\",\"endpoints\":[{{\"url\":\"https://a.nel.example.test/report/v4?s={quote(b64(rng, 90), safe='')}\"}}]}}",
        f"content-security-policy: script-src 'self' 'sha256-{b64(rng, 32)}' 'sha256-{b64(rng, 32)}'", f"x-b3-traceid: {hexes(rng, 32)}", f"last-modified: Sat, 21 Nov 2026 10:{rng.randrange(60):02}:07 GMT",
    ], 8))  # fmt: skip


def _mail(rng: random.Random) -> str:
    sign = b64(rng, 256)
    return (
        f"Received: from mail-{word(rng)}.example.test (mail.example.test [IPv6:2001:db8::{hexes(rng, 4)}]) by mx.example.test with ESMTPS id {pick(rng, LOWER, 13)}-{pick(rng, LOWER, 28)}.{rng.randrange(99)}.2026.11.21\n"
        f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.test; s=20230601; bh={b64(rng, 32)};\n        b={sign[:60]}\n         {sign[60:130]}\n         {sign[130:200]}\n"
        f"Message-ID: <CA{pick(rng, URL, 50)}@mail.example.test>\nThread-Index: {b64(rng, 22)}\nContent-Type: multipart/mixed; boundary=\"000000000000{hexes(rng, 16)}\"\nSubject: =?UTF-8?B?{base64.b64encode(rng.choice(_FOREIGN).encode()).decode()}?="
    )  # fmt: skip


def _zone(rng: random.Random) -> str:
    return rows(rng, 2, 5, lambda r: r.choice((
        f"example.test. 3600 IN DNSKEY 257 3 13 {b64(r, 64)}", f"example.test. 300 IN RRSIG A 13 2 300 20261220000000 20261120000000 {r.randrange(65536)} example.test. {b64(r, 64)}",
        f"s1._domainkey.example.test. IN TXT \"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{b64(r, 228)}\"", f"_443._tcp.example.test. IN TLSA 3 1 1 {hexes(r, 64).upper()}", f"{pick(r, UPPER[:22] + '0123456789', 32)}.example.test. IN NSEC3 1 0 0 - {pick(r, UPPER[:22] + '0123456789', 32)} A RRSIG", f"example.test. IN SSHFP 4 2 {hexes(r, 64)}",
    )))  # fmt: skip


def _public_keys(rng: random.Random) -> str:
    body = b64(rng, 300)
    return rng.choice((
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(rng, 33)[1:]} {word(rng)}@laptop", f"|1|{b64(rng, 20)}|{b64(rng, 20)} ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{b64(rng, 66)}",
        f"256 SHA256:{b64(rng, 32).rstrip('=')} {word(rng)}@host (ED25519)", "-----BEGIN CERTIFICATE-----\nMII" + "\n".join(body[at : at + 64] for at in range(0, len(body), 64))[3:] + "\n-----END CERTIFICATE-----",
        f"interface: wg0\n  public key: {b64(rng, 32)}\n  listening port: 51820\n\npeer: {b64(rng, 32)}\n  endpoint: 203.0.113.9:51820\n  allowed ips: 10.0.0.{rng.randrange(255)}/32", "                Modulus:\n" + rows(rng, 6, 12, lambda r: "                    " + ":".join(hexes(r, 2) for _ in range(15)) + ":"),
        f"    caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JS{b64(rng, 300)[1:]}", f"age1{pick(rng, _BECH32, 58)}", f"        X509v3 Subject Key Identifier: \n            {':'.join(hexes(rng, 2).upper() for _ in range(20))}", f"untrusted comment: minisign public key {hexes(rng, 16).upper()}\nRW{b64(rng, 40)}",
    ))  # fmt: skip


def _cluster(rng: random.Random) -> str:
    pod = "bcdfghjklmnpqrstvwxz2456789"
    return rows(rng, 4, 12, lambda r: r.choice((
        f"{words(r, 2, '-')}-{pick(r, pod, 10)}-{pick(r, pod, 5)}   1/1     Running   {r.randrange(9)}   {r.randrange(40)}d   10.42.{r.randrange(255)}.{r.randrange(255)}   ip-10-0-{r.randrange(255)}-{r.randrange(255)}.{r.choice(_REGIONS)}.compute.internal", f"        checksum/config: {hexes(r, 64)}",
        f"    Image ID:       registry.example.test/{word(r)}@sha256:{hexes(r, 64)}", f"    Container ID:   containerd://{hexes(r, 64)}", f"  uid: {a_uuid(r)}", f"  resourceVersion: \"{r.randrange(10**9)}\"",
        f"[{stamp(r)},{r.randrange(999)}][INFO ][o.e.c.s.ClusterService] [{word(r)}-1] added {{{{{word(r)}-2}}{{{pick(r, URL, 22)}}}{{{pick(r, URL, 22)}}}{{10.0.0.{r.randrange(255)}:9300}}{{cdfhilmrstw}}}}", f'{{"level":"info","msg":"{hexes(r, 16)} became leader at term {r.randrange(99)}","member":"{hexes(r, 16)}","cluster":"{hexes(r, 16)}"}}',
    )))  # fmt: skip


def _ids_in_json(rng: random.Random) -> str:
    crock = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return rows(rng, 3, 9, lambda r: json.dumps(r.choice((
        {"_id": {"$oid": hexes(r, 24)}, "ref": f"01{pick(r, crock, 24)}", "at": stamp(r)}, {"event_id": hexes(r, 32), "span": hexes(r, 16), "op": f"db.{word(r)}"}, {"node_id": "MDQ6" + b64(r, 9), "id": f"PR_kwDO{pick(r, URL, 15)}"},
        {"customer": f"cus_{pick(r, ALL, 14)}", "intent": f"pi_{pick(r, ALL, 24)}", "object": "charge"}, {"channel": f"C0{pick(r, UPPER, 9)}", "ts": f"{r.randrange(10**9, 2 * 10**9)}.{r.randrange(10**6):06}"}, {"cursor": base64.b64encode(f"cursor:v2:{r.randrange(10**9)}".encode()).decode()},
        {"sha256Hash": hexes(r, 64), "operationName": f"{word(r).title()}{word(r).title()}Query"}, {"ksuid": pick(r, ALL, 27), "nano": pick(r, URL, 21), "cuid": "c" + pick(r, LOWER, 24)}, {"video": pick(r, URL, 11), "asin": "B0" + pick(r, UPPER, 8), "doi": f"10.1101/2026.11.{r.randrange(999999)}"},
    ))))  # fmt: skip


def _access_log(rng: random.Random) -> str:
    return rows(rng, 2, 7, lambda r: f'203.0.113.{r.randrange(255)} - - [21/Nov/2026:10:{r.randrange(60):02}:07 +0000] "GET /{quote(r.choice(_FOREIGN))}/{word(r)}?utm_source={word(r)}&gclid=Cj0KCQiA{pick(r, URL, 60)}&v={hexes(r, 8)} HTTP/2.0" 200 {r.randrange(99999)} "-" "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15" rid={hexes(r, 32)}')  # fmt: skip


def _binary_log(rng: random.Random) -> str:
    body = b64(rng, 180)
    return "BINLOG '\n" + "\n".join(body[at : at + 76] for at in range(0, len(body), 76)) + f"\n'/*!*/;\nSET @@SESSION.GTID_NEXT= '{a_uuid(rng)}:{rng.randrange(99999)}'/*!*/;\nrmgr: Btree  len (rec/tot):  64/  64, tx: {rng.randrange(10**6)}, lsn: {hexes(rng, 1).upper()}/{hexes(rng, 8).upper()}, prev {hexes(rng, 1).upper()}/{hexes(rng, 8).upper()}"  # fmt: skip


def _metrics(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: r.choice((
        f'container_memory_bytes{{id="/kubepods/burstable/pod{a_uuid(r)}/{hexes(r, 64)}",name="{word(r)}"}} {r.random() * 1e9:.8e}', f'http_request_duration_seconds_bucket{{handler="/{path(r, "")}",le="{r.random():.3f}"}} {r.randrange(99999)} # {{trace_id="{hexes(r, 32)}"}} 0.067 {r.randrange(10**9)}.123',
        f"{word(r)},host={word(r)}-{hexes(r, 8)},rack={r.randrange(9)} usage={r.random() * 100:.14f} {r.randrange(10**18, 2 * 10**18)}", f"{';'.join(words(r, 1) for _ in range(7))};[libc.so.6] {r.randrange(999)}",
    )))  # fmt: skip


def _handshake(rng: random.Random) -> str:
    return f"    Handshake Protocol: Client Hello\n        Random: {hexes(rng, 64)}\n        Session ID: {hexes(rng, 64)}\n        [JA4: t13d1516h2_{hexes(rng, 12)}_{hexes(rng, 12)}]\n        [JA3: {hexes(rng, 32)}]\n" + rows(rng, 2, 6, lambda r: f"{r.randrange(60)}.{r.randrange(10**6):06} IP6 2001:db8:{hexes(r, 4)}:{hexes(r, 4)}::{hexes(r, 4)}.443 > fe80::{hexes(r, 4)}:{hexes(r, 4)}:{hexes(r, 4)}:{hexes(r, 4)}.{r.randrange(65536)}: Flags [P.], ack {r.randrange(2**32)}, options [nop,nop,TS val {r.randrange(2**32)} ecr {r.randrange(2**32)}]\n\t0x0010:  {' '.join(hexes(r, 4) for _ in range(8))}  ................")  # fmt: skip


def _scan(rng: random.Random) -> str:
    return rows(rng, 4, 9, lambda r: r.choice((f"| ssh-hostkey: 256 {':'.join(hexes(r, 2) for _ in range(16))} (ED25519)", f"Device {':'.join(hexes(r, 2).upper() for _ in range(6))} {word(r).title()}\n\tUUID: Vendor specific           ({a_uuid(r)})", f"ESTAB 0 0 [::ffff:10.0.0.{r.randrange(255)}]:443 [::ffff:203.0.113.9]:{r.randrange(65536)} ino:{r.randrange(10**7)} sk:{hexes(r, 8)} cgroup:/system.slice/{word(r)}.service <->", f"magnet:?xt=urn:btih:{hexes(r, 40)}&dn={words(r, 3, '+')}")))  # fmt: skip


def _chain(rng: random.Random) -> str:
    return rows(rng, 3, 9, lambda r: r.choice((
        f"transactionHash         0x{hexes(r, 64)}", f"from                    0x{hexes(r, 40)}", f"logs                    [{{\"topics\":[\"0x{hexes(r, 64)}\",\"0x{'0' * 24}{hexes(r, 40)}\"],\"data\":\"0x{'0' * 48}{hexes(r, 16)}\"}}]", f"bc1q{pick(r, _BECH32, 38)}  {r.random():.8f} BTC  txid {hexes(r, 64)}:{r.randrange(9)}",
        f"Signature: {pick(r, _BASE58, 88)}", f"added Qm{pick(r, _BASE58, 44)} {path(r, '.md')}", f"bafybei{pick(r, string.ascii_lowercase + '234567', 52)}  {word(r)}", f"Program {pick(r, _BASE58, 44)} consumed {r.randrange(99999)} of 200000 compute units", f"entryUUID: {hexes(r, 80)}", f"npub1{pick(r, _BECH32, 58)}",
    )))  # fmt: skip


def _audit_hmac(rng: random.Random) -> str:
    return json.dumps({"type": "response", "auth": {"display_name": word(rng), "policies": ["default"]}, "request": {"id": a_uuid(rng), "operation": "read", "path": f"kv/data/{word(rng)}"}, "response": {"data": {"data": {word(rng): f"hmac-sha256:{hexes(rng, 64)}"}}}})  # fmt: skip


# Sciences, models, games


def _reads(rng: random.Random) -> str:
    quality = "".join(map(chr, range(35, 75)))
    size = rng.randrange(50, 151)
    return rng.choice((
        f"@SRR{rng.randrange(10**8)}.{rng.randrange(999)} A{rng.randrange(99999)}:{rng.randrange(99)}:H{pick(rng, UPPER, 8)}:{rng.randrange(5)}:{rng.randrange(2999)}:{rng.randrange(9999)} length={size}\n{pick(rng, 'ACGT', size)}\n+\n{pick(rng, quality, size)}",
        f"{pick(rng, 'ACGT', 16)}-1\tENSG{rng.randrange(10**11):011}\t{rng.randrange(99)}\t{pick(rng, 'ACGT', 12)}", f"{word(rng)}.{rng.randrange(9999)}\t99\tchr{rng.randrange(1, 23)}\t{rng.randrange(10**8)}\t60\t{rng.randrange(40)}M2I{rng.randrange(90)}M\t=\t{rng.randrange(10**8)}\t{rng.randrange(400)}\t{pick(rng, 'ACGT', size)}\t{pick(rng, quality, size)}\tNM:i:2\tMD:Z:12A5^C{rng.randrange(90)}",
    ))  # fmt: skip


def _proteins(rng: random.Random) -> str:
    body = pick(rng, "ACDEFGHIKLMNPQRSTVWY", rng.randrange(120, 400))
    return f">sp|{pick(rng, UPPER, 6)}|{word(rng).upper()}_HUMAN {words(rng, 3)} OS=Homo sapiens OX=9606 PE=1 SV=2\n" + "\n".join(body[at : at + 60] for at in range(0, len(body), 60))  # fmt: skip


def _molecules(rng: random.Random) -> str:
    return rows(rng, 4, 9, lambda r: r.choice((
        "".join(r.choices(("C", "c1ccccc1", "N", "[C@@H]", "(=O)", "O", "CC", "[nH]", "F", "Cl", "S(=O)(=O)"), k=r.randrange(8, 22))), f"{pick(r, string.ascii_uppercase, 14)}-{pick(r, string.ascii_uppercase, 8)}SA-N  CHEMBL{r.randrange(10**6)}", f"ATOM  {r.randrange(9999):5}  CA  {r.choice(('ALA', 'GLY', 'LEU'))} A{r.randrange(999):4}    {r.uniform(-99, 99):8.3f}{r.uniform(-99, 99):8.3f}{r.uniform(-99, 99):8.3f}  1.00 {r.random() * 99:5.2f}           C",
        f"InChI=1S/C{r.randrange(9, 40)}H{r.randrange(9, 60)}N{r.randrange(1, 9)}O{r.randrange(1, 9)}/c1-{r.randrange(9)}-{r.randrange(9)}(2)3-4-{r.randrange(9)}-{r.randrange(9)}/h{r.randrange(9)}-{r.randrange(9, 14)}H,1-2H3/t{r.randrange(9)}-/m0/s1",
    )))  # fmt: skip


def _places(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: r.choice((
        f" {r.randrange(99999)} | 0101000020E6100000{hexes(r, 32).upper()} | {word(r)}", f"POLYGON (({', '.join(f'{r.uniform(-180, 180):.12f} {r.uniform(-90, 90):.12f}' for _ in range(6))}))", f"8a{hexes(r, 8)}7fff  u{pick(r, '0123456789bcdefghjkmnpqrstuvwxyz', 11)}  8FVC9G8F+{pick(r, '23456789CFGHJMPQRVWX', 3)}  33UXP{r.randrange(10**10):010}",
        f'"overview_polyline": {{"points": "{pick(r, string.ascii_letters + "_`@?~|{}^[]", r.randrange(40, 160))}"}}', f"$GPGGA,{r.randrange(240000):06}.00,{r.random() * 9000:09.4f},N,{r.random() * 18000:010.4f},E,1,08,0.9,545.4,M,46.9,M,,*{hexes(r, 2).upper()}", f"/tiles/{r.randrange(20)}/{r.randrange(10**6)}/{r.randrange(10**6)}.mvt?q={pick(r, '0123', 18)}",
    )))  # fmt: skip


def _numbers(rng: random.Random) -> str:
    return rng.choice((
        "[" + "\n ".join("[" + " ".join(f"{rng.randrange(256):3}" for _ in range(18)) + "]" for _ in range(6)) + "]", f"input_ids: [101, {', '.join(str(rng.randrange(30000)) for _ in range(30))}, 102]", "tensor([[" + ", ".join(f"{rng.gauss(0, 1): .4f}" for _ in range(24)) + "]], device='cuda:0', grad_fn=<AddmmBackward0>)",
        "embedding: [" + ", ".join(f"{rng.gauss(0, 0.1):.17f}" for _ in range(8)) + ", ...]", "Step " + " ".join(f"{rng.gauss(0, 1e5):.9e}" for _ in range(6)), "{" + ", ".join(f"'{pick(rng, '01', 20)}': {rng.randrange(999)}" for _ in range(6)) + "}", "rgb: [" + ", ".join(str(rng.randrange(256)) for _ in range(36)) + "]",
    ))  # fmt: skip


def _training(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: r.choice((
        f"{{'loss': {r.random():.4f}, 'grad_norm': {r.random():.16f}, 'learning_rate': {r.random() * 1e-4:.15e}, 'epoch': {r.random():.2f}}}", f"wandb: 🚀 View run {word(r)}-{word(r)}-{r.randrange(99)} at: https://wandb.example.test/{word(r)}/runs/{pick(r, LOWER, 8)}", f"model-{r.randrange(99):05}-of-00099.safetensors: 100%|██████████| 4.98G/4.98G [00:{r.randrange(60)}<00:00, {r.randrange(300)}MB/s]",
        f"/root/.cache/huggingface/hub/models--{word(r)}--{word(r)}/snapshots/{hexes(r, 40)}/model.safetensors", f"['▁{word(r)}', '▁{word(r)[:3]}', 'Ġ{word(r)}', '##{word(r)[:4]}', '<0x{hexes(r, 2).upper()}>', '<|reserved_special_token_{r.randrange(250)}|>']", f"model.layers.{r.randrange(80)}.self_attn.q_proj.weight  torch.bfloat16  [8192, 8192]  sha256:{hexes(r, 16)}",
    )))  # fmt: skip


def _games(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: r.choice((
        f"info depth {r.randrange(40)} seldepth {r.randrange(60)} score cp {r.randrange(300)} nodes {r.randrange(10**8)} pv " + " ".join(pick(r, "abcdefgh", 1) + pick(r, "12345678", 1) + pick(r, "abcdefgh", 1) + pick(r, "12345678", 1) for _ in range(12)), "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        f"[10:0{r.randrange(9)}:07] [Server thread/INFO]: UUID of player {word(r).title()} is {a_uuid(r)}", f"position ({r.uniform(-3e4, 3e4):.13f}, {r.uniform(0, 255):.13f}, {r.uniform(-3e4, 3e4):.13f}) chunk [{r.randrange(999)} {r.randrange(999)}] seed -{r.randrange(10**18)}", f"0eNq{b64(r, 90)}", f"level code {pick(r, UPPER, 3)}-{pick(r, UPPER, 3)}-{pick(r, UPPER, 3)}  vkCreateBuffer(0x{hexes(r, 12)}) -> VkBuffer 0x{hexes(r, 16)}",
    )))  # fmt: skip


# Texts


def _world(rng: random.Random) -> str:
    text = rng.choice(_FOREIGN)
    return rng.choice((
        text, json.dumps({"title": text, "slug": words(rng, 4, "-")}), "msgid \"" + words(rng, 5) + "\"\nmsgstr \"" + text + "\"", "".join(f"={byte:02X}" for byte in text.encode())[:72] + "=", f"xn--{pick(rng, LOWER, 18)}.example.test", "".join(f"&#{ord(char)};" for char in text), f"https://example.test/wiki/{quote(text)}",
        f"description:: {base64.b64encode(f'{text} {words(rng, 6)}'.encode()).decode()}", "".join(f"\\u{ord(char):04x}" for char in text), "VALUES (" + ", ".join(f"X'{(words(rng, 3)).encode().hex().upper()}'" for _ in range(3)) + ");", "GET /search?q=" + "".join(f"%{byte:02x}" for byte in words(rng, 4).encode()),
    ))  # fmt: skip


def _encoded_prose(rng: random.Random) -> str:
    data = (words(rng, 30) + ".\n" + words(rng, 12)).encode()
    return rng.choice((
        "\n".join(f"{at:08x}: {data[at : at + 16].hex(' ', 2):39}  {data[at : at + 16].decode().translate({10: '.'})}" for at in range(0, len(data), 16)), base64.encodebytes(data).decode().rstrip(), "b'" + "".join(f"\\x{byte:02x}" for byte in data[:60]) + "'", "[" + ", ".join(map(str, data[:70])) + "]", base64.b32encode(data).decode(), "payload=" + data.hex(),
        "<Buffer " + data[:50].hex(" ") + f" ... {len(data) - 50} more bytes>",
    ))  # fmt: skip


def _alphabets(rng: random.Random) -> str:
    return rng.choice((
        f'ALPHABET = "{string.ascii_uppercase}{string.ascii_lowercase}{string.digits}+/"', r"^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+$", f"static const uint32_t table[] = {{ {', '.join('0x' + hexes(rng, 8) for _ in range(12))} }};", f"{words(rng, 9, '')}{words(rng, 3, '_')}", f"class=\"{' '.join(f'{word(rng)}-[{rng.randrange(99)}px] md:hover:{word(rng)}-{rng.randrange(900)}/{rng.randrange(99)}' for _ in range(8))}\"", f"{words(rng, 1).title()}{words(rng, 1).title()}{words(rng, 1).title()}FactoryBeanPostProcessorRegistrationUtilImplV{rng.randrange(9)}", "sha256('abc') = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        f"EAN {rng.randrange(10**13):013}  ISBN 978-3-16-{rng.randrange(10**6):06}-0  IBAN DE{rng.randrange(10**20):020}  VIN WVWZZZ1JZ{pick(rng, UPPER, 8)}  build {semver(rng)}+{hexes(rng, 7)}.{stamp(rng)[:10].replace('-', '')}",
    ))  # fmt: skip


OF_DATA: dict[str, Kind] = {
    "cloud ids": _cloud_ids, "edge log": _edge_log, "store log": _store_log, "response headers": _response_headers, "mail headers": _mail,
    "zone": _zone, "public keys": _public_keys, "cluster": _cluster, "ids in JSON": _ids_in_json, "access log": _access_log,
    "binary log": _binary_log, "metrics": _metrics, "handshake": _handshake, "scan": _scan, "chain": _chain, "audit digests": _audit_hmac,
    "reads": _reads, "proteins": _proteins, "molecules": _molecules, "places": _places, "numbers": _numbers, "training": _training,
    "games": _games, "world": _world, "encoded prose": _encoded_prose, "alphabets": _alphabets,
}  # fmt: skip
