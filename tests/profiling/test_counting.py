"""What a request costs is counted in windows of copies, here of ones that are made up."""

from types import SimpleNamespace

from benchbook.loadtools.tool import Load
from benchbook.model.profiles.cost import Costing, Memory
from benchbook.model.samples import Evidence
from benchbook.profiling.cost import counting, of_system
from benchbook.profiling.cost.counting import Counting
from benchbook.race.executor import Measurement
from benchbook.race.kinds.copies import Copies, CopyCost
from benchbook.race.kinds.http.copies import ServerCopies
from benchbook.race.warming import WarmUp
from benchbook_kernels.base.errors import BenchError

ONCE = Memory(5000.0, {"Scavenge": 2}, 0.001, depth=9)


class MadeUpCopies(Copies):
    """Copies that do a hundred requests in each window, and nothing in the third."""

    keeper = folder = replace = None
    windows = asked = 0
    ended = ()

    def __init__(self):
        self.race = SimpleNamespace(executor=self)

    def launch(self, names):
        return {}

    def warm_up(self, names):
        yield

    def pid(self, name):
        return 0

    def done(self, name):
        self.asked += 100
        return self.asked

    def window(self, names, lead, seconds, look):
        self.windows += 1
        if self.windows == 3:
            raise BenchError("'a' did nothing in the window")
        looking = look()
        while looking():
            pass
        return {name: CopyCost(100, 20.0) for name in names}

    def close(self):
        self.ended += ("closed",)


def test_what_is_known_is_kept_where_a_server_answers_nothing_under_strace(monkeypatch):
    monkeypatch.setattr(counting, "LEAD_SECONDS", 0.0)
    monkeypatch.setattr(of_system, "lacks_calls", lambda: "")
    monkeypatch.setattr(of_system, "sent", lambda port: (0, 0, frozenset()))
    counter = SimpleNamespace(count=lambda *args: ONCE)
    copies = MadeUpCopies()
    costing = Costing("77-made", ["a"], "request", "wrk")
    made = Counting(costing, copies, {"a": counter}, SimpleNamespace(), {"a": None}, 0.0)
    assert len(list(made.events())) == counting.STEPS and copies.ended
    figures = made.costing.figures["a"]
    assert figures[counting.ALLOCATED].values == (50.0, 50.0)
    assert figures[counting.DEPTH].mean == 9
    assert figures[counting.CALLS].values == ()
    assert figures[counting.CALLS].reason.endswith("'a' did nothing in the window")


SS = """ESTAB 0      0      127.0.0.1:8080   127.0.0.1:50722
\t bbr wscale:10,10 rto:204 bytes_sent:5167 bytes_acked:5168 segs_out:15 segs_in:15 data_segs_out:3
ESTAB 0      12     127.0.0.1:8080   127.0.0.1:50724
\t cubic bytes_sent:100 segs_out:2 segs_in:3
"""


def test_what_was_sent_is_read_with_whom_it_was_sent_to(monkeypatch):
    monkeypatch.setattr(of_system, "output_of", lambda words, timeout: SS)
    assert of_system.sent(8080) == (5267, 17, {"127.0.0.1:50722", "127.0.0.1:50724"})


def test_a_server_that_got_no_cpu_in_a_window_of_its_warm_up_is_no_failure():
    asked = []

    def warm_up(names, seconds):  # of a busy machine: the second one is not looked after at first
        asked.append(seconds)
        return {name: window(100 if name == "a" or len(asked) > 3 else 0) for name in names}

    copies = object.__new__(ServerCopies)
    copies.warmth = WarmUp(2, seconds=2.0, continuous=True)
    copies.executor = SimpleNamespace(warm_up=warm_up, compiled=0.0, warmed_up=asked.clear)
    assert len(list(copies.warm_up(["a", "b"]))) == 4
    assert not asked  # it was told that they are warm


def window(requests):
    return Measurement(Load(0.5, requests), Evidence(server_cpu_seconds=requests * 20e-6))
