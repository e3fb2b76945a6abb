"""GitHub Copilot CLI: everything that is known of this agent but its screen."""

from ..agent import Agent, BaseUrl

AGENT = Agent(
    name="copilot",
    title="GitHub Copilot CLI",
    executables=("copilot", "github-copilot"),
    install="npm install -g @github/copilot",
    resume=("copilot", "--resume"),
    begin=("copilot", "-i"),
    files="files:PROVIDER",
    restorer="restore:RESTORER",
    marks=(".copilot",),
    history=("an event log a session"),
    moved_by=("COPILOT_HOME",),
    stream="stream:STREAM",
    hooks="hooks:HOOK",
    guard_form="modified_result",
    integration="integration:INTEGRATION",
    hook_answer="additional_context",
    # Without the variable it goes to GitHub, which no variable moves.
    base_urls=(BaseUrl("COPILOT_PROVIDER_BASE_URL", None),),
    tested="1.0.102",
)
