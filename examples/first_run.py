"""What `make run` does: wrap an agent, then show what was captured of it.

    python examples/first_run.py demo            the bundled agent, kept in a folder of its own
    python examples/first_run.py claude --help   any other agent, in your own archive

Without a terminal the demo gets one of its own, and what it is doing is told line by line.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
NAME = "first-run"


def dejavu(*arguments: str, env: dict[str, str], quiet: bool = False) -> int:
    out = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        [str(BIN / "dejavu"), *arguments], env=env, stdout=out, stderr=out
    ).returncode


def headless(agent: list[str], env: dict[str, str]) -> int:
    """Run the agent without a terminal, and follow its status meanwhile."""
    command = [str(BIN / "dejavu-run"), "--screen", "--headless", "--size", "100x30"]
    print(f"$ dejavu-run --screen --headless --size 100x30 {' '.join(agent)} &", flush=True)
    with subprocess.Popen(
        [*command, "--name", NAME, "--", *agent], env=env, stdout=subprocess.DEVNULL
    ) as run:
        while run.poll() is None and dejavu("status", NAME, env=env, quiet=True):
            time.sleep(0.2)
        print(f"$ dejavu status {NAME} --watch", flush=True)
        dejavu("status", NAME, "--watch", env=env)
        return run.wait()


def main() -> int:
    agent = sys.argv[1:] or ["demo"]
    env = dict(os.environ)
    env.pop("DEJAVU_SESSION", None)
    wrapped = [str(BIN / "dejavu-run"), "--", *agent]
    if agent[0] == "demo":
        wrapped.insert(1, "--screen")  # the demo agent writes no file: its screen is all there is
        if not any(name in env for name in ("DEJAVU_DATA_HOME", "DEJAVU_ARCHIVE")):
            home = Path(__file__).resolve().parent.parent / ".venv" / "demo"
            env["DEJAVU_DATA_HOME"] = str(home)
            env.setdefault("DEJAVU_STATE_HOME", str(home / "state"))
            print(f"(the demo keeps all it writes in {os.path.relpath(home)}, away from yours)")
    if agent[0] == "demo" and not (sys.stdin.isatty() and sys.stdout.isatty()):
        code = headless(agent, env)
    else:
        code = subprocess.run(wrapped, env=env).returncode
    for command in (["list", "--limit", "5"], ["show", "last"]):
        print(f"\n$ dejavu {' '.join(command)}", flush=True)
        code = dejavu(*command, env=env) or code
    return code


if __name__ == "__main__":
    sys.exit(main())
