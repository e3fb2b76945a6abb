"""Write down what a release's files are made of: python packaging/attestation.py FOLDER.

Prints an in-toto statement (v1) with SLSA provenance (v1): each file with its SHA-256, and the commit it was
built from. It is not signed: sign it with your own key, or let a hosted build attest itself.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[1]
SOURCE = "https://github.com/dejavu-capture/dejavu"


def git(*words: str) -> str:
    """What git says of this checkout; empty outside one."""
    done = subprocess.run(["git", "-C", REPO, *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def statement(folder: Path) -> dict[str, object]:
    """The statement about every file of a folder."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    subjects = [
        {"name": path.name, "digest": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}}
        for path in files
    ]
    source = {"uri": f"git+{SOURCE}", "digest": {"gitCommit": git("rev-parse", "HEAD")}}
    definition = {
        "buildType": f"{SOURCE}/blob/main/packaging/release.sh",
        "externalParameters": {"changed": bool(git("status", "--porcelain"))},
        "resolvedDependencies": [source],
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": definition,
            "runDetails": {"builder": {"id": f"{SOURCE}/blob/main/Makefile"}},
        },
    }


if __name__ == "__main__":
    print(json.dumps(statement(Path(sys.argv[1])), indent=2))
