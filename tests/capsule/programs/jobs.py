"""A shell with one job, for tests: starts it in the foreground here, tells what becomes of it.

Lines on the pipe given as first argument: `pid N`, `stopped`, `exit N`. Lines read from the second:
`fg` continues the job in the foreground, `hup` ends the shell as a closed terminal window would.
"""

import os
import select
import signal
import sys

KEYBOARD = (signal.SIGTTOU, signal.SIGTSTP, signal.SIGINT, signal.SIGQUIT)
told, asked = int(sys.argv[1]), int(sys.argv[2])
command = sys.argv[3:]


def emit(line):
    os.write(told, line.encode() + b"\n")


for number in KEYBOARD:
    signal.signal(number, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    for number in (*KEYBOARD, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.set_inheritable(told, False)
    os.set_inheritable(asked, False)
    os.execv(command[0], command)
emit(f"pid {job}")
while True:
    _, status = os.waitpid(job, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpid())
    if not os.WIFSTOPPED(status):
        break
    emit("stopped")
    select.select([asked], [], [])
    if os.read(asked, 3) == b"fg\n":
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
code = os.waitstatus_to_exitcode(status)
emit(f"exit {code if code >= 0 else 128 - code}")
