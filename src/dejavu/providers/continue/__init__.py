"""Continue: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="continue",
    title="Continue",
    executables=("cn",),
    install="npm install -g @continuedev/cli",
    resume=("cn", "--fork"),
    files="files:PROVIDER",
    history="a document a session",
    store=Store(
        form="continue.files:ContinueParser",
        base=".continue",
        variable="CONTINUE_GLOBAL_DIR",
        paths=("sessions/*.json",),
        excluded=("sessions.json",),
    ),
    tested="1.5.47",
    unread="times of single messages, thoughts, and prompts whose request failed, which its files do not tell",
)
