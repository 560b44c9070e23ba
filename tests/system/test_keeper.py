"""What was started ends, however the one who started it ends."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from benchbook.system import paths
from benchbook_kernels.base import guard
from benchbook_kernels.base.processes import SHORT, Keeper

ORPHAN = """
import os, sys, time
from benchbook_kernels.base.processes import Keeper
keeper = Keeper()
(keeper.folder / "output").write_text("text")
keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
# one that leaves its group and whose parent ends at once
keeper.start([sys.executable, "-c", "import os, time\\nif os.fork() == 0:\\n os.setsid()\\n"
              " time.sleep(600)"])
time.sleep(0.5)
print(keeper.token, os.fsencode(keeper.folder).hex(), flush=True)
time.sleep(600)
"""


def gone(token: str, seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while guard.marked(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not guard.marked(token)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_started_ends_with_its_parent_however_that_dies(how, tmp_path):
    no_text = "\udcff" if sys.platform == "linux" else ""  # a byte that is text in no encoding
    temporary = tmp_path / f"for \u00e9l\u00e8ves {no_text}"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": paths.pythonpath(), "TMPDIR": str(temporary)}
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True, env=environment
    )
    token, name = parent.stdout.readline().split()
    folder = Path(os.fsdecode(bytes.fromhex(name)))
    assert SHORT or list(temporary.iterdir()) == [folder]
    assert len(guard.marked(token)) == 2 and (folder / "output").is_file()
    parent.send_signal(how)
    parent.wait()
    parent.stdout.close()
    assert gone(token)
    deadline = time.monotonic() + 120
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder.exists()


def test_temporary_files_go_with_the_keeper_but_for_the_locks_that_all_must_see(
    keeper, monkeypatch
):
    monkeypatch.delenv("NUGET_SCRATCH", raising=False)
    code = "import os, tempfile; print(tempfile.mkdtemp(), os.environ['NUGET_SCRATCH'], sep='\\n')"
    process = keeper.start([sys.executable, "-c", code], stdout=subprocess.PIPE)
    made, locks = map(Path, os.fsdecode(process.communicate()[0]).splitlines())
    assert made.parent == keeper.folder
    assert locks.parent == Path(tempfile.gettempdir())
    keeper.close()
    assert not made.exists()


def test_a_process_with_an_environment_of_its_own_has_its_own_temporary_files(keeper, tmp_path):
    code = "import tempfile; print(tempfile.mkdtemp())"
    process = keeper.start(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, inherited={"TMPDIR": str(tmp_path)}
    )
    made = Path(os.fsdecode(process.communicate()[0]).strip())
    keeper.close()
    assert made.parent == tmp_path and made.exists()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_a_program_runs_on_the_cpus_that_it_is_given_and_needs_no_tool_for_that(
    keeper, monkeypatch
):
    monkeypatch.setenv("PATH", "")  # no taskset
    own = os.sched_getaffinity(0)
    process = keeper.start([sys.executable, "-c", "import time; time.sleep(600)"], cpus=[min(own)])
    assert os.sched_getaffinity(process.pid) == {min(own)}
    assert os.sched_getaffinity(0) == own


def test_closing_a_keeper_ends_what_got_away(keeper):
    code = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(600)"
    keeper.start([sys.executable, "-c", code]).wait()
    deadline = time.monotonic() + 120
    while len(guard.marked(keeper.token)) != 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    keeper.close()
    assert guard.marked(keeper.token) == []


# Programs that hide: one writes over its environment, as nginx does, and starts a worker; the child
# of the other has no environment at all, and a session of its own.
HIDING = """
import ctypes, os, subprocess, sys, time
from pathlib import Path
fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
start, end = int(fields[47]), int(fields[48])  # env_start and env_end
ctypes.memset(start, 0, end - start)
os.fork()
time.sleep(600)
"""
DETACHED = """
import subprocess, sys, time
wait = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(wait, env={}, start_new_session=True)
time.sleep(600)
"""
PARENT = """
import sys, time
from benchbook_kernels.base.processes import Keeper
keeper = Keeper()
for code in sys.argv[1:]:
    keeper.start([sys.executable, "-c", code])
time.sleep(600)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="hides by what only Linux has")


def parent_of(*codes: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    return subprocess.Popen([sys.executable, "-c", PARENT, *codes], env=environment)


def family(process: subprocess.Popen, count: int) -> list[psutil.Process]:
    """Its descendants without guards, once there are so many."""
    deadline = time.monotonic() + 120
    found: list[psutil.Process] = []
    while len(found) < count and time.monotonic() < deadline:
        time.sleep(0.05)
        every = psutil.Process(process.pid).children(recursive=True)
        found = [p for p in every if not guard.is_guard(p.pid)]
    time.sleep(0.3)  # the environment is overwritten by now
    return found


@linux
def test_what_hides_ends_with_a_parent_that_was_killed():
    parent = parent_of(HIDING, HIDING)
    found = family(parent, 4)
    assert len(found) == 4
    parent.kill()
    parent.wait()
    assert psutil.wait_procs(found, timeout=120)[1] == []


def test_what_hides_ends_with_what_started_it(keeper):
    process = keeper.start([sys.executable, "-c", DETACHED])
    found = family(process, 1)
    assert len(found) == 1
    keeper.end(process)
    assert psutil.wait_procs(found, timeout=120)[1] == []


# Servers that fork, each with how many processes it has.
DOUBLE = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
time.sleep(600)
"""
SHELL = """
import os
os.execvp("sh", ["sh", "-c", "sleep 600 & (sleep 600 &) ; sleep 600"])
"""
NGINX = """
import os, tempfile
folder = tempfile.mkdtemp()
with open(folder + "/nginx.conf", "w") as file:
    file.write(f'''daemon off; worker_processes 2; pid {folder}/pid; error_log stderr;
    events {{}}''')
os.execvp("nginx", ["nginx", "-p", folder, "-e", "stderr", "-c", folder + "/nginx.conf"])
"""
FORKING = {"writes over its environment": (HIDING, 2), "double fork": (DOUBLE, 2), "sh": (SHELL, 4)}
if shutil.which("nginx"):
    FORKING["nginx"] = (NGINX, 3)


@linux
@pytest.mark.parametrize(
    "kind, whom",
    [*((kind, "its children") for kind in FORKING), ("double fork", "all descendants")],
)
def test_what_was_started_ends_even_where_parent_and_children_are_killed_at_once(
    kind, whom, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code, count = FORKING[kind]
    parent = parent_of(code, "import time; time.sleep(600)")
    found = started_by(parent, count + 1)
    assert len(found) >= count + 1
    # the guard among them, the starters of sessions, what is asked and what asks
    for each in [*psutil.Process(parent.pid).children(whom != "its children"), parent]:
        each.kill()
    parent.wait()
    assert psutil.wait_procs(found, timeout=120)[1] == []
    deadline = time.monotonic() + 120
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []  # and its folder is gone


def started_by(parent: subprocess.Popen, count: int) -> list[psutil.Process]:
    """What a keeper in this process started, once there are so many: by token and by session."""
    deadline, found = time.monotonic() + 120, set()
    while len(found) < count and time.monotonic() < deadline:
        time.sleep(0.05)
        children = [c for c in psutil.Process(parent.pid).children() if not guard.is_guard(c.pid)]
        tokens = {environment_of(child).get(guard.VARIABLE, "") for child in children} - {""}
        found = {pid for token in tokens for pid in guard.marked(token)}
        sessions = {child.pid for child in children}
        found |= {pid for pid, known in guard.living().items() if known.session in sessions}
    time.sleep(0.3)  # the environment is overwritten by now
    return [psutil.Process(pid) for pid in found]


def environment_of(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}


@linux
def test_a_guard_alone_that_is_killed_ends_nothing(keeper):
    first = keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
    keeper._guard.kill()
    second = keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
    time.sleep(0.3)  # for whoever would end them
    assert first.poll() is second.poll() is None


@linux
def test_a_guard_that_was_ended_is_replaced(keeper):
    folder = keeper.folder
    keeper._guard.kill()
    keeper._guard.wait()
    first = keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
    assert keeper._guard.poll() is None
    keeper.close()
    assert first.poll() is not None
    assert not folder.exists()


@linux
def test_an_id_that_is_another_process_by_now_is_left_alone(keeper):
    process = keeper.start([sys.executable, "-c", "import time; time.sleep(600)"])
    start = guard.look(process.pid).start
    assert process.pid in guard.watched("nobody", {process.pid: start})
    assert guard.watched("nobody", {process.pid: start - 1}) == {}


def test_a_file_that_something_leaves_goes_with_the_keeper(tmp_path):
    left, kept = tmp_path / "left", tmp_path / "kept"
    for path in (left, kept):
        path.write_text("")
    with Keeper() as keeper:
        keeper.remove(left)
        assert left.exists()
    assert not left.exists() and kept.exists()
