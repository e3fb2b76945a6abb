"""What looking for sessions costs in a home where every agent left an empty store.

    .venv/bin/python benchmarks/empty_stores.py [RUNS]

Makes such a home, and prints CPU milliseconds (user and system) of fresh processes: of loading the
list of agents and their providers, of one look through all stores, and of `find_homes`, each the best
of RUNS (default 5). The first line is the whole: from the list to the end of the first look.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

_WORK = """
import json, sys, time
from pathlib import Path
from dejavu.providers import PROVIDERS, Home
clock = time.process_time
began = clock()
providers = list(PROVIDERS.values())
loaded = clock()
home = Home(Path(sys.argv[1]), {})
found = [source for provider in providers for source in provider.discover(home)]
looked = clock()
again = [source for provider in providers for source in provider.discover(home)]
warm = clock()
from dejavu.ingest.find_homes import find_homes
homes_began = clock()
homes = list(find_homes(Path(sys.argv[1])))
ended = clock()
assert not found and not again and not homes, (found, homes)
print(json.dumps({"whole": looked - began, "loading": loaded - began, "first look": looked - loaded,
                  "second look": warm - looked, "find_homes": ended - homes_began,
                  "providers": len(providers)}))
"""


def _empty_home(folder: Path) -> int:
    """Every folder that a provider looks into, empty; how many there are."""
    from dejavu.providers import PROVIDERS, Home

    for _ in range(2):  # an editor's folders count once they are there
        roots = {
            root for provider in PROVIDERS.values() for root in provider.roots(Home(folder, {}))
        }
        for root in roots:
            root.mkdir(parents=True, exist_ok=True)
    return len(roots)


def main(runs: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folders = _empty_home(Path(name))
        results = [
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", _WORK, name], capture_output=True, text=True, check=True
                ).stdout
            )
            for _ in range(runs)
        ]
    print(
        f"{results[0].pop('providers')} providers, {folders} empty folders; CPU ms, best of {runs}"
    )
    for key in results[0]:
        if key != "providers":
            print(f"{key:12} {min(one[key] for one in results) * 1000:6.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
