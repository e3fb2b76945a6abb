"""What `make run` does: wrap an agent, then show what was captured of it.

    python examples/first_run.py demo            the bundled agent, kept in a folder of its own
    python examples/first_run.py claude --help   any other agent, in your own archive
"""

import os
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def main() -> int:
    agent, *arguments = sys.argv[1:] or ["demo"]
    environment = dict(os.environ)
    options: list[str] = []
    if agent == "demo":
        options.append("--screen")  # the demo agent writes no file: its screen is all there is
        if not any(name in environment for name in ("DEJAVU_DATA_HOME", "DEJAVU_ARCHIVE")):
            home = Path(__file__).resolve().parent.parent / ".venv" / "demo"
            environment["DEJAVU_DATA_HOME"] = str(home)
            print(f"(the demo keeps its archive in {os.path.relpath(home)}, away from yours)")
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            options += ["--headless", "--size", "100x30"]
    environment.pop("DEJAVU_SESSION", None)
    code = subprocess.run(
        [str(BIN / "dejavu-run"), *options, "--", agent, *arguments], env=environment
    ).returncode
    for command in (["list", "--limit", "5"], ["show", "last"]):
        print(f"\n$ dejavu {' '.join(command)}", flush=True)
        code = subprocess.run([str(BIN / "dejavu"), *command], env=environment).returncode or code
    return code


if __name__ == "__main__":
    sys.exit(main())
