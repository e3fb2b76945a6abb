"""mini-SWE-agent: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="mini-swe-agent",
    title="mini-SWE-agent",
    executables=("mini",),
    install="pip install mini-swe-agent",
    history="a trajectory a run",
    store=Store(
        form="mini_swe_agent.files:TrajectoryParser",
        home=(".config/mini-swe-agent/*.traj.json", ".config/mini-swe-agent/**/*.traj.json"),
    ),
    tested="2.4.6",
    unread="earlier runs, unless each had its own file (-o): a run overwrites the last one",
)
