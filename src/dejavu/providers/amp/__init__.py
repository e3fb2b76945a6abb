"""Amp: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="amp",
    title="Amp",
    executables=("amp",),
    install="npm install -g @ampcode/cli",
    resume=("amp", "threads", "continue"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=("data:amp",),
    history=(
        "a document a thread, up to spring 2026; later threads are on Amp's server: `dejavu sync "
        '--ask amp`, or `ask = ["amp"]` under `[sync]` in `config.toml`'
    ),
    moved_by=(
        "AMP_DATA_DIR",
        "XDG_DATA_HOME",
    ),
    session_header="x-amp-thread-id",
    cli_export="cli_export:AmpExport",
    stream="stream:STREAM",
    integration="server",
    base_url_refusal=(
        "Amp's server holds the conversation itself; a proxy would not see a model's API"
    ),
    tested="0.0.1767830505",
)
