"""What `dejavu doctor` checks of a team's archive."""

from .archiving_finding import archiving
from .server_finding import server

CHECKS = (server, archiving)
