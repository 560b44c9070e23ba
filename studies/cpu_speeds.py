"""How long the same work takes on each CPU, again and again: the figures of "A machine that changes
its speed" in method.md. On a machine of one's own the columns are alike and stay so.

    .venv/bin/python studies/cpu_speeds.py [SECONDS]
"""

import sys
import time

from benchbook.system import cores, pinning

end = time.monotonic() + float((sys.argv[1:] or [60])[0])
print("CPU ms of the same work on", *(f"CPU {cpu}" for cpu in cores.affinity()))
while time.monotonic() < end:
    print(*(f"{1000 * pinning.work_on(cpu):.2f}" for cpu in cores.affinity()), flush=True)
    time.sleep(1)
