"""The schema of `--json` has what `dejavu.model.documents` says, and no other form of it."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
TOOL = REPO / "tools" / "json_schema.py"


def test_the_schema_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], timeout=60)
    assert done.returncode == 0, "run `make docs`"


def test_a_changed_definition_is_written_anew() -> None:
    tool = runpy.run_path(str(TOOL))
    text = (REPO / "docs" / "dejavu.schema.json").read_text("utf-8")
    of_a_hit = text.index('  "hit": {')
    field = '"excerpt": {"type": "string"}'
    changed = text[:of_a_hit] + text[of_a_hit:].replace(field, field.replace("str", "int"), 1)
    assert changed != text
    assert tool["rewritten"](changed) == text
    with pytest.raises(SystemExit, match="no place for 'hit'"):
        tool["rewritten"](text.replace('  "hit": {', '  "hits": {'))
