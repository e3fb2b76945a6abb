"""Did a session change? `record` holds how sources looked when they were read, `read` reads the rest.

The cursors in the archive are the truth: a source whose cursor says otherwise is read in any case.
The record is a cache of that, so that most questions need neither the archive nor a provider.
"""
