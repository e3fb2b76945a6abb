"""What Amp needs of a thread that it kept on this machine; newer versions keep it on their server.

Tested in: tests/providers/test_restorer.py
"""

from ..restorer import Restorer


class AmpRestorer(Restorer):
    """The thread's document."""

    place = r".*/(threads/T-[^/]+\.json)$"
    needs = "the thread's file, for versions that keep threads locally (to January 2026)"


RESTORER = AmpRestorer()
