"""The desk: the agents that ran when the machine or the multiplexer went down, and their restart.

`interrupted` reads the sessions' own records, `restart` starts one again, `cli/` asks first. Must not
start anything that was not listed.
"""
