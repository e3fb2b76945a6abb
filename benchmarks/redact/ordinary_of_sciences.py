"""Ordinary screens of sciences, crashes, games and packages, without a secret in them.

Data for `elsewhere.py`. These judged once and are tuned on now.
"""

# ruff: noqa: E501 - a kind is a line of output, and reads best as one

import base64
import random
import string

from benchmarks.redact.ordinary import (
    Kind,
    any_of,
    b64,
    drawn_of,
    hexadecimal,
    name,
    new_uuid,
    version,
)

__all__ = ["OF_SCIENCES"]

_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + string.digits
_MIXED = string.ascii_letters + string.digits
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_VLQ = string.ascii_letters + string.digits + "+/"
_FILES = "abcdefgh"
_AMINO = "ACDEFGHIKLMNPQRSTVWY"
_ENVIRONMENT = ("DB_PASSWORD", "API_KEY", "GITHUB_TOKEN", "SESSION_SECRET", "STRIPE_SECRET_KEY")


def _n(rng: random.Random, most: int = 5000) -> int:
    return rng.randrange(1, most)


def _hex_bytes(rng: random.Random, count: int, gap: str = " ") -> str:
    return rng.randbytes(count).hex(gap)


def _b64url(rng: random.Random, count: int) -> str:
    return base64.urlsafe_b64encode(rng.randbytes(count)).decode().rstrip("=")


def _moves(rng: random.Random) -> str:
    """UCI moves as an engine's `info` line has them, or a game in PGN."""
    if rng.random() < 0.5:
        moves = " ".join(
            f"{rng.choice(_FILES)}{_n(rng, 9)}{rng.choice(_FILES)}{_n(rng, 9)}" for _ in range(12)
        )
        return f"info depth {_n(rng, 40)} seldepth {_n(rng, 60)} multipv 1 score cp {_n(rng, 300)} nodes {_n(rng, 10**8)} nps {_n(rng, 10**7)} hashfull {_n(rng, 999)} pv {moves}"
    turns = " ".join(
        f"{n}. {rng.choice('NBRQ')}{rng.choice(_FILES)}{_n(rng, 9)} {rng.choice(_FILES)}x{rng.choice(_FILES)}{_n(rng, 9)}+ {{[%eval {rng.uniform(-3, 3):.2f}] [%clk 0:0{_n(rng, 9)}:{_n(rng, 59):02}]}}"
        for n in range(9, 14)
    )
    return f'[Site "https://lichess.org/{drawn_of(rng, _MIXED, 8)}"]\n[ECO "{rng.choice("ABCDE")}{_n(rng, 99):02}"]\n{turns}'


def _go_game(rng: random.Random) -> str:
    letters = "abcdefghijklmnopqrs"
    moves = "".join(f";{'BW'[n % 2]}[{drawn_of(rng, letters, 2)}]" for n in range(24))
    return f"(;GM[1]FF[4]SZ[19]KM[6.5]{moves})"


def _dnssec(rng: random.Random) -> str:
    return f"example.test.  3600  IN  DNSKEY  257 3 13 {b64(rng, 64)[:56]} {b64(rng, 24)}\nexample.test.  3600  IN  RRSIG  A 13 2 3600 20261211000000 20261120000000 {_n(rng, 65535)} example.test. {b64(rng, 64)}"


def _randomart(rng: random.Random) -> str:
    rows = ["|" + drawn_of(rng, "   ..o+=*BOX@%&#", 17) + "|" for _ in range(9)]
    return "\n".join(["+--[ED25519 256]--+", *rows, "+----[SHA256]-----+"])


def _sct(rng: random.Random) -> str:
    rows = "\n".join(
        f"                            {_hex_bytes(rng, 16, ':').upper()}:" for _ in range(3)
    )
    return f"        CT Precertificate SCTs:\n            Signed Certificate Timestamp:\n                Version   : v1 (0x0)\n                Log ID    : {_hex_bytes(rng, 16, ':').upper()}:\n{rows}\n                Signature : ecdsa-with-SHA256"


def _armored(rng: random.Random) -> str:
    body = "mDMEZ" + b64(rng, 280)
    rows = [body[at : at + 64] for at in range(0, len(body) - 1, 64)]
    return "\n".join(
        ["-----BEGIN PGP PUBLIC KEY BLOCK-----", "", *rows, f"={b64(rng, 3)}",
         "-----END PGP PUBLIC KEY BLOCK-----"]
    )  # fmt: skip


def _colons(rng: random.Random) -> str:
    key = hexadecimal(rng, 40).upper()
    return f"pub:u:255:22:{key[24:]}:1763719200:::u:::scESC:::+::ed25519:::0:\nfpr:::::::::{key}:\nuid:u::::1763719200::{hexadecimal(rng, 40).upper()}::Ada <ada@example.test>::::::::::0:"


def _pack(rng: random.Random) -> str:
    kinds = ("commit", "tree  ", "blob  ")
    return "\n".join(
        f"{hexadecimal(rng, 40)} {rng.choice(kinds)} {_n(rng)} {_n(rng)} {_n(rng, 10**7)} {_n(rng, 9)} {hexadecimal(rng, 40)}"
        for _ in range(4)
    )


def _explain(rng: random.Random) -> str:
    return f" Hash Join  (cost={_n(rng)}.{_n(rng, 99):02}..{_n(rng)}.{_n(rng, 99):02} rows={_n(rng)} width={_n(rng, 200)}) (actual time={rng.uniform(0, 90):.3f}..{rng.uniform(90, 900):.3f} rows={_n(rng)} loops=1)\n   Hash Cond: (t.token_id = s.id)\n   Filter: ((password_changed_at)::date > '2026-11-{_n(rng, 28):02}'::date)\n   Buffers: shared hit={_n(rng)} read={_n(rng)}\n Query Identifier: {rng.randrange(-(2**63), 2**63)}"


def _llvm(rng: random.Random) -> str:
    return f'  %{_n(rng, 99)} = getelementptr inbounds %"class.std::__1::basic_string", ptr %{_n(rng, 99)}, i64 0, i32 {_n(rng, 9)}, !dbg !{_n(rng)}\n  call void @_ZN{_n(rng, 9)}{name(rng)[:4]}17h{hexadecimal(rng, 16)}E(ptr noundef nonnull align 8 dereferenceable(24) %{_n(rng, 99)}) #{_n(rng, 40)}'


def _registers(rng: random.Random) -> str:
    rows = "\n".join(
        f"{a}: {hexadecimal(rng, 16)} {b}: {hexadecimal(rng, 16)} {c}: {hexadecimal(rng, 16)}"
        for a, b, c in (("RAX", "RBX", "RCX"), ("RDX", "RSI", "RDI"), ("R08", "R09", "R10"))
    )
    return f"RIP: 0010:{name(rng).replace('-', '_')}+0x{hexadecimal(rng, 2)}/0x{hexadecimal(rng, 3)}\nCode: {_hex_bytes(rng, 20)} <0f> 0b {_hex_bytes(rng, 8)}\n{rows}"


def _maps(rng: random.Random) -> str:
    return "\n".join(
        f"7f{hexadecimal(rng, 10)}-7f{hexadecimal(rng, 10)} r-xp {hexadecimal(rng, 8)} fd:01 {_n(rng, 10**7):<26} /usr/lib/x86_64-linux-gnu/lib{name(rng)}.so.{_n(rng, 9)}"
        for _ in range(4)
    )


def _sequences(rng: random.Random) -> str:
    if rng.random() < 0.5:
        reads = drawn_of(rng, "ACGT", 76)
        return f"@A{_n(rng, 99999):05}:{_n(rng, 99)}:H{drawn_of(rng, _UPPER, 8)}:1:{_n(rng, 9999)}:{_n(rng, 9999)}:{_n(rng, 9999)} 1:N:0:{drawn_of(rng, 'ACGT', 8)}\n{reads}\n+\n{drawn_of(rng, ''.join(map(chr, range(35, 74))), 76)}"
    rows = "\n".join(drawn_of(rng, _AMINO, 60) for _ in range(3))
    return f">sp|{rng.choice('OPQ')}{drawn_of(rng, _UPPER, 5)}|{drawn_of(rng, string.ascii_uppercase, 5)}_HUMAN OS=Homo sapiens OX=9606\n{rows}"


def _atoms(rng: random.Random) -> str:
    return "\n".join(
        f"ATOM  {_n(rng):>5}  CA  ALA A{_n(rng, 999):>4}    {rng.uniform(-90, 90):8.3f}{rng.uniform(-90, 90):8.3f}{rng.uniform(-90, 90):8.3f}  1.00{rng.uniform(0, 90):6.2f}           C"
        for _ in range(4)
    )


def _satellite(rng: random.Random) -> str:
    number = f"{_n(rng, 99999):05}"
    return f"1 {number}U {_n(rng, 99):02}0{_n(rng, 99):02}A   26331.{_n(rng, 10**8):08} -.0000{_n(rng, 9999):04}  00000-0 -{_n(rng, 99999):05}-4 0  {_n(rng, 9999)}\n2 {number}  51.{_n(rng, 9999):04} 247.{_n(rng, 9999):04} 000{_n(rng, 9999):04} 130.{_n(rng, 9999):04} 325.{_n(rng, 9999):04} 15.{_n(rng, 10**13):013}"


def _chunk_map(rng: random.Random) -> str:
    pairs = ",".join(f'{_n(rng, 999)}:"{hexadecimal(rng, 20)}"' for _ in range(9))
    return f'r.u=e=>"static/js/"+e+"."+{{{pairs}}}[e]+".chunk.js",r.miniCssF=e=>{{}},r.h=()=>"{hexadecimal(rng, 20)}"'


def _svg(rng: random.Random) -> str:
    path = "".join(
        f"{rng.choice('lcsvhLC')}{rng.uniform(-9, 9):.3g}{rng.uniform(-9, -1):.3g} {rng.uniform(0, 9):.3g}"
        for _ in range(18)
    )
    return (
        f'<path fill-rule="evenodd" d="M{rng.uniform(0, 24):.2f} {rng.uniform(0, 24):.2f}{path}Z"/>'
    )


def _benchmarks(rng: random.Random) -> str:
    return "\n".join(
        f"Benchmark{name(rng).title().replace('-', '')}/size-{2 ** _n(rng, 16)}-8    {_n(rng, 10**7):>9}  {rng.uniform(1, 9999):>10.1f} ns/op  {_n(rng, 9999):>6} B/op  {_n(rng, 99):>4} allocs/op"
        for _ in range(4)
    )


def _frames(rng: random.Random) -> str:
    return f"> HCI Event: LE Meta Event (0x3e) plen {_n(rng, 60)}  #{_n(rng)} [hci0] {rng.uniform(0, 99):.6f}\n        Address: {_hex_bytes(rng, 6, ':').upper()} (Resolvable)\n        Data length: {_n(rng, 31)}\n        Company: Apple, Inc. (76)\n          Data[18]: {hexadecimal(rng, 36)}\n        RSSI: -{_n(rng, 99)} dBm (0x{hexadecimal(rng, 2)})"


def _segments(rng: random.Random) -> str:
    return "\n".join(
        f"08:12:0{_n(rng, 9)}.{_n(rng, 10**6):06} IP 10.0.0.{_n(rng, 255)}.{_n(rng, 65535)} > 10.0.1.{_n(rng, 255)}.443: Flags [P.], seq {_n(rng, 2**32)}:{_n(rng, 2**32)}, ack {_n(rng, 2**32)}, win {_n(rng, 65535)}, options [nop,nop,TS val {_n(rng, 2**32)} ecr {_n(rng, 2**32)}], length {_n(rng, 1460)}"
        for _ in range(3)
    )


_COMPOUND = (
    ("Zwischen", "Speicher", "Verwaltungs", "Schlüssel", "Daten", "Zugriffs", "Kennwort", "Prüfungs", "Verfahren", "Ordnung"),
    ("lento", "kone", "suihku", "turbiini", "moottori", "apu", "mekaanikko", "salasana", "tunnus", "ohjelma"),
    ("megszent", "ségtel", "enít", "hetet", "len", "kedés", "jelszó", "hitel", "esítés", "kulcs"),
)  # fmt: skip
_SENTENCES = (
    "Das Kennwort muss mindestens 12 Zeichen haben und darf den Namen nicht enthalten.",
    "Le jeton d'accès a expiré ; veuillez vous reconnecter avec votre mot de passe.",
    "パスワードは12文字以上です。\nトークンの期限は30日です。",
    "Пароль успешно изменён. Ключ доступа хранится в настройках профиля пользователя.",
    "La contraseña debe contener letras y números; la clave se guarda en el llavero.",
    "密码已更新,请重新登录。\n密钥保存在系统钥匙串中。",
    "Het wachtwoord is gewijzigd: gebruik de nieuwe sleutel bij de volgende aanmelding.",
    "비밀번호가 변경되었습니다.\n새 토큰을 사용할 수 있습니다.",
)


def _compound(rng: random.Random) -> str:
    parts = rng.choice(_COMPOUND)
    words = ["".join(rng.sample(parts, _n(rng, 4) + 1)).capitalize() for _ in range(6)]
    return " ".join(words) + "."


def _rpm(rng: random.Random) -> str:
    return f"Name        : {name(rng)}\nVersion     : {version(rng)}\nSignature   : RSA/SHA256, Fri 27 Nov 2026 08:12:03 AM UTC, Key ID {hexadecimal(rng, 16)}\nSource RPM  : {name(rng)}-{version(rng)}-{_n(rng, 20)}.fc43.src.rpm\nSIGMD5      : {hexadecimal(rng, 32)}"


def _images(rng: random.Random) -> str:
    return "\n".join(
        f"0x1{hexadecimal(rng, 8)} - 0x1{hexadecimal(rng, 8)} {name(rng)} arm64  <{hexadecimal(rng, 32)}> /usr/lib/lib{name(rng)}.dylib"
        for _ in range(4)
    )


def _tensor(rng: random.Random) -> str:
    rows = "\n".join(
        "        [" + ", ".join(f"{rng.gauss(0, 1):>11.4e}" for _ in range(5)) + "],"
        for _ in range(3)
    )
    return f"tensor([[{rng.gauss(0, 1):.4e}, ...],\n{rows}\n       device='cuda:0', grad_fn=<AddmmBackward0>)"


def _tokens(rng: random.Random) -> str:
    return f"input_ids: {[101, *(_n(rng, 30522) for _ in range(14)), 102]}\nbos_token_id: {_n(rng, 152000)}  eos_token_id: {_n(rng, 152000)}  pad_token: '<|endoftext|>'  max_new_tokens: {_n(rng, 4096)}"


def _reproduce(rng: random.Random) -> str:
    return f"You can reproduce this example by temporarily adding @reproduce_failure('6.{_n(rng, 150)}.{_n(rng, 9)}', b'AXic{b64(rng, 24)}') as a decorator on your test case\nE   Falsifying example: test_{name(rng).replace('-', '_')}(text='{drawn_of(rng, _MIXED, 6)}', n={rng.randrange(-(2**63), 2**63)})"


def _described(rng: random.Random) -> str:
    suffix = drawn_of(rng, "bcdfghjklmnpqrstvwxz2456789", 5)
    return f"    Container ID:   containerd://{hexadecimal(rng, 64)}\n    Image ID:       docker.io/acme/{name(rng)}@sha256:{hexadecimal(rng, 64)}\n    Environment:\n      DB_PASSWORD:  <set to the key 'password' in secret '{name(rng)}-db'>  Optional: false\n    Mounts:\n      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-{suffix} (ro)\nVolumes:\n  kube-api-access-{suffix}:\n    TokenExpirationSeconds:  3607\n    ConfigMapName:           kube-root-ca.crt"


def _reference(rng: random.Random) -> str:
    one = rng.choice(_ENVIRONMENT)
    return rng.choice(
        (
            f"          {one}: ${{{{ secrets.{one} }}}}",
            f'export {one}="$(op read op://{name(rng)}/production/{one.lower()})"',
            f"  {one.lower()} = var.{one.lower()}  # (sensitive value)",
            f"{one}=<your {one.lower().replace('_', ' ')} here>",
            f"      - name: {one}\n        valueFrom:\n          secretKeyRef:\n            name: {name(rng)}\n            key: {one.lower()}",
            f'const {one.lower()} = process.env.{one} ?? throwMissing("{one}")',
            f"{one}: ************  (set, 40 characters, changed 2026-11-{_n(rng, 28):02})",
            f"KeyError: '{one}' at {name(rng)}/settings.py:{_n(rng, 400)} in load_{one.lower()}",
        )
    )


OF_SCIENCES: dict[str, Kind] = {
    "board games": any_of(_moves, _go_game, lambda rng: f"https://online-go.test/game/{_n(rng, 10**8)}  tsumego {drawn_of(rng, _MIXED, 12)}  rating {_n(rng, 3000)}±{_n(rng, 99)}"),
    "DKIM and DNSSEC": any_of(_dnssec, lambda rng: f'sel{_n(rng, 9)}._domainkey.example.test. 300 IN TXT "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{b64(rng, 120)}" "{b64(rng, 33)}QIDAQAB"', lambda rng: f"example.test. 86400 IN DS {_n(rng, 65535)} 13 2 {hexadecimal(rng, 64).upper()}", lambda rng: f"_443._tcp.www.example.test. 300 IN TLSA 3 1 1 {hexadecimal(rng, 64)}", lambda rng: f"{drawn_of(rng, '0123456789abcdefghijklmnopqrstuv', 32)}.example.test. 300 IN NSEC3 1 0 0 - {drawn_of(rng, '0123456789ABCDEFGHIJKLMNOPQRSTUV', 32)} A RRSIG", lambda rng: f'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.test; s=sel1; bh={b64(rng, 32)}; h=From:To:Subject; b={b64(rng, 96)}'),
    "ssh traces": any_of(_randomart, lambda rng: f"debug1: Server host key: ssh-ed25519 SHA256:{b64(rng, 32).rstrip('=')}", lambda rng: f"|1|{b64(rng, 20)}|{b64(rng, 20)} ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBB{b64(rng, 63)}=", lambda rng: f"debug2: KEX algorithms: sntrup761x25519-sha512@openssh.com,curve25519-sha256\ndebug1: Offering public key: /home/ada/.ssh/id_ed25519 ED25519 SHA256:{b64(rng, 32).rstrip('=')} agent", lambda rng: f"{name(rng)}.example.test IN SSHFP 4 2 {hexadecimal(rng, 64)}"),
    "transparency logs": any_of(_sct, lambda rng: f"tlog entry created with index: {_n(rng, 10**9)}\nlogID c0d23d6ad406973f9559f3ba2d1ca01f84147d8ffc5b8445c224f98b9591801d rootHash {hexadecimal(rng, 64)} treeSize {_n(rng, 10**9)}", lambda rng: f'{{"critical":{{"image":{{"docker-manifest-digest":"sha256:{hexadecimal(rng, 64)}"}},"type":"cosign container image signature"}},"optional":{{"Bundle":{{"SignedEntryTimestamp":"MEUCIQ{b64(rng, 66)}"}}}}}}', lambda rng: f"sum.golang.test/tile/8/1/x{_n(rng, 999):03}/{_n(rng, 999):03}\ngo.sum database tree\n{_n(rng, 10**8)}\n{b64(rng, 32)}\n\n— sum.golang.test Az3gr{b64(rng, 60)}"),
    "GnuPG": any_of(_armored, _colons, lambda rng: f"gpg: Signature made Fri Nov 27 08:12:03 2026 UTC\ngpg:                using EDDSA key {hexadecimal(rng, 40).upper()}\ngpg: Good signature from \"Ada <ada@example.test>\" [unknown]\nPrimary key fingerprint: {'  '.join(' '.join(hexadecimal(rng, 4).upper() for _ in range(5)) for _ in range(2))}", lambda rng: f":signature packet: algo 22, keyid {hexadecimal(rng, 16).upper()}\n  version 4, created 1763719200, md5len 0, sigclass 0x13\n  digest algo 10, begin of digest {_hex_bytes(rng, 2)}\n  data: {hexadecimal(rng, 64).upper()}"),
    "packs and LFS": any_of(_pack, lambda rng: f"version https://git-lfs.github.com/spec/v1\noid sha256:{hexadecimal(rng, 64)}\nsize {_n(rng, 10**8)}", lambda rng: f"100644 blob {hexadecimal(rng, 40)}    {_n(rng):>7}  src/{name(rng)}/token_bucket.py", lambda rng: f"dangling {rng.choice(('blob', 'commit', 'tree'))} {hexadecimal(rng, 40)}", lambda rng: f"{hexadecimal(rng, 9)} HEAD@{{{_n(rng, 99)}}}: rebase (pick): {name(rng)}: rotate the secret weekly", lambda rng: f"{drawn_of(rng, 'klmnopqrstuvwxyz', 12)} ada@example.test 2026-11-27 08:12:03 {hexadecimal(rng, 8)}"),
    "query plans": any_of(_explain, lambda rng: f"Plan hash value: {_n(rng, 2**32)}  SQL_ID  {drawn_of(rng, '0123456789abcdfghjkmnpqrstuvwxyz', 13)}, child number {_n(rng, 9)}", lambda rng: f"plan_handle 0x0600{hexadecimal(rng, 84).upper()}  query_hash 0x{hexadecimal(rng, 16).upper()}", lambda rng: f"# Query {_n(rng, 20)}: {rng.uniform(0, 9):.2f} QPS, {rng.uniform(0, 9):.2f}x concurrency, ID 0x{hexadecimal(rng, 32).upper()} at byte {_n(rng, 10**8)}", lambda rng: f"planSummary: IXSCAN {{ token_hash: 1 }} keysExamined:{_n(rng)} docsExamined:{_n(rng)} queryHash:{hexadecimal(rng, 8).upper()} planCacheKey:{hexadecimal(rng, 8).upper()} lsid:{new_uuid(rng)}"),
    "compiler listings": any_of(_llvm, lambda rng: f"  0x{hexadecimal(rng, 4)} {_n(rng, 99999):05} ({name(rng)}.go:{_n(rng, 900)})  MOVQ  \"\"..autotmp_{_n(rng, 99)}+{_n(rng, 200)}(SP), AX\n  rel {_n(rng)}+4 t=7 go:string.\"{name(rng)}\"+0", lambda rng: f"  #{_n(rng, 99)} = Methodref          #{_n(rng, 99)}.#{_n(rng, 99)}        // org/acme/{name(rng)}/TokenStore.\"<init>\":(Ljava/lang/String;I)V", lambda rng: f"    (func $_ZN{_n(rng, 30)}{name(rng)[:4]}17h{hexadecimal(rng, 16)}E (type {_n(rng, 40)}) (param i32 i64) (local i32)\n      i64.const {rng.randrange(-(2**63), 2**63)}", lambda rng: f"{hexadecimal(rng, 16)}  {hexadecimal(rng, 12)} R_X86_64_JUMP_SLO {hexadecimal(rng, 16)} {name(rng).replace('-', '_')}_key_new@GLIBC_2.{_n(rng, 40)} + 0"),
    "maps and registers": any_of(_registers, _maps, lambda rng: f"  0x{hexadecimal(rng, 12)}: {' '.join(rng.choice(('00', 'fa', 'fd', '04', 'f1', 'f3')) for _ in range(16))}\n  #{_n(rng, 20)} 0x{hexadecimal(rng, 12)} in {name(rng)}::parse /src/{name(rng)}.cc:{_n(rng, 900)}:{_n(rng, 40)} (BuildId: {hexadecimal(rng, 40)})", lambda rng: f"{hexadecimal(rng, 16)} g     O .data  {hexadecimal(rng, 16)}              {name(rng).replace('-', '_')}_secret_table"),
    "genomes and molecules": any_of(_sequences, _atoms, lambda rng: f"InChIKey={drawn_of(rng, string.ascii_uppercase, 14)}-{drawn_of(rng, string.ascii_uppercase, 8)}SA-N  CAS {_n(rng, 99999)}-{_n(rng, 99)}-{_n(rng, 9)}", lambda rng: f"CC(C)C{_n(rng, 4)}=CC=C(C=C{_n(rng, 4)})[C@@H](C)C(=O)N[C@H](CCCNC(=N)N)C(=O)O  {rng.uniform(90, 900):.3f}  C{_n(rng, 40)}H{_n(rng, 60)}N{_n(rng, 9)}O{_n(rng, 9)}", lambda rng: f"SRR{_n(rng, 10**7)}.{_n(rng, 10**6)}  {_n(rng, 200)}  chr{_n(rng, 22)}  {_n(rng, 10**8)}  60  {_n(rng, 60)}M{_n(rng, 9)}D{_n(rng, 60)}M  =  MD:Z:{_n(rng, 60)}^{drawn_of(rng, 'ACGT', 3)}{_n(rng, 60)}"),
    "geography": any_of(_satellite, lambda rng: f'{{"type":"Point","coordinates":[{rng.uniform(-180, 180):.14f},{rng.uniform(-90, 90):.14f}]}}', lambda rng: f" {_n(rng)} | 0101000020E6100000{hexadecimal(rng, 32).upper()} | SRID=4326", lambda rng: f'"overview_polyline":{{"points":"{drawn_of(rng, "_`abcdefghijklmnopqrstuvwxyz|}~?@ABCDEFGHIJKLMNOPQRSTUVWXYZ", 60)}"}},"place_id":"ChIJ{_b64url(rng, 17)}"', lambda rng: f"geohash {drawn_of(rng, '0123456789bcdefghjkmnpqrstuvwxyz', 12)}  plus code 8FVC{drawn_of(rng, '23456789CFGHJMPQRVWX', 4)}+{drawn_of(rng, '23456789CFGHJMPQRVWX', 3)}  h3 8{hexadecimal(rng, 9)}fffff  MGRS 32TQM{_n(rng, 10**10):010}"),
    "locks of other tools": any_of(lambda rng: f"SPEC CHECKSUMS:\n  {name(rng).title()}: {hexadecimal(rng, 40)}\nPODFILE CHECKSUM: {hexadecimal(rng, 40)}", lambda rng: f'  "{name(rng)}": {{:hex, :{name(rng)}, "{version(rng)}", "{hexadecimal(rng, 64)}", [:mix], [], "hexpm", "{hexadecimal(rng, 64)}"}},', lambda rng: f"https://conda.example.test/conda-forge/linux-64/{name(rng)}-{version(rng)}-h{hexadecimal(rng, 7)}_{_n(rng, 9)}.conda#{hexadecimal(rng, 32)}", lambda rng: f'            "reference": "{hexadecimal(rng, 40)}",\n            "shasum": "{hexadecimal(rng, 40)}"', lambda rng: f'    "{name(rng)}": ["{name(rng)}@{version(rng)}", "", {{}}, "sha512-{b64(rng, 64)}"],', lambda rng: f'         <artifact name="{name(rng)}-{version(rng)}.jar">\n            <sha256 value="{hexadecimal(rng, 64)}" origin="Generated by Gradle"/>', lambda rng: f'    "originHash" : "{hexadecimal(rng, 64)}",\n        "revision" : "{hexadecimal(rng, 40)}"'),
    "bundles": any_of(_chunk_map, _svg, lambda rng: f'{{"version":3,"file":"app.js","mappings":"AAAA,SAASA,{",".join(drawn_of(rng, _VLQ, rng.choice((4, 5, 5, 8))) for _ in range(18))};{",".join(drawn_of(rng, _VLQ, 4) for _ in range(9))}"}}', lambda rng: f'!function(e,t){{"object"==typeof exports?module.exports=t():e.{drawn_of(rng, string.ascii_lowercase, 2)}=t()}}(this,(()=>(()=>{{var e={{{_n(rng)}:(e,t,n)=>{{n.d(t,{{{drawn_of(rng, string.ascii_letters, 2)}:()=>{drawn_of(rng, string.ascii_letters, 1)}}})}}}}', lambda rng: f"imports.wbg.__wbg_set_{hexadecimal(rng, 16)} = function(arg0, arg1) {{ takeObject(arg0); }};", lambda rng: f'<div class="sc-{drawn_of(rng, string.ascii_letters, 6)} css-{drawn_of(rng, _LOWER, 7)}-MuiButton _{drawn_of(rng, _MIXED, 5)}_{_n(rng, 99)}" data-v-{hexadecimal(rng, 8)}>'),
    "benchmarks": any_of(_benchmarks, lambda rng: f"{name(rng)}/parse     time:   [{rng.uniform(1, 9):.4f} µs {rng.uniform(1, 9):.4f} µs {rng.uniform(1, 9):.4f} µs]\n                        change: [-{rng.uniform(0, 9):.4f}% +{rng.uniform(0, 9):.4f}% +{rng.uniform(0, 9):.4f}%] (p = 0.{_n(rng, 99):02} < 0.05)", lambda rng: f"TokenBench.hashPassword  thrpt   25  {rng.uniform(1, 99999):.3f} ± {rng.uniform(1, 99):.3f}  ops/ms", lambda rng: f"     {_n(rng, 10**9):,}      cycles:u                  #    {rng.uniform(1, 5):.3f} GHz                      ( +-  {rng.uniform(0, 3):.2f}% )"),
    "radio frames": any_of(_frames, lambda rng: f"zigbee2mqtt/0x00{hexadecimal(rng, 14)}: {{\"battery\":{_n(rng, 100)},\"linkquality\":{_n(rng, 255)},\"voltage\":{_n(rng, 3300)}}}", lambda rng: f"0000{hexadecimal(rng, 4)}-0000-1000-8000-00805f9b34fb  handle 0x{hexadecimal(rng, 4)}, value: {_hex_bytes(rng, 16)}", lambda rng: f"*8D{hexadecimal(rng, 26).upper()};  ICAO {hexadecimal(rng, 6).upper()}  squawk {_n(rng, 7777):04}", lambda rng: f"wlan0: BSS {_hex_bytes(rng, 6, ':')}(on wlan0)  TSF: {_n(rng, 10**12)} usec  RSN: * Group cipher: CCMP * Authentication suites: PSK SAE"),
    "packets": any_of(_segments, lambda rng: f"quic: sent Initial pn={_n(rng, 99)} dcid={hexadecimal(rng, 16)} scid={hexadecimal(rng, 16)} len={_n(rng, 1252)}", lambda rng: f"JA3 {hexadecimal(rng, 32)}  JA4 t13d{_n(rng, 99):02}{_n(rng, 99):02}h2_{hexadecimal(rng, 12)}_{hexadecimal(rng, 12)}", lambda rng: f"    ct state established orig src=10.0.0.{_n(rng, 255)} sport={_n(rng, 65535)} id={_n(rng, 2**32)} mark=0x{hexadecimal(rng, 8)} zone={_n(rng, 9)}", lambda rng: f"peer: {b64(rng, 32)}\n  endpoint: 10.0.0.{_n(rng, 255)}:51820\n  preshared key: (hidden)\n  latest handshake: {_n(rng, 59)} seconds ago"),
    "other languages": any_of(_compound, lambda rng: rng.choice(_SENTENCES), lambda rng: f'msgid "password.reset.token_expired_{_n(rng, 99)}"\nmsgstr "{rng.choice(_SENTENCES)}"', lambda rng: f"{name(rng)}: {_compound(rng)}\n{rng.choice(_SENTENCES)}"),
    "game engines": any_of(lambda rng: f'L 11/27/2026 - 08:12:03: "ada<{_n(rng, 99)}><[U:1:{_n(rng, 10**9)}]><CT>" [{_n(rng)} -{_n(rng)} {_n(rng, 99)}] killed "bot<{_n(rng, 99)}><BOT><TERRORIST>" with "ak47" (headshot)', lambda rng: f"  m_Script: {{fileID: 11500000, guid: {hexadecimal(rng, 32)}, type: 3}}\n--- !u!114 &{_n(rng, 2**63)}", lambda rng: f'[ext_resource type="Script" uid="uid://{drawn_of(rng, _LOWER, 13)}" path="res://{name(rng)}.gd" id="{_n(rng, 99)}_{drawn_of(rng, _LOWER, 5)}"]', lambda rng: f"LogNet: NotifyAcceptedConnection: RemoteAddr: 10.0.0.{_n(rng, 255)}:{_n(rng, 65535)}, Name: IpConnection_{_n(rng, 2**31)}, UniqueId: EOS:{hexadecimal(rng, 32)}", lambda rng: f"[08:12:03] [Server thread/INFO]: UUID of player ada is {new_uuid(rng)}\nReplay hash {hexadecimal(rng, 40)} desync at tick {_n(rng, 10**6)} (crc {hexadecimal(rng, 8)})"),
    "package databases": any_of(_rpm, lambda rng: f"C:Q1{b64(rng, 20)}\nP:{name(rng)}\nV:{version(rng)}-r{_n(rng, 9)}\nc:{hexadecimal(rng, 40)}", lambda rng: f"/gnu/store/{drawn_of(rng, '0123456789abcdfghijklmnpqrsvwxyz', 32)}-{name(rng)}-{version(rng)}", lambda rng: f"Get:{_n(rng, 99)} http://deb.example.test trixie/main amd64 {name(rng)} amd64 {_n(rng, 9)}:{version(rng)}+dfsg-{_n(rng, 9)}+deb13u{_n(rng, 9)} [{_n(rng)} kB]\n  SHA256:{hexadecimal(rng, 64)} Filesize:{_n(rng, 10**7)} [weak]", lambda rng: f"        Commit: {hexadecimal(rng, 64)}\n        Parent: {hexadecimal(rng, 64)}\n           Ref: app/org.acme.{name(rng)}/x86_64/stable", lambda rng: f"snap-id:      {drawn_of(rng, _MIXED, 32)}\nsha3-384: {_b64url(rng, 48)}", lambda rng: f"warning: {name(rng)}: key \"{hexadecimal(rng, 40).upper()}\" is unknown"),
    "crash reports": any_of(_images, lambda rng: f"MODULE Linux x86_64 {hexadecimal(rng, 32).upper()}0 {name(rng)}\nFUNC {hexadecimal(rng, 5)} {hexadecimal(rng, 3)} 0 {name(rng).replace('-', '_')}::TokenCache::Refresh()", lambda rng: f"SYMSRV:  {name(rng)}.pdb\\{hexadecimal(rng, 32).upper()}{_n(rng, 9)}\\{name(rng)}.pdb - file not found", lambda rng: f"      #0{_n(rng, 9)} pc {hexadecimal(rng, 16)}  /data/app/~~{b64(rng, 16)}/org.acme.{name(rng)}-{b64(rng, 16)}/base.apk!lib{name(rng)}.so (BuildId: {hexadecimal(rng, 40)})", lambda rng: f"Incident Identifier: {new_uuid(rng).upper()}\nCrashReporter Key:   {hexadecimal(rng, 40)}\nHardware Model:      Mac{_n(rng, 20)},{_n(rng, 9)}\nCoalition: org.acme.{name(rng)} [{_n(rng)}]"),
    "model runs": any_of(_tensor, _tokens, lambda rng: f"wandb: Syncing run {name(rng)}-{_n(rng)} (run-20261127_081203-{drawn_of(rng, _LOWER, 8)})", lambda rng: f"GPU 0: H100 (UUID: GPU-{new_uuid(rng)})  tokens/s: {rng.uniform(1, 9999):.2f}  prompt_tokens: {_n(rng)}  completion_tokens: {_n(rng)}", lambda rng: f"epoch {_n(rng, 40)} step {_n(rng, 10**6)} loss {rng.random():.6f} grad_norm {rng.random():.6f} lr {rng.random() / 1e4:.3e} tokens_seen {_n(rng, 10**10)}", lambda rng: f"models--acme--{name(rng)}/snapshots/{hexadecimal(rng, 40)}/model-0000{_n(rng, 9)}-of-00009.safetensors -> ../../blobs/{hexadecimal(rng, 64)}"),
    "archives": any_of(lambda rng: f"magnet:?xt=urn:btih:{hexadecimal(rng, 40)}&dn={name(rng)}-{version(rng)}.iso&tr=udp%3A%2F%2Ftracker.example.test%3A1337", lambda rng: f"swh:1:{rng.choice(('cnt', 'dir', 'rev'))}:{hexadecimal(rng, 40)};origin=https://git.example.test/{name(rng)}", lambda rng: f"added bafybei{drawn_of(rng, _BASE32, 52)} {name(rng)}.tar\nadded Qm{drawn_of(rng, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 44)} dist", lambda rng: f"doi:10.{_n(rng, 9999):04}/zenodo.{_n(rng, 10**8)}  arXiv:26{_n(rng, 12):02}.{_n(rng, 99999):05}v{_n(rng, 9)}  ORCID 0000-000{_n(rng, 9)}-{_n(rng, 9999):04}-{_n(rng, 9999):04}  ISBN 978-{_n(rng, 9)}-{_n(rng, 99999):05}-{_n(rng, 999):03}-{_n(rng, 9)}", lambda rng: f'            "ETag": "\\"{hexadecimal(rng, 32)}-{_n(rng, 99)}\\"",\n            "VersionId": "{_b64url(rng, 24)}",', lambda rng: f"snapshot {hexadecimal(rng, 8)} saved\nrepository {hexadecimal(rng, 8)} opened (version 2)\n{name(rng)}-2026-11-27T08:12:03  Fri, 2026-11-27 08:12:03 [{hexadecimal(rng, 64)}]"),
    "seeds and failures": any_of(_reproduce, lambda rng: f"Randomized with seed {_n(rng, 10**6)}\nrspec ./spec/{name(rng)}/token_spec.rb[1:{_n(rng, 9)}:{_n(rng, 9)}] # expires after {_n(rng, 90)} days", lambda rng: f"Random seed: {_n(rng, 2**32)}  run_id: {new_uuid(rng)}  shard {_n(rng, 9)}/9  bucket {hexadecimal(rng, 12)}", lambda rng: f"exports[`{name(rng)} renders the password field {_n(rng, 9)}`] = `<input class=\"{drawn_of(rng, _LOWER, 8)}\" id=\":r{drawn_of(rng, _LOWER, 2)}:\" type=\"password\">`;", lambda rng: f"artifact_prefix='./'; Test unit written to ./crash-{hexadecimal(rng, 40)}\nBase64: {b64(rng, 30)}"),
    "pods described": any_of(_described, lambda rng: f"  checksum/config: {hexadecimal(rng, 64)}\n  resourceVersion: \"{_n(rng, 10**9)}\"\n  uid: {new_uuid(rng)}", lambda rng: f"  Machine ID:                 {hexadecimal(rng, 32)}\n  System UUID:                {new_uuid(rng)}\n  Boot ID:                    {new_uuid(rng)}", lambda rng: f"NAME  TYPE  DATA  AGE\n{name(rng)}-db-credentials  Opaque  {_n(rng, 9)}  {_n(rng, 400)}d\nsh.helm.release.v1.{name(rng)}.v{_n(rng, 99)}  helm.sh/release.v1  1  {_n(rng, 99)}d", lambda rng: f"Type:  Opaque\n\nData\n====\npassword:  {_n(rng, 64)} bytes\ntoken:     {_n(rng, 999)} bytes"),
    "names of secrets": any_of(_reference, lambda rng: f"    password_digest VARCHAR({_n(rng, 255)}) NOT NULL,\n    reset_token_sent_at TIMESTAMP,\n    api_key_id BIGINT REFERENCES api_keys (id)", lambda rng: f"warning: unused variable: `secret_{name(rng).replace('-', '_')}`\n  --> src/{name(rng)}/token.rs:{_n(rng, 900)}:{_n(rng, 80)}", lambda rng: f"? Enter the password for {name(rng)}: [hidden]\n✔ Token stored in the keychain as {name(rng)}-production", lambda rng: f"ERROR 401 Unauthorized: token expired at 2026-11-27T08:{_n(rng, 59):02}:03Z (kid {name(rng)}-{_n(rng, 99)}, alg RS256)"),
}  # fmt: skip
