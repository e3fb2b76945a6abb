"""The demo agent that comes with Déjà Vu (`dejavu.interfaces.demo`); its screen is what is read."""

from ..agent import Agent

AGENT = Agent(
    name="demo",
    title="Déjà Vu demo agent",
    executables=("demo",),
    module="dejavu.interfaces.demo",
)
