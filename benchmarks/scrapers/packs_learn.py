"""Whether `dejavu packs learn` mends a stale pack on sessions that it has not learnt from.

    python -m benchmarks.scrapers.packs_learn [--change signs|words|both] [--agent AGENT] [--show]

The built-in packs are made stale (see `stale_packs`): their signs, their words, or both stand on
no screen any more. Of each agent with two recordings or more that have a native trace, every
recording is held out in turn: rules are learnt from the others, and the whole held-out session is
then replayed by the stale pack, the mended one and today's, and scored by the self-check against the
agent's own files. The rules are learnt from labelled screens, as an observer keeps them.
"""

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.scrapers.self_check import Session, check, labelled, sessions
from benchmarks.scrapers.stale_packs import stale
from benchmarks.scrapers.turns import RECORDINGS

from dejavu.scrapers import default_packs, load_packs
from dejavu.scrapers.learn import propose
from dejavu.scrapers.packs import built_in_texts
from dejavu.scrapers.self_check import Agreement


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--change", choices=("signs", "words", "both"), default="signs")
    options.add_argument("--agent")
    options.add_argument("--show", action="store_true", help="print what was learnt")
    options.add_argument("folder", nargs="?", type=Path, default=RECORDINGS)
    given = options.parse_args()
    by_agent: dict[str, list[Session]] = defaultdict(list)
    for session in sessions(given.folder):
        by_agent[session.agent].append(session)
    texts = stale(given.change)
    files = {pack: file for file, pack in ((f, f.removesuffix(".toml")) for f in built_in_texts())}
    totals = {name: Agreement() for name in ("stale", "learnt", "today")}
    print(f"{'held out':30} {'from':>4}  {'stale':>13}  {'learnt':>13}  {'today':>13} {'cpu s':>6}")
    for agent, members in by_agent.items():
        if len(members) < 2 or given.agent not in (None, agent):
            continue
        file = files[agent]
        stale_packs = load_packs({file: texts[file]})
        screens = {member.name: labelled(member, stale_packs) for member in members}
        for held in members:
            began = time.process_time()
            others = [screens[member.name] for member in members if member is not held]
            proposal = propose(texts[file], others)
            spent = time.process_time() - began
            row = {
                "stale": check(held, stale_packs),
                "learnt": check(held, load_packs({file: proposal.text})),
                "today": check(held, default_packs()),
            }
            shown: list[str] = []
            for name, agreement in row.items():
                totals[name].add(agreement)
                shown.append(f"{agreement.of_text or 0:6.3f} {agreement.of_states or 0:6.3f}")
            print(f"{held.name:30} {len(others):4}  {'  '.join(shown)} {spent:6.1f}", flush=True)
            if given.show:
                print(proposal.to_toml())
    print(f"{'all':36}  " + "  ".join(
        f"{agreement.of_text or 0:6.3f} {agreement.of_states or 0:6.3f}"
        for agreement in totals.values()
    ))  # fmt: skip
    print("text and states by the self-check, against the agents' own files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
