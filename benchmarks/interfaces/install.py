"""From nothing to the first search hit, out again, and what an installation weighs.

    python -m benchmarks.interfaces.install [--index]

Prints Markdown. Builds a wheel of this checkout and gathers the wheels it needs; neither counts. Then, in a
throw-away home with one session of Claude Code: seconds until `install.sh`, `dejavu sync` and
`dejavu search` have found a word of it, with the wheels at hand (`--index`: from the package index);
what is other in the home than before once all is removed, the archive too; megabytes of the base
installation by distribution; first and later starts of the one-file program.
"""

import argparse
import hashlib
import json
import os
import resource
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from email.parser import Parser
from pathlib import Path

REPO = Path(__file__).parents[2]
WORD = "heliotrope"
_MEGABYTE = 1e6


def run(*words: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """A program of a person with this home.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is printed before.
    """
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    environ = {**kept, "HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(
        words, env=environ, cwd=home, text=True, capture_output=True, check=False, timeout=600
    )
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
        done.check_returncode()
    return done


def session(home: Path) -> None:
    """One conversation of Claude Code."""
    folder = home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    common = {"sessionId": "s1", "cwd": "/work", "timestamp": "2026-11-01T10:00:00Z"}
    asked = {"role": "user", "content": f"Which colour is the {WORD}?"}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Purple."}]}
    rows = [
        {"type": "user", "uuid": "u1", "message": asked, **common},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "message": said, **common},
    ]
    (folder / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def tree(home: Path) -> dict[str, str]:
    """Every path below a home: a file's hash, a link's target, or `folder`."""
    found = {}
    for path in sorted(home.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(home))] = f"link to {path.readlink()}"
        elif path.is_file():
            found[str(path.relative_to(home))] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[str(path.relative_to(home))] = "folder"
    return found


def weigh(site: Path) -> dict[str, int]:
    """Bytes of each distribution below `site`, by the files it records."""
    sizes = {}
    for record in site.glob("*.dist-info/RECORD"):
        name = Parser().parsestr((record.parent / "METADATA").read_text("utf-8"))["Name"]
        paths = (
            site / line.rsplit(",", 2)[0].strip('"') for line in record.read_text().splitlines()
        )
        sizes[name] = sum(path.stat().st_size for path in paths if path.is_file())
    return sizes


def cpu() -> float:
    """CPU seconds of what was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_hit(release: Path, wheels: Path | None, home: Path) -> tuple[float, float]:
    """Seconds until a search has found the word, on the clock and of CPU."""
    words: list[str | Path] = ["sh", release / "install.sh", "--with", "none"]
    words += ["--python", sys.executable]
    words += ["--wheels", wheels] if wheels else []
    start, before = time.perf_counter(), cpu()
    run(*words, release, home=home)
    program = home / ".local" / "bin" / "dejavu"
    run(program, "sync", home=home)
    shown = run(program, "search", WORD, home=home).stdout
    took = time.perf_counter() - start, cpu() - before
    if WORD not in shown:
        raise SystemExit("the search found nothing")
    return took


def starts(wheel: Path, folder: Path, home: Path) -> tuple[float, float, int]:
    """Seconds of the first and of a later start of the one-file program, and its bytes."""
    program = folder / "dejavu.pyz"
    runpy.run_path(str(REPO / "packaging" / "onefile.py"))["build"](wheel, program, "")
    taken = []
    for _ in range(6):
        start = time.perf_counter()
        run(sys.executable, program, "--version", home=home)
        taken.append(time.perf_counter() - start)
    return taken[0], statistics.median(taken[1:]), program.stat().st_size


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--index", action="store_true", help="let pip ask the package index")
    index = arguments.parse_args().index
    with tempfile.TemporaryDirectory(prefix="dejavu-install-", dir="/var/tmp") as scratch:
        base = Path(scratch)
        release, wheels, home = base / "release", base / "wheels", base / "home"
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
        subprocess.run([*pip, "wheel", "--no-deps", "-w", release, REPO], check=True)
        [wheel] = release.glob("*.whl")
        subprocess.run([*pip, "download", "--only-binary=:all:", "-d", wheels, wheel], check=True)
        shutil.copy(REPO / "install.sh", release)
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        (release / "SHA256SUMS").write_text(f"{digest}  {wheel.name}\n")
        home.mkdir()
        session(home)
        before = tree(home)
        took = first_hit(release, None if index else wheels, home)
        [site] = home.glob(".local/lib/dejavu/venv/lib/python*/site-packages")
        sizes = weigh(site)
        run(home / ".local" / "bin" / "dejavu", "uninstall", home=home)
        run("sh", release / "install.sh", "--uninstall", home=home)
        for archive in (".local/share/dejavu", ".local/state/dejavu"):  # as the guide says
            shutil.rmtree(home / archive, ignore_errors=True)
        after = tree(home)
        folders = (".local", ".local/share", ".local/state")  # empty, which no one misses
        rest = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        rest = [path for path in rest if path not in folders]
        first, later, size = starts(wheel, base, home)
    where = "from the index" if index else "without a network"
    ours = {name: bytes_ for name, bytes_ in sizes.items() if name not in ("pip", "setuptools")}
    total = sum(ours.values())
    print(
        f"- From nothing to the first search hit, {where}: {took[0]:.1f} s ({took[1]:.1f} s of CPU)."
    )
    print(
        f"- Changed in the home after removal (installation, hooks, archive): {rest or 'nothing'}."
    )
    print(
        f"- One file: {size / _MEGABYTE:.1f} MB, first start {first:.1f} s, later {later * 1e3:.0f} ms."
    )
    print("\n| distribution | MB | share |\n|---|---|---|")
    for name, bytes_ in sorted(ours.items(), key=lambda one: -one[1]):
        print(f"| {name} | {bytes_ / _MEGABYTE:.1f} | {100 * bytes_ / total:.0f} % |")
    print(f"| all | {total / _MEGABYTE:.1f} | |")


if __name__ == "__main__":
    main()
