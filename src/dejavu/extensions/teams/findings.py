"""What `dejavu doctor` checks of a team's archive.

Tested in: tests/extensions/teams/test_archiving_finding.py
"""

from .archiving_finding import archiving
from .server_finding import server

CHECKS = (server, archiving)
