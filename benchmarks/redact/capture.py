"""Secrets that an agent wraps on its screen: how many leave a piece in what would be archived.

    python -m benchmarks.redact.capture [--seed N] [--per 2] [--held-out] [-v]

Each secret is shown in the tool output, the answer and the prompt of a session that is drawn as an
agent draws it (`chromes.py`), at several widths, broken hard at the width, at words, at signs,
over blank rows, in a diff, a listing, a table or a box. The bytes go through grid, scrapers and the
redaction of the capture path, as in the observer. A secret leaks where ten of its characters in a
row stand in the turns; "not read": sessions of which a part did not become a turn. Vendors are split
by a hash of their name (`formats.held_out`). Bytes on disk: `tests/drills/screen_secrets.py`.
"""

import argparse
import json
import random
import re
from collections import Counter

from benchmarks.redact.chromes import CHROMES, WRAPS, Chrome, screen
from benchmarks.redact.formats import held_out
from benchmarks.redact.redactor import REDACTOR, samples, unbroken

from dejavu.model import turn_to_dict
from dejavu.redact import Redactor
from dejavu.redact.conversation import redact_turn
from dejavu.scrapers.session import SessionReader

WIDTHS = (20, 26, 33, 40, 48, 57, 80, 101, 120, 160, 200)
LINES = 200
PIECE = 10
"""Characters in a row of a secret that may not be found."""
BENIGN = "plain"
PLACES = ("prompt", "output", "answer")


def kept(chrome: Chrome, data: bytes, width: int, redactor: Redactor | None = REDACTOR) -> str:
    """What the archive would get of a session, as text; without `redactor` what would leak."""
    reader = SessionReader(chrome.agent, width, LINES, mask=redactor)
    reader.output(data, 1.0)
    reader.exit(0, 30.0)
    redact = redactor.redact if redactor is not None else str
    turns = [redact_turn(turn, redact) for turn in reader.turns]
    return json.dumps([turn_to_dict(turn) for turn in turns], ensure_ascii=False)


def pieces(secret: str, text: str) -> bool:
    """Whether ten characters in a row of a secret stand in a text."""
    flat = secret.replace("\n", "")
    return any(flat[i : i + PIECE] in text for i in range(len(flat) - PIECE + 1))


def main() -> None:
    """Print the table of leaks by chrome, place and wrap as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per", type=int, default=1, help="draws of each format")
    parser.add_argument("--chromes", type=int, default=2, help="agents for each secret drawn")
    parser.add_argument("--held-out", action="store_true", help="the part no rule is tuned on")
    parser.add_argument("--control", action="store_true", help="count the same without redaction")
    parser.add_argument("-v", action="store_true", help="name what leaks")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    drawn = [
        sample
        for sample in samples(rng, options.per)
        if held_out(sample[0]) is options.held_out and unbroken(sample)
    ]
    tried, leaked, unread = Counter[str](), Counter[str](), Counter[str]()
    names = Counter[str]()
    bare = eaten = 0
    for vendor, text, start, end in drawn:
        secret = text[start:end]
        for chrome in rng.sample(CHROMES, options.chromes):
            width, wrap = rng.choice(WIDTHS), rng.choice(list(WRAPS))
            for place in PLACES:
                lead = "x" * rng.randrange(width)
                shown = dict.fromkeys(PLACES, BENIGN)
                shown[place] = f"{BENIGN}\n{lead} {text}\nand after"
                data = screen(chrome, WRAPS[wrap], width, **shown)
                archived = kept(chrome, data, width)
                bare += options.control and pieces(secret, kept(chrome, data, width, None))
                for key in (chrome.agent, place, wrap, f"{width} columns"):
                    tried[key] += 1
                    leaked[key] += (leaks := pieces(secret, archived))
                if leaks:
                    names[
                        f"{vendor}: {chrome.agent} {place} {wrap} {width} {len(lead)} {secret}"
                    ] += 1
                wanted = len(PLACES) - (not chrome.keeps_output)
                unread[f"{chrome.agent} {width} {wrap}"] += archived.count(BENIGN) < wanted
                if place == "answer" and wrap != "table":
                    eaten += "andafter" not in re.sub(r"\\n|[^a-z]", "", archived)
    total = sum(tried[place] for place in PLACES)
    report = {
        "secrets": len(drawn), "tried": total, "leaked": sum(leaked[place] for place in PLACES),
        "not read": unread.total(), "words behind eaten": eaten,
        "leaked by": {key: f"{leaked[key]}/{tried[key]}" for key in sorted(tried) if leaked[key]},
        "agents": sum(chrome.agent in tried for chrome in CHROMES),
    }  # fmt: skip
    if options.control:
        report["leaked without redaction"] = bare
    if options.v:
        report["leaks"] = list(names)
        report["unread"] = {key: count for key, count in unread.items() if count}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
