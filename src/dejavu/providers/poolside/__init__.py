"""Poolside: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="poolside",
    title="Poolside",
    executables=("pool",),
    history="a trajectory of events a session",
    store=Store(
        form="poolside.files:PoolsideParser",
        home=(".local/state/poolside/trajectories/*.ndjson",),
    ),
    observed=False,
)
