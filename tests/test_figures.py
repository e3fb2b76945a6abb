"""The figures of README and docs are those of the last recorded run."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
PROGRAMS = ("__init__.py", "all.py", "figures.py", "write_figures.py")
TEXTS = ("readme_figures.md", "figures.md", "performance.md", "recorded.json")


def write(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.write_figures", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the command reads and writes, in a folder of its own."""
    for name in ("benchmarks", "docs"):
        (tmp_path / name).mkdir()
    for name in (
        *(f"benchmarks/{n}" for n in PROGRAMS + TEXTS),
        "README.md",
        "docs/figures.md",
        "docs/performance.md",
    ):
        shutil.copy(REPO / name, tmp_path / name)
    return tmp_path


def test_the_documents_say_what_was_recorded() -> None:
    done = write(REPO, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_figure_that_was_written_by_hand_is_found_and_written_anew(copy: Path) -> None:
    for path in (copy / "docs" / "figures.md", copy / "docs" / "performance.md"):
        before = path.read_text("utf-8")
        path.write_text(before.replace(" MB |", " kB |", 1), "utf-8")
        assert write(copy, "--check").returncode == 1
        assert write(copy).returncode == 0
        assert path.read_text("utf-8") == before


def test_another_record_gives_another_readme_and_changes_nothing_else(copy: Path) -> None:
    recorded, readme = copy / "benchmarks" / "recorded.json", copy / "README.md"
    before = readme.read_text("utf-8")
    record = json.loads(recorded.read_text("utf-8"))
    record["figures"]["redact_recall"] = 0.123456
    recorded.write_text(json.dumps(record), "utf-8")
    write(copy)
    after = readme.read_text("utf-8")
    assert "| 12.3 % |" in after
    assert "recall 0.123 on" in (copy / "docs" / "figures.md").read_text("utf-8")
    assert before.partition("## Figures")[0] == after.partition("## Figures")[0]
    assert before.partition("## More")[2] == after.partition("## More")[2]


def test_every_program_that_is_recorded_says_how_and_when_it_ran() -> None:
    record = json.loads((REPO / "benchmarks" / "recorded.json").read_text("utf-8"))
    for name, run in record["programs"].items():
        assert set(run) == {"at", "command", "commit", "load", "seconds"}, name
    for name, figure in record["earlier"].items():
        assert set(figure) == {"at", "command", "value"}, name


def test_every_benchmark_is_named_by_something_else() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=REPO, capture_output=True, text=True)
    names = [n for n in listed.stdout.splitlines() if n.endswith((".py", ".md", "Makefile"))]
    texts = {Path(name): (REPO / name).read_text("utf-8") for name in names if "golden" not in name}
    folders = {path: text for path, text in texts.items() if path.match("benchmarks/*/*.py")}
    programs = [path for path, text in folders.items() if '__name__ == "__main__"' in text]
    assert len(programs) > 50
    unnamed: list[str] = []
    for program in programs:
        folder, name = program.parent, program.stem
        words = re.compile(rf"\b{name}\b")
        near = (text for path, text in texts.items() if path.parent == folder and path != program)
        far = (text for path, text in texts.items() if path.parent != folder)
        ways = (f"{folder.name}.{name}", f"{folder.name}/{name}", f"{folder.name} import {name}")
        if not (any(map(words.search, near)) or any(way in text for text in far for way in ways)):
            unnamed.append(str(program))
    assert unnamed == [], "name it in benchmarks/figures.py or a document, or remove it"
