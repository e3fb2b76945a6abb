"""The file through which `serve --open` hands its one-time code to a browser.

Other users see a program's arguments, so a browser is given the path of a page that only its owner can
read. The page leads to the server, with the code behind the #. It is removed when its code has been
used or has run out.

Tested in: tests/extensions/web/test_server.py
"""

import os
import sys
import webbrowser
from html import escape
from threading import Thread, Timer

from dejavu.config.paths import private_folder, state_home

_PAGE = """<!doctype html><meta charset="utf-8"><title>Déjà Vu</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">Open Déjà Vu</a></p>
"""


class DoorFile:
    """One page that leads to `address`, shown in this user's browser by `show`."""

    def __init__(self, port: int, address: str) -> None:
        """Write it. Raises OSError."""
        folder = private_folder(state_home() / "open")
        folder.chmod(0o700)
        self.path = folder / f"{port}.html"
        self.path.unlink(missing_ok=True)  # of a server that was killed on this port
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as page:
            page.write(_PAGE.format(address=escape(address)))
        self._timer = Timer(0, self.remove)

    def show(self, seconds: float) -> None:
        """Open it next to the server, and remove it after `seconds` at the latest."""

        def run() -> None:
            if not webbrowser.open(self.path.as_uri()):
                sentence = "no browser could be opened here; open the address above in one"
                print(sentence, file=sys.stderr, flush=True)

        self._timer = Timer(seconds, self.remove)
        for thread in (self._timer, Thread(target=run)):
            thread.daemon = True
            thread.start()

    def remove(self) -> None:
        """Remove it now."""
        self._timer.cancel()
        self.path.unlink(missing_ok=True)
