"""The demo agent that comes with Déjà Vu (`dejavu.interfaces.demo`); its screen is what is read."""

from dejavu.config.own_program import own_program

from ..agent import Agent

AGENT = Agent(
    name="demo",
    title="Déjà Vu demo agent",
    executables=("demo",),
    command=own_program("dejavu.interfaces.demo"),
)
