"""All running sessions at once: who needs a person first, what changed, what is typed into them.

Reads the sessions' small files and sockets: states in total, changes as they happen, keys for an
agent, the operator's `on_change` command. Never reads the archive, never writes screen text. Import
its modules: the wrapper's observer needs one of them and not the others.
"""
