"""Write a CycloneDX 1.6 list of what is installed with dejavu, and its licences, from an environment.

    python packaging/sbom.py [--licences] < <(pip --python VENV/bin/python inspect)

`pip inspect` is read on stdin. Nothing is looked up anywhere: a licence is what the package itself
says, and `NOASSERTION` where it says none.
"""

import json
import re
import sys
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

_FIRST = "dejavu-capture"


def licence(metadata: dict[str, Any]) -> str:
    """What a package says its licence is: an SPDX expression, else its classifiers, else its text."""
    if expression := metadata.get("license_expression"):
        return str(expression)
    prefix = "License :: "
    named = [
        one.rpartition(" :: ")[2]
        for one in metadata.get("classifier", [])
        if one.startswith(prefix) and one != "License :: OSI Approved"
    ]
    text = str(metadata.get("license") or "").strip()
    return " AND ".join(named) or (text if 0 < len(text) < 60 else "NOASSERTION")


def _expression(entry: dict[str, Any]) -> dict[str, str]:
    """The SPDX expression of PEP 639, which older versions of pip leave out of `inspect`."""
    path = Path(entry.get("metadata_location", "")) / "METADATA"
    if not path.is_file():
        return {}
    expression = HeaderParser().parsestr(path.read_text("utf-8"))["License-Expression"]
    return {"license_expression": expression} if expression else {}


def components(inspected: dict[str, Any]) -> list[dict[str, str]]:
    """Name, version, licence and normalised name of each package, in the order of names."""
    rows = [
        {
            "name": entry["metadata"]["name"],
            "version": entry["metadata"]["version"],
            "licence": licence(entry["metadata"] | _expression(entry)),
            "key": re.sub(r"[-_.]+", "-", entry["metadata"]["name"]).lower(),
        }
        for entry in inspected["installed"]
    ]
    return sorted((row for row in rows if row["key"] not in {"pip", "setuptools"}), key=_key)


def _key(row: dict[str, str]) -> str:
    return row["key"]


def document(rows: list[dict[str, str]]) -> dict[str, Any]:
    """The CycloneDX document; the same rows make the same bytes."""
    packages = [
        {
            "type": "application" if row["key"] == _FIRST else "library",
            "bom-ref": f"pkg:pypi/{row['key']}@{row['version']}",
            "name": row["name"],
            "version": row["version"],
            "purl": f"pkg:pypi/{row['key']}@{row['version']}",
            "licenses": [{"license": {"name": row["licence"]}}],
        }
        for row in rows
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": next(p for p in packages if p["type"] == "application")},
        "components": [p for p in packages if p["type"] == "library"],
    }


def main() -> None:
    """Print the document, or with --licences a table."""
    rows = components(json.load(sys.stdin))
    if "--licences" in sys.argv[1:]:
        print("| package | version | licence |\n|---|---|---|")
        for row in rows:
            print(f"| {row['name']} | {row['version']} | {row['licence']} |")
    else:
        print(json.dumps(document(rows), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
