"""fix over failures that real programs printed here: compilers, tests, git, make, a database.

    python -m benchmarks.code.fix_real [--names N] [--show]

Each kind of failure is a small project and a command that fails in it. The project is made and the command
run in one folder for the archive, and in another (deeper, other line numbers, other process) for the
question; so paths, numbers, times and what the program itself varies differ as they do in life. Kinds in
`KNOWN` are archived with a repair; of those in `NEVER`, other failures of mostly the same programs, none
is, and the answer to them must be silence. No rule was tuned on any of it. Programs that are not installed
are left out, and named.
"""

# ruff: noqa: E501 - projects stand as they are written
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.extensions.code.failures import find_fixes
from dejavu.extensions.code.index import EditIndex
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn, conversation_id

PAIRS = (
    ("ledger", "invoice"), ("harbor", "pigeon"), ("walnut", "copper"), ("meadow", "lantern"),
    ("saddle", "quartz"), ("ribbon", "timber"), ("cactus", "marble"), ("oyster", "puddle"),
)  # fmt: skip


class Kind(NamedTuple):
    """A failure: the program it needs, the files of the project, the command. @ stands for padding."""

    program: str
    files: dict[str, str]
    command: str


PYTEST = "python -m pytest -q -p no:cacheprovider"
MYPY = "python -m mypy --no-incremental --cache-dir=/dev/null"
REPO = "git init -q -b main . && git config user.name a && git config user.email a@b.c && git add -A && git commit -qm x && "
KNOWN = (
    Kind("python", {"{w}.py": "@\ndef {v}(n):\n    return n + 1\n", "test_{w}.py": "@\nfrom {w} import {v}\ndef test_{v}_of_{w}():\n    assert {v}(3) == 5\n"}, f"{PYTEST} test_{{w}}.py"),
    Kind("python", {"test_{w}.py": "@\ndef test_{v}({w}_{v}_client):\n    assert {w}_{v}_client\n"}, f"{PYTEST} test_{{w}}.py"),
    Kind("python", {"{w}.py": "@\nimport {v}_{w}_core\n"}, "python {w}.py"),
    Kind("python", {"{w}.py": "@\ndef load(options):\n    return options['{v}_{w}']\n@\nload({})\n"}, "python {w}.py"),
    Kind("python", {"{w}.py": "@\nclass {w}:\n    pass\n{w}().{v}()\n"}, "python {w}.py"),
    Kind("mypy", {"{w}.py": "@\nclass {w}:\n    pass\n\n{w}().{v}_total()\n"}, f"{MYPY} {{w}}.py"),
    Kind("mypy", {"{w}.py": "@\ndef {v}_{w}(count: int) -> None: ...\n\n{v}_{w}('many')\n"}, f"{MYPY} {{w}}.py"),
    Kind("gcc", {"{w}.c": "@\nint main(void) { return {v}_{w}; }\n"}, "gcc -c {w}.c"),
    Kind("gcc", {"{w}.c": "@\n#include <{v}/{w}.h>\nint main(void) { return 0; }\n"}, "gcc -c {w}.c"),
    Kind("gcc", {"{w}.c": "@\nint {v}_{w}(int);\nint main(void) { return {v}_{w}(1); }\n"}, "gcc {w}.c -o {w}"),
    Kind("node", {"{w}.js": "@\nconst one = require('{v}-{w}')\n"}, "node {w}.js"),
    Kind("node", {"{w}.js": "@\nconst {w} = { }\n{w}.{v}.total()\n"}, "node {w}.js"),
    Kind("tsc", {"{w}.ts": "@\ninterface {w} { a: number }\ndeclare const one: {w}\none.{v}()\n"}, "tsc --noEmit {w}.ts"),
    Kind("rustc", {"{w}.rs": "@\nfn main() { let a: {v}_{w} = 1; }\n"}, "rustc --crate-type bin {w}.rs"),
    Kind("javac", {"{w}.java": "@\nclass {w} { int a() { return {v}(1); } }\n"}, "javac {w}.java"),
    Kind("make", {"Makefile": "@\n{w}: {v}_{w}.o\n\tcc -o {w} {v}_{w}.o\n"}, "make {w}"),
    Kind("bash", {"{w}.sh": "@\n{v}-{w} --all\n"}, "bash {w}.sh"),
    Kind("git", {"a": "@"}, REPO + "git checkout {v}-{w}"),
    Kind("git", {"a": "@"}, REPO + "git push {v}-{w} main"),
    Kind("pip", {}, "python -m pip install --no-index --disable-pip-version-check {v}-{w}"),
    Kind("perl", {"{w}.pl": "@\nuse {v}::{w};\n"}, "perl {w}.pl"),
    Kind("jq", {"{w}.json": '{"a": {"b": 1}}'}, "jq '.a.{v}_{w} | {v}_{w}(1)' {w}.json"),
    Kind("sqlite3", {}, "sqlite3 :memory: 'SELECT * FROM {v}_{w};'"),
    Kind("psql", {"{w}.sql": "@\nSELECT {v}_{w} FROM pg_class;\n"}, "psql -v ON_ERROR_STOP=1 -f {w}.sql"),
    Kind("ruff", {"{w}.py": "@\nprint({v}_{w})\n"}, "python -m ruff check --no-cache --isolated {w}.py"),
)  # fmt: skip
NEVER = (
    Kind("python", {"test_{w}.py": "@\nimport pytest\n@pytest.mark.parametrize('{v}', [1, 2])\ndef test_a(other_{w}): pass\n".replace("@pytest", "@ @pytest").replace("@ @", "@\n@")}, f"{PYTEST} test_{{w}}.py::test_{{v}}_none"),
    Kind("python", {"{w}.py": "@\n{v} = [1, 2\nprint({v}\n"}, "python {w}.py"),
    Kind("python", {"{w}.py": "@\ndef {v}(n):\n    return {v}(n + 1)\n{v}(1)\n"}, "python {w}.py"),
    Kind("mypy", {"{w}.py": "@\ndef {v}() -> int:\n    return '{w}'\n"}, f"{MYPY} {{w}}.py"),
    Kind("gcc", {"{w}.c": "@\nint main(void) { int {v} = 1 return {v}; }\n"}, "gcc -c {w}.c"),
    Kind("node", {"{w}.js": "@\nconst {v} = 1\n{v} = 2\n"}, "node {w}.js"),
    Kind("tsc", {"{w}.ts": "@\nconst {v}: number = '{w}'\n"}, "tsc --noEmit {w}.ts"),
    Kind("rustc", {"{w}.rs": "@\nfn main() { let {v} = String::new(); let b = {v}; println!(\"{}\", {v}); }\n"}, "rustc --crate-type bin {w}.rs"),
    Kind("make", {"Makefile": "@\n{w}:\n  echo {v}\n"}, "make {w}"),
    Kind("bash", {"{w}.sh": "@\nif true; then\necho {v}\n"}, "bash {w}.sh"),
    Kind("git", {"a": "@"}, REPO + "git mv {v}.txt {w}.txt"),
    Kind("sqlite3", {}, "sqlite3 :memory: 'CREATE TABLE {w} (a); INSERT INTO {w} VALUES (1, 2);'"),
    Kind("tar", {}, "tar xf {w}-{v}.tar.gz"),
)  # fmt: skip


def named(text: str, names: tuple[str, str]) -> str:
    """A text with its names."""
    return text.replace("{w}", names[0]).replace("{v}", names[1])


def printed(
    kind: Kind, names: tuple[str, str], folder: Path, chance: random.Random, environ: dict[str, str]
) -> str:
    """What the command prints in a project made in a folder; raise RuntimeError if it passes."""
    folder.mkdir(parents=True)
    comment = (
        "// "
        if kind.program in ("gcc", "node", "tsc", "rustc", "javac")
        else "-- "
        if kind.program == "psql"
        else "# "
    )

    def filled(text: str) -> str:
        lines = "\n".join(
            f"{comment}{chance.randrange(10**6)}" for _ in range(chance.randrange(1, 40))
        )
        text = (
            text.replace("@\n", f"{lines}\n").replace("@", lines)
            if "@pytest" not in text
            else text.replace("@\n", f"{lines}\n", 1)
        )
        return named(text, names)

    for name, text in kind.files.items():
        (folder / filled(name)).write_text(filled(text))
    done = subprocess.run(
        ["bash", "-c", named(kind.command, names)], cwd=folder, env=environ, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        raise RuntimeError(f"{kind.command} passed")
    return done.stdout.decode("utf-8", "replace")


def conversation(number: int, command: str, failure: str) -> Conversation:
    """A command that fails, is repaired and passes."""
    steps = (
        ("Bash", {"command": command}, f"Exit code 1\n{failure}", True),
        (
            "Edit",
            {"file_path": f"/w/{number}.txt", "old_string": "a", "new_string": f"repair_{number}"},
            "ok",
            False,
        ),
        ("Bash", {"command": command}, "Exit code 0\nfine", False),
    )
    turns = [Turn(seq=0, role=Role.USER, parts=(Text("go on"),), at=1_780_000_000.0 + number)]
    for place, (tool, arguments, result, error) in enumerate(steps):
        at = turns[0].at or 0.0
        turns.append(
            Turn(
                seq=len(turns),
                role=Role.ASSISTANT,
                parts=(ToolCall(str(place), tool, arguments),),
                at=at,
            )
        )
        turns.append(
            Turn(
                seq=len(turns),
                role=Role.TOOL,
                parts=(ToolCallResponse(str(place), result, is_error=error),),
                at=at,
            )
        )
    one = Conversation(
        id=conversation_id("claude", "local", str(number)),
        agent="claude",
        native_id=str(number),
        workspace="/w",
    )
    return one.with_turns(tuple(turns))


def main() -> None:
    """Print what came out; 1 if less than 90 % are right or silence is broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--names", type=int, default=4)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    chance = random.Random(20)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {
            **os.environ,
            "PATH": path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        environ |= {"PGCONNECT_TIMEOUT": "3"}
        missing = {
            k.program
            for k in KNOWN + NEVER
            if k.program not in ("mypy", "ruff", "pip") and not shutil.which(k.program, path=path)
        }
        server = None
        try:
            from tests.postgres import PASSWORD, Server

            server = Server()
            environ |= {
                "PGHOST": "127.0.0.1",
                "PGPORT": str(server.port),
                "PGUSER": "keeper",
                "PGPASSWORD": PASSWORD,
                "PGDATABASE": "postgres",
            }
        except Exception as error:  # no server here: its kind is left out, and named
            missing.add("psql")
            print(f"no PostgreSQL server: {error}", file=sys.stderr)
        try:
            measure(folder, environ, missing, options, chance)
        finally:
            if server is not None:
                server.stop()


def measure(
    folder: Path,
    environ: dict[str, str],
    missing: set[str],
    options: argparse.Namespace,
    chance: random.Random,
) -> None:
    """Archive the known, ask for them and for what was never seen."""
    ids: dict[str, int] = {}
    questions: list[tuple[int, str]] = []
    strange: list[str] = []
    with Archive.open(folder / "archive") as archive:
        for names in PAIRS[: options.names]:
            for kind in KNOWN:
                if kind.program in missing:
                    continue
                number = len(ids)
                command = named(kind.command, names)
                first = printed(kind, names, folder / f"a{number}" / "project", chance, environ)
                again = printed(
                    kind,
                    names,
                    folder / f"deeper{number * 7919}" / "src" / "of" / "it",
                    chance,
                    environ,
                )
                one = conversation(number, command, first)
                archive.put(one)
                ids[one.id] = number
                questions.append((number, again))
            for number, kind in enumerate(NEVER):
                if kind.program not in missing:
                    where = folder / f"n{number}{names[0]}" / "project"
                    strange.append(printed(kind, names, where, chance, environ))
        with EditIndex(archive) as index:
            index.catch_up()
            began = time.process_time()
            right = 0
            for number, text in questions:
                fixes = find_fixes(index, text, 3)
                hit = any(ids[fix.failed.conversation] == number and fix.passed for fix in fixes)
                right += hit
                if options.show and not hit:
                    print(
                        f"--- NOT FOUND {number}\n{text[-900:]}",
                        [(ids[f.failed.conversation], round(f.score, 2)) for f in fixes],
                    )
            spent = time.process_time() - began
            silent = 0
            for text in strange[:50]:
                fixes = find_fixes(index, text, 3)
                silent += not fixes
                if options.show and fixes:
                    print(
                        f"--- NOT SILENT {fixes[0].score:.2f} {ids[fixes[0].failed.conversation]}\n{text[-700:]}"
                    )
    asked, never = len(questions), min(50, len(strange))
    print(
        f"{right}/{asked} real failures with their repair in the first three, {1000 * spent / asked:.1f} ms each; "
        f"silent on {silent}/{never} never seen; left out: {', '.join(sorted(missing)) or 'nothing'}"
    )
    sys.exit(right < 0.9 * asked or silent < never)


if __name__ == "__main__":
    main()
