"""The process beside a wrapped agent: reads a copy of its output, tells its status, archives.

Takes frames from the wrapper (`capsule.frames`) on a file descriptor; gives status files, records
in the archive and a last word for the wrapper. It may be slow, or die: the agent never waits for
it. Screen text lives in its memory only, and reaches the disk redacted or not at all.
"""
