"""The Agent Client Protocol: a tap between an editor and an agent, and an agent of ours.

`tap` runs in the process that passes the bytes and imports little; `python -m
dejavu.extensions.acp.tap_observer` is the process next to it that keeps them (`traffic_lines` cuts
them). `agent` speaks the protocol for an agent that runs in a terminal, over `terminal_agent`.
"""
