"""CodeWhale: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="deepseek-tui",
    title="CodeWhale",
    executables=("codewhale",),
    resume=("codewhale", "--resume"),
    history="a document a session",
    store=Store(
        form="deepseek_tui.files:CodeWhaleParser",
        base=".codewhale",
        variable="CODEWHALE_HOME",
        paths=("sessions/*.json",),
        home=(".deepseek/sessions/*.json",),
        excluded=("offline_queue.json", "owners.json", "latest*.json"),
    ),
    observed=False,
)
