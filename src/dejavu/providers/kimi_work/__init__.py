"""Kimi Work: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="kimi-work",
    title="Kimi Work",
    files="files:PROVIDER",
    history="Kimi Code's wire log of the desktop",
    store=Store(
        form="kimi.files:KimiParser",
        home=(
            ".config/kimi-desktop/**/conv-*/agents/*/wire.jsonl",
            ".config/kimi-desktop/**/conv-*/wire.jsonl",
            "Library/Application Support/kimi-desktop/**/conv-*/agents/*/wire.jsonl",
            "Library/Application Support/kimi-desktop/**/conv-*/wire.jsonl",
        ),
    ),
    observed=False,
)
