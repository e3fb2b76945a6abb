"""How long Qwen Code keeps its sessions: as Gemini CLI, in its own folder.

Tested in: tests/interfaces/doctor/test_retention.py
"""

from ..gemini.retention import session_retention
from ..protocol import Home


def retention_days(home: Home) -> float | None:
    """Days after which a session is deleted; None if they are kept."""
    return session_retention(home.folder("QWEN_HOME", ".qwen"))
