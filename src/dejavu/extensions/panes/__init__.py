"""Agents in panes of terminal multiplexers that run unwrapped, each followed as a session.

`multiplexer` is what one has to offer, `registry` the list of them, one file each; `processes` says
which agent a pane runs, `watcher` follows them all from one process. A pane is read only: it is
never resized, and written to by `dejavu send` alone.
"""
