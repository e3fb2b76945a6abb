"""Recall and false hits on texts that somebody else labelled.

    python -m benchmarks.redact.labelled FILE [-v]

FILE has a JSON object a line: `text`, and `secret`, the part of it that is one (null: there is none).
Such sets are not part of this repository: their licences and their keys are others'. A secret is caught
where no ten of its characters in a row are left (of a shorter one, not the whole). Prints JSON.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from benchmarks.redact.redactor import REDACTOR

PIECE = 10


def is_caught(text: str, secret: str) -> bool:
    """Whether redaction leaves no piece of the secret."""
    clean = REDACTOR.redact(text)
    size = min(PIECE, len(secret))
    return not any(secret[at : at + size] in clean for at in range(len(secret) - size + 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-v", action="store_true", help="print what was missed or hit wrongly")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with options.file.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            record = json.loads(line)
            text, secret = record["text"], record.get("secret")
            if secret:
                wrong = not is_caught(text, secret)
                counts["secrets"] += 1
                counts["caught"] += not wrong
            else:
                wrong = REDACTOR.redact(text) != text
                counts["without"] += 1
                counts["false hits"] += wrong
            if wrong and options.v:
                print(json.dumps(record, ensure_ascii=False))
    print(json.dumps(counts, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
