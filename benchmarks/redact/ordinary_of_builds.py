"""Ordinary screens: builds, packages, repositories, code and machines.

Data for `elsewhere.py`: none of it has a secret. These judged once and are tuned on now.
A kind draws a few rows of one program.
"""

# ruff: noqa: E501, SIM905 - a row of a program reads best as one line, and so do words

import base64
import random
import string
import uuid

from benchmarks.redact.ordinary import Kind

LOWER = string.ascii_lowercase + string.digits
ALL = string.ascii_letters + string.digits
URL = ALL + "-_"
_WORDS = (
    "alpha bridge cache delta engine filter gather handler index joint kernel ledger matrix node offset parser "
    "query render socket table update vector worker yield zone adapter buffer cluster driver encoder frame"
).split()
_PACKAGES = "lodash react vite esbuild chalk debug semver postcss acorn rollup picomatch undici zod ws yargs minimist".split()
_CRATES = "serde tokio hyper regex rand syn quote bytes libc memchr clap anyhow thiserror itertools rayon".split()


def hexes(rng: random.Random, size: int) -> str:
    return f"{rng.getrandbits(4 * size):0{size}x}"


def b64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def pick(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choices(letters, k=size))


def a_uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def word(rng: random.Random) -> str:
    return rng.choice(_WORDS)


def words(rng: random.Random, count: int, sep: str = " ") -> str:
    return sep.join(rng.choices(_WORDS, k=count))


def semver(rng: random.Random) -> str:
    return f"{rng.randrange(12)}.{rng.randrange(40)}.{rng.randrange(20)}"


def stamp(rng: random.Random, sep: str = "T") -> str:
    return f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}{sep}{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"


def path(rng: random.Random, suffix: str = ".py") -> str:
    return "/".join(rng.choices(_WORDS, k=rng.randrange(2, 6))) + "_" + word(rng) + suffix


def rows(rng: random.Random, least: int, most: int, row: Kind) -> str:
    return "\n".join(row(rng) for _ in range(rng.randrange(least, most)))


# Packages and builds


def _npm_lock(rng: random.Random) -> str:
    name, version = rng.choice(_PACKAGES), semver(rng)
    return (
        f'    "node_modules/{name}": {{\n      "version": "{version}",\n'
        f'      "resolved": "https://npm.example.test/{name}/-/{name}-{version}.tgz",\n'
        f'      "integrity": "sha512-{b64(rng, 64)}",\n      "license": "MIT"\n    }},'
    )


def _berry_lock(rng: random.Random) -> str:
    name, version = rng.choice(_PACKAGES), semver(rng)
    return f'"{name}@npm:^{version}":\n  version: {version}\n  resolution: "{name}@npm:{version}"\n  checksum: 10c0/{hexes(rng, 128)}\n  languageName: node'


def _pnpm_lock(rng: random.Random) -> str:
    name, version = rng.choice(_PACKAGES), semver(rng)
    return f"  {name}@{version}:\n    resolution: {{integrity: sha512-{b64(rng, 64)}}}\n    engines: {{node: '>=18'}}"


def _go_sum(rng: random.Random) -> str:
    name = f"example.test/{word(rng)}/{word(rng)}"
    return (
        f"{name} v{semver(rng)} h1:{b64(rng, 32)}\n{name} v{semver(rng)}/go.mod h1:{b64(rng, 32)}"
    )


def _cargo_lock(rng: random.Random) -> str:
    return f'[[package]]\nname = "{rng.choice(_CRATES)}"\nversion = "{semver(rng)}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "{hexes(rng, 64)}"\n'


def _uv_lock(rng: random.Random) -> str:
    name = word(rng)
    return rows(rng, 2, 6, lambda r: f'    {{ url = "https://files.example.test/packages/{hexes(r, 2)}/{hexes(r, 2)}/{hexes(r, 60)}/{name}-{semver(r)}-cp312-cp312-manylinux_2_17_x86_64.whl", hash = "sha256:{hexes(r, 64)}", size = {r.randrange(9999999)} }},')  # fmt: skip


def _provider_lock(rng: random.Random) -> str:
    hashes = [
        f'    "h1:{b64(rng, 32)}",',
        *(f'    "zh:{hexes(rng, 64)}",' for _ in range(rng.randrange(3, 9))),
    ]
    return 'provider "registry.terraform.io/hashicorp/aws" {\n  version     = "5.31.0"\n  hashes = [\n' + "\n".join(hashes) + "\n  ]\n}"  # fmt: skip


def _flake_lock(rng: random.Random) -> str:
    return f'      "locked": {{\n        "lastModified": {rng.randrange(10**9, 2 * 10**9)},\n        "narHash": "sha256-{b64(rng, 32)}",\n        "owner": "NixOS",\n        "repo": "nixpkgs",\n        "rev": "{hexes(rng, 40)}",\n        "type": "github"\n      }},'


def _nix_build(rng: random.Random) -> str:
    nix = "0123456789abcdfghijklmnpqrsvwxyz"
    return rows(rng, 3, 9, lambda r: f"{r.choice(('copying path', 'building', 'these derivations will be built:'))} '/nix/store/{pick(r, nix, 32)}-{words(r, 2, '-')}-{semver(r)}{r.choice(('', '.drv', '-dev', '-lib'))}'...")  # fmt: skip


def _conda(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: f"https://conda.example.test/conda-forge/linux-64/{word(r)}-{semver(r)}-py312h{hexes(r, 7)}_{r.randrange(9)}.conda#{hexes(r, 32)}")  # fmt: skip


def _wheel_cache(rng: random.Random) -> str:
    return rows(rng, 2, 5, lambda r: f"  Created wheel for {word(r)}: filename={word(r)}-{semver(r)}-py3-none-any.whl size={r.randrange(99999)} sha256={hexes(r, 64)}\n  Stored in directory: /root/.cache/pip/wheels/{hexes(r, 2)}/{hexes(r, 2)}/{hexes(r, 2)}/{hexes(r, 58)}")  # fmt: skip


def _maven(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: f"[INFO] Downloaded from central: https://maven.example.test/maven2/org/{words(r, 2, '/')}/{word(r)}-core/{semver(r)}-SNAPSHOT/{word(r)}-core-{semver(r)}-2026{r.randrange(1000, 1231):04}.{r.randrange(240000):06}-{r.randrange(99)}.jar ({r.randrange(900)} kB at {r.randrange(9)}.{r.randrange(9)} MB/s)")  # fmt: skip


def _buildkit(rng: random.Random) -> str:
    step = rng.randrange(4, 30)
    layers = rows(rng, 2, 6, lambda r: f"#{step} sha256:{hexes(r, 64)} {r.randrange(90)}.{r.randrange(99):02}MB / {r.randrange(90)}.{r.randrange(99):02}MB {r.randrange(9)}.{r.randrange(9)}s done")  # fmt: skip
    return f"#{step} [builder 3/9] RUN --mount=type=cache,target=/root/.cache go build ./...\n{layers}\n#{step} exporting manifest sha256:{hexes(rng, 64)} 0.0s done\n#{step} naming to registry.example.test/{word(rng)}/{word(rng)}:{hexes(rng, 7)} done"


def _bazel(rng: random.Random) -> str:
    return rows(rng, 2, 7, lambda r: f"  ActionKey: {hexes(r, 64)}\n  Inputs: [bazel-out/k8-opt-ST-{hexes(r, 12)}/bin/{path(r, '.pb.h')}]\n  bytestream://cache.example.test/blobs/{hexes(r, 64)}/{r.randrange(99999)}")  # fmt: skip


def _bundler(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"dist/assets/{word(r)}-{pick(r, URL, 8)}.{r.choice(('js', 'css', 'woff2'))}   {r.randrange(900)}.{r.randrange(99):02} kB │ gzip: {r.randrange(200)}.{r.randrange(99):02} kB")  # fmt: skip


def _webpack(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: f"  asset {word(r)}.{hexes(r, 20)}.chunk.js {r.randrange(900)} KiB [emitted] [immutable] [minimized] (name: {word(r)})\n  chunk (runtime: main) {r.randrange(999)}.{hexes(r, 8)}.js.map ./node_modules/.pnpm/{r.choice(_PACKAGES)}@{semver(r)}_{r.choice(_PACKAGES)}@{semver(r)}_{pick(r, LOWER, 26)}/node_modules")  # fmt: skip


def _xcode(rng: random.Random) -> str:
    return rows(rng, 2, 5, lambda r: f"CompileSwift normal arm64 /Users/dev/{path(r, '.swift')} (in target 'App' from project 'App')\n    cd /Users/dev/Library/Developer/Xcode/DerivedData/App-{pick(r, string.ascii_lowercase, 28)}/Build/Intermediates.noindex/App.build/Objects-normal/arm64/{word(r)}.dia")  # fmt: skip


def _checksums(rng: random.Random) -> str:
    size = rng.choice((32, 40, 64, 96, 128))
    return rows(rng, 3, 10, lambda r: f"{hexes(r, size)}  {path(r, '.tar.zst')}")


def _signature_block(rng: random.Random) -> str:
    body = b64(rng, 438)
    return "gpgsig -----BEGIN PGP SIGNATURE-----\n \n" + "\n".join(" " + body[at : at + 64] for at in range(0, len(body), 64)) + f"\n ={pick(rng, ALL, 4)}\n -----END PGP SIGNATURE-----"  # fmt: skip


# Repositories and code


def _git_objects(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: r.choice((
        f"100644 blob {hexes(r, 40)}\t{path(r)}", f"{hexes(r, 40)} refs/remotes/origin/{word(r)}-{r.randrange(9999)}",
        f"{hexes(r, 9)} HEAD@{{{r.randrange(40)}}}: rebase (pick): {words(r, 4)}", f"index {hexes(r, 10)}..{hexes(r, 10)} 100644",
        f"+Subproject commit {hexes(r, 40)}", f"* [new branch]          dependabot/npm_and_yarn/{words(r, 2, '-')}-{semver(r)} -> origin/dependabot",
    )))  # fmt: skip


def _mangled(rng: random.Random) -> str:
    def name(r: random.Random) -> str:
        part = "".join(f"{len(w)}{w}" for w in r.choices(_WORDS, k=r.randrange(2, 5)))
        return r.choice((
            f"_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE{part}ERKS5_mmT0_", f"_ZN{part}17h{hexes(r, 16)}E",
            f"_RNvMs{pick(r, LOWER, 1)}_NtCs{pick(r, ALL, 11)}_{part}", f"$s4main{part}V4bodyQrvgSSyXEfU{r.randrange(9)}_TA",
            f"_ZZN{part}EvENKUlRKT_T0_E_clINS_{part}EEEDaS3_S4_", f"?{word(r)}@{word(r)}@@QEAA_NPEBVQObject@@AEBV?$basic_{word(r)}@DU?$char_traits@D@std@@@Z",
        ))  # fmt: skip

    return rows(rng, 4, 10, lambda r: r.choice((
        f"{hexes(r, 16)} {r.choice('TtWVbDr')} {name(r)}", f"/usr/bin/ld: {word(r)}.o: undefined reference to `{name(r)}'",
        f"{r.randrange(30)}:     0x{hexes(r, 12)} - {name(r)}",
    )))  # fmt: skip


def _disassembly(rng: random.Random) -> str:
    at = rng.randrange(0x1000, 0xFFFFF)
    return rows(rng, 5, 14, lambda r: f"  {at + r.randrange(4096):x}:\t{r.randbytes(r.randrange(2, 8)).hex(' '):21}\t{r.choice(('mov', 'lea', 'call', 'movabs', 'vmovdqu', 'cmp', 'jne'))}    {r.choice((f'$0x{hexes(r, 16)},%rax', f'0x{hexes(r, 6)}(%rip),%rdi        # {hexes(r, 6)} <{word(r)}+0x{hexes(r, 2)}>', '%r12,%rsi'))}".expandtabs(8))  # fmt: skip


def _gpu_code(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: f"        /*{hexes(r, 4)}*/                   {r.choice(('IMAD.MOV.U32', 'LDG.E.128', 'FFMA', 'STS', 'HMMA.16816.F32'))} R{r.randrange(255)}, R{r.randrange(255)}, UR4, R{r.randrange(255)} ;      /* 0x{hexes(r, 16)} */\n                                                                      /* 0x{hexes(r, 16)} */")  # fmt: skip


def _hexdump_of_file(rng: random.Random) -> str:
    data = rng.choice((b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"SQLite format 3\0")) + rng.randbytes(rng.randrange(80, 240))  # fmt: skip
    shown = [data[at : at + 16] for at in range(0, len(data), 16)]
    return "\n".join(f"{at * 16:08x}  {part[:8].hex(' '):23}  {part[8:].hex(' '):23}  |{''.join(chr(b) if 32 <= b < 127 else '.' for b in part)}|" for at, part in enumerate(shown))  # fmt: skip


def _minified(rng: random.Random) -> str:
    def part(r: random.Random) -> str:
        a, b = pick(r, string.ascii_lowercase, 1), pick(r, string.ascii_letters, 2)
        return r.choice((
            f"function {b}({a}){{return {a}&&{a}.__esModule?{a}.default:{a}}}", f"var {b}=Object.defineProperty,{a}={b}.prototype.hasOwnProperty;",
            f'{a}.exports={{"{word(r)}":"{word(r)}_{word(r)}__{pick(r, URL, 5)}"}};', f"({a}=>{{for(let {b}=0;{b}<{a}.length;{b}++){a}[{b}]^=0x{hexes(r, 8)}}})",
            f".{word(r)}_{word(r)}__{pick(r, URL, 5)}{{margin:0 auto;color:#{hexes(r, 6)}}}.css-{pick(r, LOWER, 7)}{{flex:1}}", f"//# sourceMappingURL={word(r)}.{hexes(r, 8)}.js.map",
        ))  # fmt: skip

    return "".join(part(rng) for _ in range(rng.randrange(6, 20)))


def _source_map(rng: random.Random) -> str:
    vlq = ";,".join(
        pick(rng, ALL + "+/", rng.choice((4, 4, 5, 8))) for _ in range(rng.randrange(30, 90))
    )
    return f'{{"version":3,"file":"{word(rng)}.js","sources":["../{path(rng, ".ts")}"],"names":[],"mappings":"AAAA;{vlq}"}}'


def _svg(rng: random.Random) -> str:
    return f'<path d="M{rng.random() * 24:.3f},{rng.random() * 24:.3f}' + "".join(f"{rng.choice('clhvsqtaz')}{rng.uniform(-9, 9):.3f},{rng.uniform(-9, 9):.3f} " for _ in range(rng.randrange(20, 60))) + '"/>'  # fmt: skip


def _picture(rng: random.Random) -> str:
    head = base64.b64encode(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + rng.randbytes(rng.randrange(200, 800))
    ).decode()
    return rng.choice((f"background: url(data:image/png;base64,{head});", f'      "image/png": "{head}"', f'<img alt="{word(rng)}" src="data:image/png;base64,{head}">'))  # fmt: skip


def _test_ids(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: f"{r.choice(('PASSED', 'FAILED', 'SKIPPED'))} tests/{path(r)}::Test{word(r).title()}{word(r).title()}::test_{words(r, 5, '_')}[{word(r)}-{hexes(r, 8)}-{r.choice(('None', 'True', 'b' + repr(word(r))))}-{word(r)}{r.randrange(99)}]")  # fmt: skip


def _java_trace(rng: random.Random) -> str:
    return f"Exception in thread \"pool-{rng.randrange(9)}-thread-{rng.randrange(99)}\" java.lang.IllegalStateException: {words(rng, 4)}\n" + rows(rng, 4, 12, lambda r: f"\tat com.example.{words(r, 2, '.')}.{word(r).title()}{word(r).title()}Factory$${r.choice(('EnhancerBySpringCGLIB', 'Lambda'))}$${hexes(r, 8)}/0x{hexes(r, 16)}.{word(r)}{word(r).title()}(<generated>)")  # fmt: skip


# Machines


def _maps(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f"7f{hexes(r, 10)}-7f{hexes(r, 10)} {r.choice(('r-xp', 'rw-p', 'r--p'))} {hexes(r, 8)} 08:01 {r.randrange(9999999):<26} {r.choice(('/usr/lib/x86_64-linux-gnu/libc.so.6', '[heap]', '', '/dev/shm/.org.chromium.Chromium.' + pick(r, ALL, 6), 'anon_inode:[io_uring]'))}")  # fmt: skip


def _oops(rng: random.Random) -> str:
    return (
        f"[{rng.random() * 9999:12.6f}] RIP: 0010:{words(rng, 2, '_')}+0x{hexes(rng, 3)}/0x{hexes(rng, 3)}\n[{rng.random() * 9999:12.6f}] Code: {rng.randbytes(20).hex(' ')} <{hexes(rng, 2)}> {rng.randbytes(22).hex(' ')}\n"
        + rows(rng, 4, 7, lambda r: f"[{r.random() * 9999:12.6f}] R{r.choice(('AX', 'BX', 'DX', '08', '13'))}: {r.choice(('ffff', '0000'))}{hexes(r, 12)} R{r.choice(('SI', 'DI', 'BP'))}: ffff{hexes(r, 12)} R{r.randrange(10, 16)}: {hexes(r, 16)}")
    )  # fmt: skip


def _sanitizer(rng: random.Random) -> str:
    return (
        f"=={rng.randrange(99999)}==ERROR: AddressSanitizer: heap-use-after-free on address 0x{hexes(rng, 12)} at pc 0x{hexes(rng, 12)} bp 0x{hexes(rng, 12)} sp 0x{hexes(rng, 12)}\n"
        + rows(rng, 3, 8, lambda r: f"    #{r.randrange(30)} 0x{hexes(r, 12)} in {words(r, 2, '_')} /src/{path(r, '.cc')}:{r.randrange(900)}:{r.randrange(80)} (BuildId: {hexes(r, 40)})")
        + "\n"
        + rows(rng, 2, 6, lambda r: f"  0x{hexes(r, 12)}: " + " ".join(r.choices(("fa", "fd", "00", "f7", "04"), k=16)))
    )  # fmt: skip


def _disks(rng: random.Random) -> str:
    return rows(rng, 3, 8, lambda r: r.choice((
        f'/dev/nvme0n1p{r.randrange(9)}: UUID="{a_uuid(r)}" UUID_SUB="{a_uuid(r)}" BLOCK_SIZE="4096" TYPE="btrfs" PARTUUID="{a_uuid(r)}"',
        f"  LV UUID                {pick(r, ALL, 6)}-{'-'.join(pick(r, ALL, 4) for _ in range(5))}-{pick(r, ALL, 6)}",
        f"ARRAY /dev/md{r.randrange(9)} metadata=1.2 UUID={':'.join(hexes(r, 8) for _ in range(4))}", f"Serial Number:    S{pick(r, string.ascii_uppercase + string.digits, 14)}",
        f"lrwxrwxrwx 1 root root 13 Nov 21 10:00 nvme-eui.{hexes(r, 16)}-part{r.randrange(9)} -> ../../nvme0n1p1", f"wwn-0x{hexes(r, 16)}",
    )))  # fmt: skip


def _edid(rng: random.Random) -> str:
    return (
        "\tEDID: \n\t\t00ffffffffffff00"
        + hexes(rng, 16)
        + "\n"
        + rows(rng, 7, 8, lambda r: f"\t\t{hexes(r, 32)}")
    )


def _measured(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: r.choice((f"10 {hexes(r, 40)} ima-ng sha256:{hexes(r, 64)} /usr/bin/{word(r)}", f"    {r.randrange(24)} : 0x{hexes(r, 64).upper()}")))  # fmt: skip


def _shell_names(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: r.choice((
        f"/tmp/tmp.{pick(r, ALL, 10)}/{word(r)}.log", f"/tmp/cc{pick(r, ALL, 6)}.o: in function `main':", f"/var/folders/{pick(r, LOWER, 2)}/{pick(r, LOWER + '_', 30)}/T/{word(r)}-{pick(r, ALL, 8)}",
        f"/run/user/1000/.mutter-Xwaylandauth.{pick(r, string.ascii_uppercase + string.digits, 6)}", f"systemd-private-{hexes(r, 32)}-{word(r)}.service-{pick(r, ALL, 6)}", f"/home/dev/.cache/{word(r)}/{hexes(r, 2)}/{hexes(r, 38)}",
        f"core.{word(r)}.1000.{hexes(r, 32)}.{r.randrange(99999)}.{r.randrange(10**15)}.zst",
    )))  # fmt: skip


OF_BUILDS: dict[str, Kind] = {
    "npm lock": _npm_lock, "berry lock": _berry_lock, "pnpm lock": _pnpm_lock, "go.sum": _go_sum, "Cargo.lock": _cargo_lock,
    "uv.lock": _uv_lock, "provider lock": _provider_lock, "flake.lock": _flake_lock, "nix build": _nix_build, "conda list": _conda,
    "wheel cache": _wheel_cache, "maven": _maven, "buildkit": _buildkit, "bazel": _bazel, "bundler": _bundler, "webpack": _webpack,
    "xcode": _xcode, "checksums": _checksums, "signature of a commit": _signature_block, "git objects": _git_objects,
    "mangled names": _mangled, "disassembly": _disassembly, "GPU code": _gpu_code, "hexdump of a file": _hexdump_of_file,
    "minified": _minified, "source map": _source_map, "svg": _svg, "picture": _picture, "test ids": _test_ids,
    "java trace": _java_trace, "memory maps": _maps, "kernel oops": _oops, "sanitizer": _sanitizer, "disks": _disks,
    "edid": _edid, "measurements": _measured, "temporary names": _shell_names,
}  # fmt: skip
