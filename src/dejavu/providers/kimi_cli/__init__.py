"""kimi-cli, Kimi's older command line: the sessions it left; its program is read as Kimi Code."""

from ..agent import Agent

AGENT = Agent(name="kimi-cli", title="kimi-cli", files="files:PROVIDER", hook_answer="text")
