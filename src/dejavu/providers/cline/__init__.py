"""Cline: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="cline",
    title="Cline",
    executables=("cline",),
    install="npm install -g cline",
    resume=("cline", "--id"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".cline", "vscode:globalStorage/saoudrizwan.claude-dev"),
    history=(
        "a document a session and sub-agent, and the tasks of older versions, in editors' storage"
        " too"
    ),
    moved_by=(
        "CLINE_DIR",
        "CLINE_DATA_DIR",
        "CLINE_SESSION_DATA_DIR",
    ),
    tested="3.0.65",
    integration="server",
)
