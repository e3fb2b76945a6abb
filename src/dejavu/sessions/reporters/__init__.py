"""Telling the host that an agent runs in what it does: multiplexers, terminals, the desktop.

One small file a host: whether it is there (by its variables), and the command that tells it. All
run in the observer, next to the session; nothing here puts a byte into the agent's stream.
`reporters` has the list, `host_command` runs the commands without waiting for them.
"""
