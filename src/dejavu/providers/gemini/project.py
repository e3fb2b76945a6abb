"""The project that a session of Gemini CLI belongs to, which the session knows by a hash or a name.

O(entries of `projects.json`), where the project's folder does not say it itself.

Tested in: tests/providers/gemini/test_files.py
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

from ..follow.append import read_plain
from ..formats.json_lines import as_dict, decode_lenient


def project_facts(path: Path) -> dict[str, Any]:
    """A session file's `workspace`, and `parent` where it is a sub-agent's; what is not known is left out."""
    chats = next((folder for folder in path.parents if folder.name == "chats"), path.parent)
    facts: dict[str, Any] = {} if chats == path.parent else {"parent": path.parent.name}
    try:
        return {**facts, "workspace": read_plain(chats.parent / ".project_root").decode().strip()}
    except (OSError, ValueError):
        pass
    try:
        projects = as_dict(decode_lenient(read_plain(chats.parents[2] / "projects.json")))
    except (OSError, IndexError):
        return facts
    for folder, name in as_dict(projects.get("projects") or projects).items():
        if chats.parent.name in (name, sha256(folder.encode()).hexdigest()):
            facts["workspace"] = folder
    return facts
