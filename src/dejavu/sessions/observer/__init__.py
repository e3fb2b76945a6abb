"""The process next to a wrapped agent: reads a copy of its output, tells its status, archives.

Reads frames of the wrapper (`capsule.frames`) from a file descriptor, writes status files and the
archive, and sends the wrapper a final report. It may be slow, or die: the agent never waits for it.
Screen text lives in its memory only, and reaches the disk redacted or not at all.
"""
