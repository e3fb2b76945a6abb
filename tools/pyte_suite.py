"""Run pyte's own test suite against `dejavu.screen.pyte`. Prints JSON; exit 1 below 97 %.

    pip download --no-binary :all: --no-deps 'pyte==0.8.2'
    python tools/pyte_suite.py pyte-0.8.2.tar.gz

The suite is read from the source package given, in a temporary folder, and finds our modules where
it imports pyte's. A case marked xfail there counts as passed, as it does for pyte.
"""

import json
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from dejavu.screen import pyte as face

BAR = 0.97


class Outcomes:
    """A pytest plugin that notes how each case ended."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one case."""
        name = report.nodeid.rpartition("/")[2]
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failed[name] = crash.message.splitlines()[0] if crash else "error"
        elif report.when == "call":
            self.passed.append(name)


def substitute() -> None:
    """Make `import pyte` and `from pyte.screens import ...` find the face."""
    sys.modules["pyte"] = face
    for name in ("charsets", "control", "escape", "graphics", "modes", "screens", "streams"):
        sys.modules[f"pyte.{name}"] = getattr(face, name)


def run(package: Path) -> Outcomes:
    """The outcome of every case of the suite in a source package of pyte."""
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(package) as archive:
            archive.extractall(folder, filter="data")
        (tests,) = Path(folder).glob("pyte-*/tests")
        (Path(folder) / "pytest.ini").write_text("[pytest]\n")
        options = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider"]
        substitute()
        pytest.main(
            [
                *options,
                "-W",
                "ignore",
                f"--rootdir={folder}",
                "-c",
                f"{folder}/pytest.ini",
                str(tests),
            ],
            plugins=[outcomes],
        )
    return outcomes


def main() -> None:
    """Run the suite of the package named on the command line."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    outcomes = run(Path(sys.argv[1]))
    total = len(outcomes.passed) + len(outcomes.failed)
    share = len(outcomes.passed) / total if total else 0.0
    report = {
        "passed": len(outcomes.passed),
        "of": total,
        "share": round(share, 4),
        "failed": outcomes.failed,
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    raise SystemExit(0 if share >= BAR else 1)


if __name__ == "__main__":
    main()
