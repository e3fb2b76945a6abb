"""What agents did to files and with commands, as facts derived from the archive.

`index` follows the archive's log; `blame`, `failures`, `usage`, `recover` and `brief` answer from it.
Nothing is written into a repository, and everything here can be rebuilt from the archive.
"""
