"""Roo Code: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="roo",
    title="Roo Code",
    files="files:PROVIDER",
    history="Cline's tasks",
    store=Store(
        form="cline.files:ClineParser",
        vscode=("globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json",),
        native=1,
    ),
    observed=False,
)
