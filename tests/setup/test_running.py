"""Short commands: their output, and that nothing of them is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from benchbook_kernels.base import running

CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
print(child.pid, flush=True)
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(120)
"""


def gone(pid: int) -> bool:
    """Has a process ended, or does it at least within 20 s?"""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.1)
    return False


def test_output_errors_and_exit_code_are_told():
    code = "import sys; print('out é'); print('err', file=sys.stderr); sys.exit(3)"
    done = running.run([sys.executable, "-X", "utf8", "-c", code], timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("out é\n", "err\n", 3)


def test_a_command_does_not_read_our_standard_input_but_what_it_is_given():
    code = "import sys; print(len(sys.stdin.read()))"
    assert running.output_of([sys.executable, "-c", code]) == "0"
    done = running.run([sys.executable, "-c", code], timeout=60, input="four")
    assert done.stdout == "4\n"


def test_the_environment_given_is_added_to_ours():
    code = "import os; print(os.environ['GIVEN'], 'PATH' in os.environ)"
    done = running.run([sys.executable, "-c", code], timeout=60, env={"GIVEN": "yes"})
    assert done.stdout == "yes True\n"


def test_a_command_that_is_missing_or_fails_has_no_output():
    assert running.output_of(["benchbook-no-such-command"]) is None
    assert running.output_of([sys.executable, "-c", "raise SystemExit(1)"]) is None


def test_what_a_command_started_ends_with_it_when_it_takes_too_long(tmp_path):
    told = tmp_path / "pid"
    with pytest.raises(subprocess.TimeoutExpired):
        running.run([sys.executable, "-c", CHILD, told], timeout=3)
    assert gone(int(told.read_text()))


def test_what_a_command_started_ends_with_it_on_an_interrupt(tmp_path):
    told = tmp_path / "pid"

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        running.run([sys.executable, "-c", CHILD, told], timeout=100)
    assert gone(int(told.read_text()))
