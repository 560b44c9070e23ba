"""How load generators ask, what they are counted to have sent, and what they may open."""

import resource
import sys
from types import SimpleNamespace

import pytest

from benchbook import loadtools
from benchbook.load import capacity, installed, loading, registry
from benchbook.system import connections
from benchbook.system.connections import Seen
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.processes import Keeper
from notebook_00 import open_loop
from talkers import Talker, talking

TOOLS = [*loadtools.declared().values(), open_loop.OpenLoop(50)]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.slow("loads a server with each tool, for a second")
def test_a_tool_asks_as_it_declares_and_is_counted(tool):
    assert isinstance(tool, open_loop.OpenLoop) or not installed.missing(
        tool
    ), f"install it: {tool.install}"
    with talking(Talker()) as talker, Keeper() as keeper:
        url = f"http://127.0.0.1:{talker.port}/path?a=1"
        load = loading.run(tool, url, 1, 2, keeper)
        declared = tool.manner.request("127.0.0.1", talker.port, "/path?a=1")
    lines = [set(text.lower().split(b"\r\n")) for text in (talker.asked[-1], declared)]
    assert lines[0] == lines[1]
    assert 0 <= len(talker.asked) - load.requests <= 4
    assert load.sent is not None or sys.platform != "linux"
    if load.sent is not None:
        assert abs(load.sent - len(talker.asked)) <= max(4, 0.02 * load.sent)


@pytest.mark.parametrize(
    ("looks", "share"),
    [
        ([{1: 5, 2: 7}, {1: 9, 2: 12}], 1.0),
        ([{1: 1, 2: 1}, {3: 1, 4: 1}], 0.0),
        ([{1: 0, 2: 0}, {3: 0, 4: 0}], 0.0),  # open, and not yet asked
        ([{1: 2, 2: 1}, {3: 1, 4: 2}], 0.5),
        ([{1: 100, 2: 40}, {3: 3, 4: 5}], 0.99),
        ([{1: 900, 2: 900, 3: 1}, {1: 1800, 2: 1800, 4: 1}], pytest.approx(1, abs=0.001)),
        ([{1: 3}, {1: 9, 2: 4}, {1: 20, 2: 15}, {2: 16}], 1.0),  # it begins, and it ends
        ([{1: 1, 2: 1}, {3: 1, 4: 1}, {4: 1}], 0.0),
        ([{1: 1}, {2: 1, 3: 0, 4: 1, 5: 1}], 0.0),  # caught while most are being opened
        ([{1: 1, 2: 1, 3: 1, 4: 1}, {1: 1, 2: 1, 3: 1, 5: 1}], None),  # it stood still, or lost one
        ([{1: 5}], None),
        ([None, {}], None),  # another system, or nobody there
    ],
)
def test_the_share_of_requests_on_kept_connections_follows_from_looks(monkeypatch, looks, share):
    seen = Seen(1)
    for found in looks:
        monkeypatch.setattr(connections, "look", lambda port, found=found: found)
        seen.look()
    assert seen.reused == share


@pytest.mark.parametrize(
    ("soft", "hard", "count", "remedy"),
    [
        (40, 40, 100, "--connections 8 or fewer, or raise the limit: ulimit -n 132"),
        (40, 40, 9, "--connections 8 or fewer"),
        (20, 20, 1, "raise the limit: ulimit -n 33"),
        (40, 4096, 100, ""),
        (256, resource.RLIM_INFINITY, 1000, ""),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 20_000, ""),
    ],
)
def test_the_limit_of_open_files_is_compared_before_a_race(monkeypatch, soft, hard, count, remedy):
    raised = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: raised.append(limits))
    monkeypatch.setattr(capacity, "open_here", lambda: 5)
    if not remedy:
        capacity.check(count, 2)
        assert all(limit >= count for limit, _ in raised)
        return
    with pytest.raises(InputError) as caught:
        capacity.check(count, 2)
    assert remedy in caught.value.remedy
    assert f"{count} connection{'' if count == 1 else 's'}:" in caught.value.problem
    with pytest.raises(InputError, match="^a.toml: ") as caught:
        capacity.check(count, 2, "a.toml")
    assert "--connections" not in caught.value.remedy and "ulimit" in caught.value.remedy


def test_there_are_as_many_ports_as_connections(monkeypatch, tmp_path):
    range_ = tmp_path / "range"
    range_.write_text("32768\t32867\n")
    monkeypatch.setattr(capacity, "PORTS", range_)
    capacity.check(100, 1)
    with pytest.raises(InputError, match="101 connections need as many ports, and there are 100"):
        capacity.check(101, 1)


def test_many_programs_need_files_of_our_own(monkeypatch):
    monkeypatch.setattr(capacity, "open_files", lambda needed: 100)
    monkeypatch.setattr(capacity, "open_here", lambda: 20)
    capacity.check(8, 20)
    with pytest.raises(InputError, match="this race needs 120"):
        capacity.check(8, 25)


def test_a_tool_that_is_gone_has_no_count(tmp_path):
    gone = SimpleNamespace(pid=2**22 + 1)
    assert loading.sent_in_all(registry.get("wrk"), gone, tmp_path, 50) is None
