"""The statement about a release: every file by its hash, and the commit it was built from."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]


def test_every_file_is_named_with_its_hash_and_the_commit(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / "install.sh").write_bytes(b"#!/bin/sh")
    (tmp_path / "folder").mkdir()
    script = REPO / "packaging" / "attestation.py"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, check=True)
    said = json.loads(done.stdout)
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    assert said["predicateType"] == "https://slsa.dev/provenance/v1"
    assert {one["name"]: one["digest"]["sha256"] for one in said["subject"]} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tmp_path.iterdir()
        if path.is_file()
    }
    definition = said["predicate"]["buildDefinition"]
    assert {"buildType", "externalParameters", "resolvedDependencies"} <= set(definition)
    [source] = definition["resolvedDependencies"]
    head = subprocess.run(
        ["git", "-C", REPO, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    assert source["digest"]["gitCommit"] == head.stdout.strip()
    assert said["predicate"]["runDetails"]["builder"]["id"]
