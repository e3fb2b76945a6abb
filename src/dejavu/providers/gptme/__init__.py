"""gptme: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="gptme",
    title="gptme",
    executables=("gptme",),
    install="pip install gptme",
    resume=("gptme", "--name"),
    files="files:PROVIDER",
    history="a JSONL file a conversation",
    store=Store(
        form="gptme.files:GptmeParser",
        data=("gptme/logs/*/conversation.jsonl",),
        native=1,
    ),
    tested="0.35.1",
    unread="calls in code blocks of answers, which are kept as text",
)
