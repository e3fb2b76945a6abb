"""Try an upgrade of a person's archive (`release.py`) and of a team's, migrated by this program.

For the team's, the older program writes an archive with rights, a private workspace and a hold on a new
server, and reads it as every member. This program reads and writes it before the upgrade, where it can.
Then the keeper upgrades it, and the older program reads and writes it, where the new schema lets it.
Prints one JSON document for each archive; ends with 1 where what list, show, search or recall give has
changed unintended.

    python -m tests.drills.upgrade [COMMIT]          # b463225c: the program 1.0.0, schema 5
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.drills import release
from tests.drills.release import OLD, ROOT, unpacked
from tests.postgres import Missing, Server

_WRITE = """
import sys
from dejavu.archive import Archive, Batch, RawDelta
from dejavu.model import Conversation, Role, Text, Turn

try:
    from dejavu.extensions.teams.postgres_retention import hold_statement
    from dejavu.extensions.teams.postgres_team import Team
except ImportError:  # the program 1.0.0
    from dejavu.archive.backends.postgres_retention import hold_statement
    from dejavu.archive.backends.postgres_team import Team

url = sys.argv[1]
with Archive.open(url) as archive:
    for n in range(40):
        turns = tuple(
            Turn(role=Role.USER, parts=(Text(f"walrus {n} {seq} ice"),), at=1.7e9 + n * 3e5 + seq)
            for seq in range(n + 2)
        )
        place = "/secret" if n % 10 == 3 else f"/srv/w{n % 7}"
        made = Conversation(
            id=f"c{n:02}", agent="x", native_id=f"n{n}", workspace=place, instance="bob@box"
        ).with_turns(turns)
        archive.put(made)
        archive.commit(Batch({f"s{n}": [RawDelta(0, b"raw" * n)]}, (), {}, {}, {f"s{n}": [made.id]}))
team = Team(url)
team.init()
for rank in ("reader", "writer", "curator", "owner"):
    team.invite(f"old_{rank}", rank, None, f"{rank}@box")
team.set_private("/secret", hidden=True)
team.apply(hold_statement("c01", None, "a case"))
team.close()
"""
_READ = """
import json, sys
from dejavu.archive import Archive

url, found = sys.argv[1], {}
for login in ("keeper", "old_reader", "old_writer", "old_curator", "old_owner"):
    with Archive.open(url.replace("//keeper@", f"//{login}@"), create=False) as archive:
        listed = list(archive.scan())
        found[login] = {
            "list": [[one.id, one.workspace, one.instance, one.title, one.turn_count] for one in listed],
            "show": [
                [one.id, [[turn.seq, turn.role, turn.at, turn.text] for turn in archive.get(one.id).turns]]
                for one in listed
            ],
            "search": [
                sorted((hit.conversation, hit.seq) for hit in archive.search(query, exact=exact, limit=1_000))
                for query, exact in (("walrus", False), ('"12 3"', False), ("12 3 ice", True), ("zebra", False))
            ],
        }
print(json.dumps(found))
"""
_OPEN = """
import sys
from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import upgrade

upgrade(sys.argv[1], dry_run=False)
with Archive.open(sys.argv[1]) as archive:
    print(archive.backend.place.reached, len(getattr(archive, "maintenance", archive).verify().faults))
"""


_ADD = """
import sys
from dejavu.archive import Archive
from dejavu.model import Conversation, DejavuError, Role, Text, Turn

turn = Turn(role=Role.USER, parts=(Text("walrus"),), at=1.7e9)
url = sys.argv[1].replace("//keeper@", "//old_curator@")
try:
    with Archive.open(url, create=False) as archive:
        added = Conversation(
            id="added", agent="x", native_id="a", workspace="/srv/added", instance="curator@box"
        )
        archive.put(added.with_turns((turn,)))
        getattr(archive, "maintenance", archive).prune(workspace="/srv/added")
        print("writes")
except DejavuError as refused:
    print("refused:", refused)
"""


def run(tree: Path, data: Path, program: str, url: str) -> str:
    """What a program prints with the package of `tree`; `data` is a throw-away home."""
    home = data / ("old" if tree != ROOT else "new")
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(tree / "src"),
        "XDG_DATA_HOME": str(home), "XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home),
    }  # fmt: skip
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", program, url], env=env, cwd=data, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"the program of {tree.name} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def tried(server: Server, commit: str, data: Path) -> dict[str, Any]:
    """The figures of one upgrade."""
    old = unpacked(commit, data)
    url = server.url(schema=server.new_schema())
    run(old, data, _WRITE, url)
    before = json.loads(run(old, data, _READ, url))
    between = json.loads(run(ROOT, data, _READ, url))
    wrote_before = run(ROOT, data, _ADD, url).strip()
    reached, faults = run(ROOT, data, _OPEN, url).split()
    after = json.loads(run(ROOT, data, _READ, url))
    wrote_after = run(old, data, _ADD, url).strip()
    others = {"this program before": between, "after": after}
    if wrote_after == "writes":
        others["older program after"] = json.loads(run(old, data, _READ, url))
    return {
        "from": commit, "this program before": wrote_before, "older program after": wrote_after,
        "schema": int(reached), "faults": int(faults),
        "conversations": {login: len(one["list"]) for login, one in after.items()},
        "hits": {login: [len(hits) for hits in one["search"]] for login, one in after.items()},
        "differ": [
            f"{name}: {login} {what}" for name, one_read in others.items()
            for login, one in before.items() for what in one if one[what] != one_read[login][what]
        ],
    }  # fmt: skip


def main() -> int:
    """Print the figures of both; 1 where an answer changed unintended."""
    commit = sys.argv[1] if len(sys.argv) > 1 else OLD
    with tempfile.TemporaryDirectory(prefix="dejavu-release-") as data:
        own = release.tried(commit, Path(data))
    sys.stdout.write(json.dumps(own, ensure_ascii=False) + "\n")
    failed = release.is_failed(own)
    try:
        server = Server()
    except Missing as why:
        sys.stdout.write(json.dumps({"left out": str(why)}) + "\n")
        return int(failed)
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-upgrade-") as data:
            figures = tried(server, commit, Path(data))
    finally:
        server.stop()
    sys.stdout.write(json.dumps(figures) + "\n")
    return int(bool(failed or figures["differ"] or figures["faults"]))


if __name__ == "__main__":
    sys.exit(main())
