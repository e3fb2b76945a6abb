"""What optional products add to the program, found without naming a product.

Each folder of `dejavu.extensions` may hold *parts*: modules named after what they add. The core asks
for the parts of one kind; it never imports an extension by name.

| part | what it holds | who asks |
|---|---|---|
| `commands` | `COMMANDS`, `EXAMPLES`, `GROUPS`, `OLD_NAMES`: its commands, as data | the command line |
| `derived` | `NAME`, `CATCHES_UP`, `existing(archive)`: an index made from the archive | `doctor` |
| `export_formats` | `WRITERS`: formats of `dejavu export` that ask the archive | export, page |
| `findings` | `CHECKS`: checks of `doctor` | doctor |
| `moments` | `moment_document(archive, conversation, at)`: files and turns at a moment | page |
| `show_commit` | `print_commit(revision, as_json=)`: `show --commit` | show |
| `store` | `open_server(url, create=)`: the store behind a URL | archive |
| `tap_program` | `parse(words)`, `main(line)`: `dejavu acp --tap`, before typer is loaded | `dejavu` |
| `traces` | `erase(conversations)`: takes out what it keeps of deleted conversations | deletion |
| `tool_answers` | `assist(archive, agent, payload, redact)`: answers a tool's hook | hooks, daemon |

Costs one listing of a folder, then the import of each part. A part imports what is heavy when it is
called. Must not hold anything about a single extension.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parent.parent / "extensions"


def parts(kind: str) -> Iterator[ModuleType]:
    """The modules `dejavu.extensions.*.KIND`, by the name of their extension."""
    for path in sorted(FOLDER.glob(f"*/{kind}.py")):
        yield import_module(f"dejavu.extensions.{path.parent.name}.{kind}")
