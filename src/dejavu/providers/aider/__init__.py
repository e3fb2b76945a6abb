"""Aider: everything that is known of this agent but its screen."""

from ..agent import Agent, BaseUrl

AGENT = Agent(
    name="aider",
    title="Aider",
    executables=("aider",),
    install="pipx install aider-chat",
    files="files:PROVIDER",
    history=(
        "one markdown file a project, three folders deep below the home; `sync --homes` looks for it "
        "only in homes where another agent left something"
    ),
    moved_by=("AIDER_CHAT_HISTORY_FILE",),
    base_urls=(
        BaseUrl("OPENAI_API_BASE", "https://api.openai.com/v1"),
        BaseUrl("ANTHROPIC_API_BASE", "https://api.anthropic.com"),
    ),
    tested="0.86.2",
)
