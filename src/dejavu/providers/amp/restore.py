"""What Amp needs of a thread that it kept on this machine; newer versions keep it on their server.

Tested in: tests/providers/test_restorer.py
"""

from functools import partial
from typing import Any
from urllib.parse import quote, unquote

from ..formats.json_lines import as_dict, as_dicts, as_str
from ..restorer import Read, Restorer, StoredSession, with_document

_FILE = "file://"


class AmpRestorer(Restorer):
    """The thread's document."""

    place = r".*/(threads/T-[^/]+\.json)$"
    needs = "the thread's file, for versions that keep threads locally (to January 2026)"
    moves = True

    def content(self, below: str, read: Read, session: StoredSession) -> Read:  # noqa: ARG002 - one kind of file
        """As it was, except the folders that it began in."""
        return with_document(read, partial(_moved, session)) if session.folders else read


def _moved(session: StoredSession, thread: dict[str, Any]) -> dict[str, Any]:
    env = as_dict(thread.get("env"))
    initial = as_dict(env.get("initial"))
    trees = [
        {**tree, "uri": _uri(session, as_str(tree.get("uri")))}
        for tree in as_dicts(initial.get("trees"))
    ]
    return {**thread, "env": {**env, "initial": {**initial, "trees": trees}}} if trees else thread


def _uri(session: StoredSession, uri: str) -> str:
    was = unquote(uri.removeprefix(_FILE))
    here = session.here(was)
    return uri if here == was else _FILE + quote(here, safe="/:@!$&'()*+,;=~")


RESTORER = AmpRestorer()
