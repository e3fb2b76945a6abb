"""What looking for sessions costs in a home where every agent left an empty store.

    .venv/bin/python benchmarks/empty_stores.py [RUNS]

Makes such a home, and prints CPU milliseconds (user and system) of fresh processes, each the best of RUNS
(default 5). `whole` is what `dejavu sync` spends on it: the list of agents, and the providers of those
that may have left something. Beside it, what all providers would cost: loading them, one look through
their stores, a second one; and `find_homes`.
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
from dejavu.providers.registry import providers_in
clock = time.process_time
home = Home(Path(sys.argv[1]), {})
began = clock()
looked_into = [provider.agent for provider in providers_in(home) for _ in provider.discover(home)]
whole = clock() - began
loading = clock()
providers = list(PROVIDERS.values())
loaded = clock()
found = [source for provider in providers for source in provider.discover(home)]
looked = clock()
again = [source for provider in providers for source in provider.discover(home)]
warm = clock()
from dejavu.ingest.find_homes import find_homes
homes_began = clock()
homes = list(find_homes(Path(sys.argv[1])))
ended = clock()
assert not looked_into and not found and not again and not homes, (looked_into, found, homes)
print(json.dumps({"whole": whole, "loading all": loaded - loading, "first look": looked - loaded,
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
