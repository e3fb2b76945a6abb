"""What `star`, `tag` and `rename` print: the ids that changed, or conversations as JSON.

Tested in: tests/interfaces/cli/test_rename.py
"""

from collections.abc import Sequence

from dejavu.model import Conversation, conversation_to_dict

from .output import one_line, print_json


def print_marked(
    summaries: Sequence[Conversation], changed: Sequence[str], *, as_json: bool
) -> None:
    """Print what changed on stdout; with `as_json` all of it, changed or not."""
    if as_json:
        rows = [conversation_to_dict(one) for one in summaries]
        print_json({"conversations": rows, "changed": list(changed)})
        return
    for name in changed:
        print(one_line(name))


def with_marks(summary: Conversation) -> str:
    """The title as a list shows it: a star before it, the tags after it."""
    star = "★ " if summary.starred else ""
    tags = "".join(f" #{tag}" for tag in summary.tags)
    return f"{star}{summary.title or '(no title)'}{tags}"
