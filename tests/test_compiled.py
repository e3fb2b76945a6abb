"""The optional compiled build: a wheel with the grid in C, doing what the Python does.

The wheel is built as a user builds it, installed in an environment of its own, and both grids are
fed the same bytes in the same cuts. Unoptimised in `make test`, as users get it in `make soak`.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
MODULES = {path.stem for path in (REPO / "screen").glob("*.py")} - {"__init__"}

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
HEADERS = Path(sysconfig.get_path("include")) / "Python.h"

pytestmark = pytest.mark.skipif(
    not shutil.which(COMPILER) or not HEADERS.is_file(),
    reason=f"needs a C compiler ({COMPILER}) and {HEADERS.name}",
)

# Runs under either grid, with nothing but the standard library: prints where the grid came from
# and a digest of all that can be seen of it, for each recording named and for random streams.
SAMPLE = r'''
import base64, hashlib, json, random, sys
import dejavu.screen.grid
from dejavu.screen import Terminal

PIECES = """plain words|日本語|e\u0301|⚠️|🧑\u200d💻|🇩🇪|\r\n|\t|\b|\x1b[%dA|\x1b[%d;%dH|\x1b[%dJ
|\x1b[%dK|\x1b[38;5;%dm|\x1b[48;2;%d;%d;9m|\x1b[4:3m|\x1b[m|\x1b[%d;%dr|\x1b[%dL|\x1b[%dP|\x1b[%d@
|\x1b[%dS|\x1b[?1049h|\x1b[?1049l|\x1b[?2026h|\x1b[?2026l|\x1b[?6h|\x1b[?6l|\x1b7|\x1b8|\x1bM|\x1b[%db
|\x1b(0|\x1b(B|\x1b]0;title\x07|\x1b]8;;https://e.org/%d\x1b\\|\x1b]8;;\x07|\x1b]133;A\x07|\x1b[6n|\x1b[c
|\x1bP$qm\x1b\\|\x1b]0;cut|\x18|\x1b[!p|\x1b[?2027h|\x1b[%d q|\ufeff|\x00|\x7f|\x9b1m""".replace(
    "\n|", "|").split("|")

def stream(seed):
    rng = random.Random(seed)
    for _ in range(400):
        piece = rng.choice(PIECES)
        values = tuple(rng.choice((0, 1, 2, 5, 30, 200)) for _ in range(piece.count("%d")))
        yield (piece % values).encode("utf-8", "surrogatepass")
        if rng.random() < 0.1:
            yield bytes([rng.randrange(256)])

def recorded(path):
    with open(path, encoding="utf-8") as file:
        head = json.loads(next(file))
        events = [json.loads(row) for row in file]
    exact = [base64.b64decode(data) for _, kind, data in events if kind == "b"]
    drawn = [data.encode("utf-8", "replace") for _, kind, data in events if kind == "o"]
    return head["width"], head["height"], b"".join(exact or drawn)

def seen(columns, lines, data, seed):
    rng, digest = random.Random(seed), hashlib.sha256()
    terminal = Terminal(columns, lines, history=500, graphemes=bool(seed % 2))
    at = 0
    while at < len(data):
        step = rng.choice((1, 7, 64, 1000, 4096))
        changes = terminal.feed(data[at : at + step])
        at += step
        told = [changes.rows, [(str(line), line.runs()) for line in changes.scrolled]]
        digest.update(repr((told, changes.events, terminal.replies())).encode("utf-8", "replace"))
        if rng.random() < 0.05:
            look(terminal, digest)
        if rng.random() < 0.01:
            terminal.resize(rng.randint(1, 100), rng.randint(1, 30))
    look(terminal, digest)
    digest.update(terminal.dump())
    return digest.hexdigest()

def look(terminal, digest):
    shown = terminal.snapshot()
    facts = (shown.rows, shown.styles, shown.wrapped, shown.cursor, shown.title, shown.alternate)
    history = [(str(line), line.wrapped, line.runs()) for line in terminal.history]
    digest.update(repr((facts, history)).encode("utf-8", "replace"))

result = {"random %d" % seed: seen(60, 12, b"".join(stream(seed)), seed) for seed in range(40)}
for number, path in enumerate(sys.argv[1:]):
    result[path] = seen(*recorded(path), number)
print(json.dumps({"from": dejavu.screen.grid.__file__, "digests": result}))
'''


def _built(folder: Path, optimisation: str) -> Path:
    """The wheel of a compiled build, from a copy of the sources."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(REPO / name, source)
    for package in ("record", "screen"):
        shutil.copytree(REPO / package, source / package)
    (source / "src" / "dejavu").mkdir(parents=True)
    for name in ("__init__.py", "py.typed", "record", "screen"):
        shutil.copy(
            REPO / "src" / "dejavu" / name, source / "src" / "dejavu", follow_symlinks=False
        )
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "out"), str(source)],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "DEJAVU_COMPILE": "1", "MYPYC_OPT_LEVEL": optimisation},
    )
    assert built.returncode == 0, (built.stdout + built.stderr)[-4000:]
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


def _installed(wheel: Path, folder: Path) -> Path:
    """The interpreter of an environment that holds the wheel and nothing else."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, timeout=120)
    return python


def _sample(python: str | Path, recordings: list[Path]) -> dict[str, dict[str, str]]:
    done = subprocess.run(
        [str(python), "-c", SAMPLE, *map(str, recordings)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("optimisation", ["0", pytest.param("3", marks=pytest.mark.soak)])
def test_a_compiled_grid_shows_what_the_python_shows(tmp_path: Path, optimisation: str) -> None:
    wheel = _built(tmp_path, optimisation)
    compiled = {
        name.split("/")[2].split(".")[0]
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith("dejavu/screen/") and name.endswith(".so")
    }
    assert compiled == MODULES | {"compiled__mypyc"}
    assert not any(
        name.endswith(".so") and not name.startswith("dejavu/screen/")
        for name in zipfile.ZipFile(wheel).namelist()
    )
    recordings = sorted((REPO / "golden").rglob("session.cast"))
    assert recordings
    ours = _sample(sys.executable, recordings)
    theirs = _sample(_installed(wheel, tmp_path / "venv"), recordings)
    assert str(ours["from"]).endswith(".py")
    assert str(theirs["from"]).endswith(".so")
    assert theirs["digests"] == ours["digests"]
