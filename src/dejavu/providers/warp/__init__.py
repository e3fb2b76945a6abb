"""Warp: everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="warp",
    title="Warp",
    files="files:PROVIDER",
    history="what was asked of its agent, in its database",
    observed=False,
    unread="answers, which are packed in its own form",
    marks=(
        ".local/state/warp-terminal",
        ".warp",
        "Library/Group Containers",
        "Library/Application Support/dev.warp.Warp-Stable",
    ),
)
