"""The list of agents."""

from dejavu.integrations.agents import REGISTRATIONS


def test_every_agent_is_listed_under_its_name() -> None:
    assert list(REGISTRATIONS) == sorted(REGISTRATIONS)
    assert all(name == one.agent for name, one in REGISTRATIONS.items())
