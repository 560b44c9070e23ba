"""Runs several commands in this process's session, until the first of them ends.

usage: python session.py COMMANDS, a JSON list of {"words": […], "folder": …, "env": {…}}

A session is a scheduling group of its own (scheduling.py), so that a program of several processes
gets as much of the CPU as one that is a single process. Whoever ends it asks the whole group to
end; it waits for the others, so that none outlives it. The exit code is that of the first to end.
Standard library only, Linux.
"""

import json
import os
import signal
import subprocess
import sys

GRACE_SECONDS = 2.0


def main(commands: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: None)  # the others were asked, too
    started = {}
    for each in json.loads(commands):
        env = {**os.environ, **each["env"]}
        process = subprocess.Popen(each["words"], cwd=each["folder"], env=env)
        started[process.pid] = process
    pid, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    started.pop(pid)
    for process in started.values():
        process.terminate()
    for process in started.values():
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return code if code >= 0 else 128 - code  # as a shell tells of a signal


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
