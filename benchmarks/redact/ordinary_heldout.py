"""Ordinary screens by another hand: tests, builds, packages and repositories, as developers see them.

Data for `elsewhere.py`, held out: none of it has a secret, and nothing may be tuned on it.
A kind draws a few rows of one program. `ordinary_heldout_data.py` has the rest.
"""

# ruff: noqa: E501, SIM905 - a row of a program reads best as one line, and so do words

import base64
import random
import string
import uuid

from benchmarks.redact.ordinary import Kind

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "-_"
_WORDS = (
    "account archive batch billing branch button catalog channel client column command config context cursor "
    "delivery device dialog editor event export feature fetch field footer format gateway graph header image "
    "import input invoice layout ledger listener locale login market message metric migration modal model order "
    "page panel parser payment plugin policy preview profile project proxy queue range record region report request "
    "resolver response retry route runner schema search section server session settings sidebar signal snapshot "
    "source state status stream summary table target template theme thread timer tooltip upload user validator view widget window"
).split()
_PACKAGES = (
    "@babel/core @types/node @vitejs/plugin-react ajv autoprefixer axios body-parser browserslist chokidar commander "
    "cross-spawn date-fns dotenv eslint express fast-glob fs-extra glob graceful-fs inflight jest lru-cache minimatch nanoid "
    "node-fetch prettier react-dom react-router rimraf semver source-map-support supports-color tailwindcss tslib typescript uuid webpack"
).split()
_WHEELS = "annotated-types anyio certifi charset-normalizer click fastapi h11 httpx idna jinja2 markupsafe numpy pandas pydantic-core python-dateutil requests ruamel.yaml sqlalchemy starlette tqdm typing-extensions urllib3 uvicorn".split()
_CRATES = "anyhow axum bitflags cc cfg-if clap_derive crossbeam-utils futures-util hashbrown indexmap lock_api mio once_cell parking_lot pin-project-lite proc-macro2 regex-automata rustls serde_json smallvec syn thiserror-impl tokio-util tracing-subscriber unicode-ident windows-sys".split()
_PEOPLE = ("Ada Byron", "Jo Park", "Mina Okafor", "Luis Ortega", "Wei Zhang", "Eva Lindqvist")
_VERBS = "Add allow bump cache drop extract fix handle keep make move remove rename return simplify skip split support test use validate wait".split()


# What rows are made of


def hexes(rng: random.Random, size: int) -> str:
    return f"{rng.getrandbits(4 * size):0{size}x}"


def b64(rng: random.Random, size: int) -> str:
    """Base64 of so many random bytes."""
    return base64.b64encode(rng.randbytes(size)).decode()


def pick(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choices(letters, k=size))


def a_uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def word(rng: random.Random) -> str:
    return rng.choice(_WORDS)


def words(rng: random.Random, count: int, sep: str = " ") -> str:
    return sep.join(rng.choices(_WORDS, k=count))


def title(rng: random.Random, count: int = 2) -> str:
    """Words in one, each with a capital."""
    return "".join(part.title() for part in rng.choices(_WORDS, k=count))


def camel(rng: random.Random, count: int = 3) -> str:
    return word(rng) + title(rng, count - 1)


def semver(rng: random.Random) -> str:
    return f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(20)}"


def stamp(rng: random.Random, sep: str = "T") -> str:
    return f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}{sep}{clock(rng)}"


def clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"


def decimal(rng: random.Random, most: int = 100, digits: int = 2) -> str:
    return f"{rng.random() * most:.{digits}f}"


def path(rng: random.Random, suffix: str = ".py") -> str:
    folders = "/".join(rng.choices(_WORDS, k=rng.randrange(1, 4)))
    return f"src/{folders}/{words(rng, rng.randrange(1, 3), '_')}{suffix}"


def rows(rng: random.Random, least: int, most: int, *kinds: Kind) -> str:
    """So many rows, each of one of the kinds."""
    return "\n".join(rng.choice(kinds)(rng) for _ in range(rng.randrange(least, most)))


def a_subject(rng: random.Random) -> str:
    return f"{rng.choice(('', 'fix: ', 'feat(' + word(rng) + '): ', 'chore: '))}{rng.choice(_VERBS)} {words(rng, rng.randrange(2, 6))}"


# Tests


def _pytest(rng: random.Random) -> str:
    body = rows(rng, 3, 12, lambda r: f"tests/{word(r)}/test_{words(r, 2, '_')}.py {'.' * r.randrange(3, 30)}{r.choice(('', 's', 'x', 'F'))}{'':{r.randrange(3, 12)}}[{r.randrange(100):3}%]", lambda r: f"{decimal(r, 9)}s {r.choice(('call', 'setup', 'teardown'))}     tests/test_{word(r)}.py::Test{title(r)}::test_{words(r, 4, '_')}[{word(r)}-{r.randrange(99)}-{semver(r)}]")  # fmt: skip
    return f"platform linux -- Python 3.12.{rng.randrange(9)}, pytest-8.{rng.randrange(4)}.{rng.randrange(4)}, pluggy-1.5.0\n{body}\n{'=' * 20} {rng.randrange(900)} passed, {rng.randrange(9)} skipped in {decimal(rng)}s {'=' * 20}"


def _coverage(rng: random.Random) -> str:
    return "Name                              Stmts   Miss Branch BrPart  Cover   Missing\n" + rows(rng, 4, 14, lambda r: f"{path(r):44} {r.randrange(900):5} {r.randrange(90):6} {r.randrange(200):6} {r.randrange(20):6} {r.randrange(40, 100):5}%   {', '.join(f'{a}-{a + r.randrange(1, 30)}' if r.random() < 0.6 else f'{a}->{a + 7}' for a in sorted(r.sample(range(1, 900), r.randrange(1, 9))))}")  # fmt: skip


def _jest(rng: random.Random) -> str:
    suite = rows(rng, 3, 10, lambda r: f"    {r.choice('✓✓✓✕○')} {r.choice(('renders', 'returns', 'throws', 'updates'))} the {words(r, 3)} when {words(r, 2)} ({r.randrange(400)} ms)")  # fmt: skip
    return f"{rng.choice(('PASS', 'FAIL'))} {path(rng, '.test.tsx')} ({decimal(rng, 9)} s)\n  {title(rng)}\n{suite}\nSnapshots:   {rng.randrange(9)} passed, {rng.randrange(9)} total\nTime:        {decimal(rng, 40, 3)} s, estimated {rng.randrange(40)} s"


def _go_test(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f"--- {r.choice(('PASS', 'PASS', 'FAIL'))}: Test{title(r, 3)}/{words(r, 3, '_')}#{r.randrange(20):02} ({decimal(r, 2)}s)", lambda r: f"ok  \tgithub.com/example/{word(r)}/internal/{word(r)}\t{decimal(r, 9, 3)}s\tcoverage: {decimal(r, 100, 1)}% of statements", lambda r: f"=== RUN   Test{title(r, 3)}/{words(r, 4, '_')}", lambda r: f"    {word(r)}_test.go:{r.randrange(400)}: got {r.randrange(9999)}, want {r.randrange(9999)}", lambda r: f"?   \tgithub.com/example/{word(r)}/cmd/{word(r)}\t[no test files]", lambda r: f"Benchmark{title(r, 3)}-16  {r.randrange(10**8)}  {decimal(r, 9999)} ns/op  {r.randrange(9999)} B/op  {r.randrange(99)} allocs/op")  # fmt: skip


def _cargo(rng: random.Random) -> str:
    return rows(rng, 5, 14, lambda r: f"   Compiling {r.choice(_CRATES)} v{semver(r)}", lambda r: f"test {word(r)}::{word(r)}::tests::{words(r, 4, '_')} ... ok", lambda r: f"     Running unittests src/{word(r)}.rs (target/debug/deps/{word(r)}_{word(r)}-{hexes(r, 16)})", lambda r: f"   Compiling {word(r)} v{semver(r)} (https://github.com/example/{word(r)}?rev={hexes(r, 7)}#{hexes(r, 8)})", lambda r: f"test result: ok. {r.randrange(400)} passed; 0 failed; {r.randrange(9)} ignored; 0 measured; finished in {decimal(r, 20)}s", lambda r: f"  Downloaded {r.choice(_CRATES)} v{semver(r)}")  # fmt: skip


def _end_to_end(rng: random.Random) -> str:
    return rows(rng, 4, 10, lambda r: f"  {r.choice('✓✘')}  {r.randrange(90)} [chromium] › tests/{words(r, 2, '-')}.spec.ts:{r.randrange(200)}:{r.randrange(9)} › {title(r)} › {words(r, 5)} ({decimal(r, 30, 1)}s)", lambda r: f"    attachment #{r.randrange(9)}: trace (application/zip) ───── test-results/{words(r, 3, '-')}-{hexes(r, 5)}-{words(r, 3, '-')}-chromium/trace.zip", lambda r: f"    locator resolved to <button type=\"submit\" data-testid=\"{words(r, 3, '-')}\" class=\"css-{pick(r, LOWER, 6)} Mui{title(r)}-root\">…</button>")  # fmt: skip


# Compilers and linters


def _typescript(rng: random.Random) -> str:
    return rows(rng, 3, 9, lambda r: f"{path(r, '.tsx')}({r.randrange(900)},{r.randrange(80)}): error TS{r.choice((2322, 2345, 2339, 7006))}: Type '{title(r)}<{title(r)}, Omit<{title(r)}Props, \"{camel(r)}\">>' is not assignable to type '{title(r, 3)}'.", lambda r: f"  Property '{camel(r)}' is missing in type '{{ {camel(r)}: string; {camel(r)}?: number | undefined; }}' but required in type '{title(r, 3)}'.", lambda r: f"  {r.randrange(400)}:{r.randrange(80)}  {r.choice(('error', 'warning'))}  '{camel(r)}' is defined but never used  @typescript-eslint/no-unused-vars")  # fmt: skip


def _python_lint(rng: random.Random) -> str:
    return rows(rng, 3, 10, lambda r: f"{path(r)}:{r.randrange(900)}:{r.randrange(80)}: {r.choice(('E501 Line too long', 'F401 `os.path` imported but unused', 'B008 Do not perform function call in argument defaults', 'SIM102 Use a single `if` statement'))} ({r.randrange(101, 180)})", lambda r: f'{path(r)}:{r.randrange(900)}: error: Argument "{words(r, 2, "_")}" to "{words(r, 3, "_")}" has incompatible type "dict[str, {title(r)} | None]"; expected "Mapping[str, {title(r)}]"  [arg-type]', lambda r: f"would reformat {path(r)}")  # fmt: skip


def _c_compiler(rng: random.Random) -> str:
    name = words(rng, 2, "_")
    return f"{path(rng, '.cpp')}:{rng.randrange(2000)}:{rng.randrange(90)}: error: no matching function for call to '{name}<std::vector<{title(rng)}, std::allocator<{title(rng)}>>>(const char [{rng.randrange(40)}], size_t&)'\n  {rng.randrange(2000):4} |     auto {word(rng)} = {name}({word(rng)}_ptr->{camel(rng)}(), {word(rng)});\n       |                ~~~~~~~^~~~~~~~~~~~\n" + rows(rng, 2, 7, lambda r: f"[{r.randrange(400)}/412] Building CXX object src/{word(r)}/CMakeFiles/{words(r, 2, '_')}.dir/{words(r, 2, '_')}.cc.o", lambda r: f"In file included from {path(r, '.h')}:{r.randrange(90)},", lambda r: f"{path(r, '.c')}:{r.randrange(900)}:{r.randrange(90)}: warning: unused variable '{words(r, 2, '_')}' [-Wunused-variable]", lambda r: f"cc1plus: note: '-D{words(r, 2, '_').upper()}={r.randrange(9)}' -I../third_party/{word(r)}/include -O2 -g -std=c++20 -fPIC -c -o {word(r)}.o {word(r)}.cc")  # fmt: skip


def _jvm_build(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"> Task :{word(r)}:{r.choice(('compileJava', 'processResources', 'testClasses', 'bootJar'))} {r.choice(('UP-TO-DATE', 'FROM-CACHE', 'NO-SOURCE', ''))}", lambda r: f"\\--- com.fasterxml.jackson.module:jackson-module-{word(r)}:{semver(r)} -> {semver(r)} (*)", lambda r: f"[INFO] --- maven-surefire-plugin:3.2.5:test (default-test) @ {word(r)}-{word(r)}-service ---", lambda r: f"  {word(r)} -> /work/src/{title(r)}.{title(r)}/bin/Release/net8.0/{title(r)}.{title(r)}.dll", lambda r: f"{stamp(r, ' ')}.{r.randrange(1000):03}  INFO {r.randrange(9999)} --- [nio-8080-exec-{r.randrange(9)}] c.e.{word(r)}.{title(r, 3)}ServiceImpl : {words(r, 5)}", lambda r: f"warning CS8618: Non-nullable property '{title(r, 3)}' must contain a non-null value when exiting constructor. [/work/src/{title(r)}.csproj]")  # fmt: skip


def _page_build(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"├ ƒ /{word(r)}/[{camel(r, 2)}]/{word(r)}   {decimal(r, 90, 1)} kB   {r.randrange(90, 300)} kB", lambda r: f"  ├ chunks/{r.randrange(999)}-{hexes(r, 16)}.js   {decimal(r, 90, 1)} kB", lambda r: f"dist/{word(r)}.{pick(r, URLSAFE, 8)}.js     {decimal(r, 900)} kB │ gzip: {decimal(r, 200)} kB │ map: {decimal(r, 2000)} kB", lambda r: f"(!) {path(r, '.ts')} is dynamically imported by {path(r, '.tsx')} but also statically imported by {path(r, '.tsx')}", lambda r: f"  webpack-internal:///(app-pages-browser)/./{path(r, '.tsx')}:{r.randrange(99)}:{r.randrange(99)}", lambda r: f"  ./node_modules/{r.choice(_PACKAGES)}/dist/chunk-{pick(r, UPPER, 8)}.mjs")  # fmt: skip


# Packages and their locks


def _npm(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"npm warn deprecated {r.choice(_PACKAGES)}@{semver(r)}: This version is no longer supported, use {r.choice(_PACKAGES)} instead", lambda r: f"{r.choice('├└')}─{r.choice('─┬')} {r.choice(_PACKAGES)}@{semver(r)} deduped", lambda r: f"{r.choice(_PACKAGES)}  <={semver(r)}\nSeverity: {r.choice(('high', 'moderate'))}\n{words(r, 4)} - https://github.com/advisories/GHSA-{pick(r, LOWER, 4)}-{pick(r, LOWER, 4)}-{pick(r, LOWER, 4)}", lambda r: f"added {r.randrange(900)} packages, and audited {r.randrange(2000)} packages in {r.randrange(60)}s", lambda r: f" + {r.choice(_PACKAGES)} {semver(r)} ({semver(r)} is available)")  # fmt: skip


def _pip(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"Collecting {r.choice(_WHEELS)}<{semver(r)},>={semver(r)}", lambda r: f"  Using cached {r.choice(_WHEELS).replace('-', '_')}-{semver(r)}-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl.metadata ({decimal(r, 90, 1)} kB)", lambda r: f"   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ {decimal(r, 90, 1)}/{decimal(r, 90, 1)} MB {decimal(r, 90, 1)} MB/s eta 0:00:00", lambda r: f" + {r.choice(_WHEELS)}=={semver(r)} (from git+https://github.com/example/{word(r)}@{hexes(r, 40)})", lambda r: f"Requirement already satisfied: {r.choice(_WHEELS)} in ./.venv/lib/python3.12/site-packages (from {r.choice(_WHEELS)}) ({semver(r)})", lambda r: f"{r.choice(_WHEELS)}=={semver(r)} \\\n    --hash=sha256:{hexes(r, 64)} \\\n    --hash=sha256:{hexes(r, 64)}")  # fmt: skip


def _script_lock(rng: random.Random) -> str:
    name, version = rng.choice(_PACKAGES), semver(rng)
    return rng.choice((
        f'{name}@^{version}:\n  version "{version}"\n  resolved "https://yarn.example.test/{name}/-/{name}-{version}.tgz#{hexes(rng, 40)}"\n  integrity sha512-{b64(rng, 64)}',
        f'    "{name}@{version}": {{\n      "integrity": "sha512-{b64(rng, 64)}",\n      "dependencies": ["{rng.choice(_PACKAGES)}", "{rng.choice(_PACKAGES)}"]\n    }},',
        f'    "{name}": ["{name}@{version}", "", {{ "dependencies": {{ "tslib": "^2.4.0" }} }}, "sha512-{b64(rng, 64)}"],',
    ))  # fmt: skip


def _other_lock(rng: random.Random) -> str:
    return rows(rng, 2, 6, lambda r: f'        "name": "symfony/{word(r)}", "version": "v{semver(r)}",\n        "dist": {{ "type": "zip", "reference": "{hexes(r, 40)}", "shasum": "" }},\n        "content-hash": "{hexes(r, 32)}",', lambda r: f'  "{word(r)}": {{:hex, :{word(r)}, "{semver(r)}", "{hexes(r, 64)}", [:mix], [], "hexpm", "{hexes(r, 64)}"}},', lambda r: f'      "identity" : "swift-{word(r)}",\n      "state" : {{ "revision" : "{hexes(r, 40)}", "version" : "{semver(r)}" }}', lambda r: f'files = [\n    {{file = "{r.choice(_WHEELS)}-{semver(r)}-py3-none-any.whl", hash = "sha256:{hexes(r, 64)}"}},\n]', lambda r: f'  {word(r)}:\n    dependency: transitive\n    description:\n      name: {word(r)}\n      sha256: "{hexes(r, 64)}"\n    version: "{semver(r)}"', lambda r: f"  {word(r)}-{word(r)} ({semver(r)}) sha256={hexes(r, 64)}")  # fmt: skip


def _system_packages(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"Get:{r.randrange(90)} http://deb.example.test/debian bookworm/main amd64 lib{word(r)}{r.randrange(9)} amd64 {r.randrange(9)}:{semver(r)}-{r.randrange(9)}+deb12u{r.randrange(9)} [{r.randrange(900)} kB]", lambda r: f"Setting up lib{word(r)}-dev:amd64 ({semver(r)}~git{r.randrange(20240101, 20261231)}.{hexes(r, 7)}+dfsg-{r.randrange(9)}) ...", lambda r: f"==> Pouring {word(r)}--{semver(r)}.arm64_sonoma.bottle.tar.gz\n==> Fetching dependencies for {word(r)}: {word(r)}@{r.randrange(20)}, {word(r)}", lambda r: f"ii  lib{word(r)}-perl  {semver(r)}-1build{r.randrange(9)}  all  {words(r, 5)}", lambda r: f"  Installing : {word(r)}-libs-{semver(r)}-{r.randrange(9)}.el9_{r.randrange(9)}.x86_64  {r.randrange(90)}/90")  # fmt: skip


# Repositories


def _git_log(rng: random.Random) -> str:
    return rows(rng, 2, 7, lambda r: f"commit {hexes(r, 40)}{r.choice(('', ' (HEAD -> main, origin/main)', ' (tag: v' + semver(r) + ')'))}\nAuthor: {r.choice(_PEOPLE)} <dev{r.randrange(99)}@example.test>\nDate:   Sat Nov {r.randrange(1, 30)} {clock(r)} 2026 +0100\n\n    {a_subject(r)}\n\n    {words(r, 9)}.\n    Change-Id: I{hexes(r, 40)}", lambda r: f"* {hexes(r, r.choice((7, 8, 9)))} {a_subject(r)} (#{r.randrange(9999)})", lambda r: f" {path(r, '.ts'):50} | {r.randrange(200):3} {'+' * r.randrange(20)}{'-' * r.randrange(20)}", lambda r: f"    cherry picked from commit {hexes(r, 40)}\n    Fixes: {hexes(r, 12)} (\"{a_subject(r)}\")\n    Signed-off-by: {r.choice(_PEOPLE)} <dev@example.test>")  # fmt: skip


def _git_commands(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"  {r.choice('* ')} {word(r)}/{words(r, 3, '-')}-{r.randrange(999)}  {hexes(r, 9)} [origin/{word(r)}: ahead {r.randrange(9)}] {a_subject(r)}", lambda r: f"{hexes(r, 40)}\trefs/pull/{r.randrange(9999)}/head", lambda r: f"   {hexes(r, 9)}..{hexes(r, 9)}  main       -> origin/main", lambda r: f":100644 100644 {hexes(r, 10)} {hexes(r, 10)} M\t{path(r)}", lambda r: f"stash@{{{r.randrange(9)}}}: WIP on {word(r)}: {hexes(r, 7)} {a_subject(r)}", lambda r: f" {hexes(r, 40)} vendor/{word(r)} (v{semver(r)}-{r.randrange(99)}-g{hexes(r, 9)})", lambda r: f"remote: Compressing objects: 100% ({r.randrange(900)}/900), done.", lambda r: f"        modified:   {path(r, '.go')}", lambda r: f"pick {hexes(r, 7)} {a_subject(r)}")  # fmt: skip


def _code_diff(rng: random.Random) -> str:
    name = path(rng)
    return f"diff --git a/{name} b/{name}\nindex {hexes(rng, 9)}..{hexes(rng, 9)} 100644\n--- a/{name}\n+++ b/{name}\n@@ -{rng.randrange(900)},7 +{rng.randrange(900)},9 @@ def {words(rng, 3, '_')}(self, {word(rng)}: {title(rng)}) -> None:\n" + rows(rng, 4, 12, lambda r: f"{r.choice(' +- ')}        self.{words(r, 2, '_')} = {words(r, 3, '_')}({word(r)}={word(r)}.{words(r, 2, '_')}, {word(r)}_id={word(r)}.id)", lambda r: f"{r.choice('+- ')}    async def {words(r, 3, '_')}(self, {word(r)}: {title(r)}, *, timeout: float = {decimal(r, 60, 1)}) -> list[{title(r)}]:", lambda r: f'{r.choice("+- ")}        raise {title(r)}Error(f"{words(r, 4)}: {{{word(r)}!r}}")', lambda r: f"{r.choice('+ ')}        assert {words(r, 3, '_')} == {r.randrange(9999)}")  # fmt: skip


def _changelog(rng: random.Random) -> str:
    return f"## [{semver(rng)}](https://github.com/example/{word(rng)}/compare/v{semver(rng)}...v{semver(rng)}) ({stamp(rng)[:10]})\n\n### Bug Fixes\n\n" + rows(rng, 3, 9, lambda r: f"* **{word(r)}:** {words(r, 6)} ([#{r.randrange(9999)}](https://github.com/example/{word(r)}/issues/{r.randrange(9999)})) ([{hexes(r, 7)}](https://github.com/example/{word(r)}/commit/{hexes(r, 40)}))")  # fmt: skip


def _workflow_run(rng: random.Random) -> str:
    return rows(rng, 4, 12, lambda r: f"{stamp(r)}.{r.randrange(10**7):07}Z Download action repository 'actions/{word(r)}@v{r.randrange(9)}' (SHA:{hexes(r, 40)})", lambda r: f"{stamp(r)}.{r.randrange(10**7):07}Z Cache restored from key: node-cache-Linux-x64-npm-{hexes(r, 64)}", lambda r: f"{stamp(r)}.{r.randrange(10**7):07}Z ##[group]Run npm run {word(r)}:{word(r)}", lambda r: f"      - uses: actions/{word(r)}@{hexes(r, 40)} # v{semver(r)}", lambda r: f"          GITHUB_TOKEN: ${{{{ secrets.GITHUB_TOKEN }}}}  # {words(r, 3)}", lambda r: f"{stamp(r)}.{r.randrange(10**7):07}Z Artifact {word(r)}-{word(r)} digest: sha256:{hexes(r, 64)}", lambda r: f"{r.choice('✓X')} {words(r, 3, ' / ')}  {r.randrange(9)}m{r.randrange(60)}s  https://github.com/example/{word(r)}/actions/runs/{r.randrange(10**10, 2 * 10**10)}/job/{r.randrange(10**10, 6 * 10**10)}")  # fmt: skip


HELDOUT: dict[str, Kind] = {
    "pytest": _pytest, "coverage": _coverage, "jest": _jest, "go test": _go_test, "cargo": _cargo, "end-to-end tests": _end_to_end,
    "TypeScript and ESLint": _typescript, "Python linters": _python_lint, "C++ compiler": _c_compiler, "JVM and .NET builds": _jvm_build,
    "page build": _page_build, "npm": _npm, "pip and uv": _pip, "locks of scripts": _script_lock, "locks of other languages": _other_lock,
    "system packages": _system_packages, "git log": _git_log, "git commands": _git_commands, "diff of code": _code_diff,
    "changelog": _changelog, "workflow run": _workflow_run,
}  # fmt: skip
