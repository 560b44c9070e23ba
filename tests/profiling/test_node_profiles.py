"""What V8 recorded, read as stacks: a small profile, as window.cjs writes it."""

import pytest

from benchbook.model.profiles.profile import COLLECTOR, JSON_LAYER, NATIVE, OWN, Frame
from benchbook.profiling.profilers import node, node_frames
from benchbook.system import paths

OUTGOING = "node:_http_outgoing"


def frame(name, url="", line=0, script="1"):
    return {
        "functionName": name,
        "scriptId": script if url else "0",
        "url": url,
        "lineNumber": line - 1,
        "columnNumber": 0,
    }


def recorded(tmp_path):
    """A handler in which V8 inlined a function of a dependency (line 102) and one of Node.js (650),
    one that nobody found (7), and what else a profile has."""
    own, dep = f"file://{tmp_path}/a.mjs", f"file://{tmp_path}/node_modules/@x/dep/lib/index.js"
    (tmp_path / "node_modules/@x/dep").mkdir(parents=True)
    (tmp_path / "node_modules/@x/dep/package.json").write_text('{"version": "1.2.3"}')
    ticks = [(12, 5), (102, 20), (650, 8), (7, 2)]
    nodes = [
        (1, frame("(root)"), 0, [2, 3, 4, 9]),
        (2, frame("(idle)"), 50, []),
        (3, frame("(garbage collector)"), 4, []),
        (4, frame("parserOnIncoming", "node:_http_server", 900), 3, [5, 8]),
        (5, frame("", own, 11), 35, [6, 7]),
        (6, frame("stringify"), 6, []),
        (7, frame("slow", dep, 100), 1, []),
        (8, frame("writev"), 9, []),
        (9, frame("close", f"file://{node.WINDOW}", 200), 2, []),
    ]
    profile = [
        {"id": number, "callFrame": of, "hitCount": hits, "children": children}
        for number, of, hits, children in nodes
    ]
    profile[4]["positionTicks"] = [{"line": line, "ticks": count} for line, count in ticks]
    homes = {
        "5 102": {"functionName": "slow", "url": dep, "lineNumber": 99},
        "5 650": {"functionName": "setHeader", "url": OUTGOING, "lineNumber": 639},
        "5 7": None,
    }
    told = {"node": "20.20.2", "interval_us": 1000, "cpu_us": 70_000, "wall_ms": 200}
    return {**told, "profile": {"nodes": profile}, "homes": homes}


def ends(profile):
    """Samples by the function at work, its layer and its line."""
    found = {}
    for stack in profile.stacks:
        leaf = profile.frames[stack.frames[-1]]
        key = (leaf.function, leaf.layer, leaf.line)
        found[key] = found.get(key, 0) + stack.samples
    return found


def test_samples_at_work_are_told_by_function_and_own_code_by_line(tmp_path):
    profile = node.read(recorded(tmp_path))
    assert ends(profile) == {
        ("(garbage collector)", COLLECTOR, 0): 4,
        ("parserOnIncoming", node_frames.HTTP, 900): 3,
        ("(anonymous)", OWN, 12): 5,
        ("slow", "@x/dep", 100): 20 + 1,
        ("setHeader", node_frames.HTTP, 640): 8,
        ("(anonymous)", OWN, 11): 2,
        ("stringify", JSON_LAYER, 0): 6,
        ("writev", NATIVE, 0): 9,
    }
    assert (profile.idle, profile.lost, profile.busy) == (50, 2, 58)
    assert (profile.cpu_seconds, profile.seconds) == (0.07, 0.2)
    assert profile.runtime == "Node.js 20.20.2"


def test_sources_can_be_read_where_they_ran_from(tmp_path):
    frames = {each.function: each for each in node.read(recorded(tmp_path)).frames}
    assert frames["slow"].package == "@x/dep 1.2.3"
    assert frames["slow"].link == ("https://app.unpkg.com/@x/dep@1.2.3/files/lib/index.js#L100")
    assert frames["setHeader"].link == (
        "https://github.com/nodejs/node/blob/v20.20.2/lib/_http_outgoing.js#L640"
    )


def test_stacks_go_from_the_root_to_the_leaf(tmp_path):
    profile = node.read(recorded(tmp_path))
    names = [[profile.frames[i].function for i in stack.frames] for stack in profile.stacks]
    assert ["parserOnIncoming", "(anonymous)", "slow"] in names
    assert ["parserOnIncoming", "(anonymous)", "setHeader"] in names


@pytest.mark.parametrize(
    ("name", "url", "layer"),
    [
        ("resume", "node:internal/streams/readable", node_frames.STREAMS),
        ("writevGeneric", "node:internal/stream_base_commons", node_frames.STREAMS),
        ("listOnTimeout", "node:internal/timers", node_frames.TIMERS),
        ("emit", "node:events", node_frames.OTHER),
        ("", "benchbook-loop-of-subject", node_frames.HARNESS),
        ("once", paths.script("race/kinds/functions/harness.mjs").as_uri(), node_frames.HARNESS),
        ("handle", "file:///x/node_modules/a/node_modules/b/index.js", "b"),
        ("parse", "", JSON_LAYER),
        ("(program)", "", NATIVE),
    ],
)
def test_a_frame_belongs_to_a_layer(name, url, layer):
    found = node_frames.Frames("20.1.0").of({"functionName": name, "url": url, "lineNumber": -1})
    assert found.layer == layer


def test_code_of_no_file_was_generated():
    told = {"functionName": "anonymous0", "url": "", "lineNumber": 3}
    assert node_frames.Frames("20.1.0").of(told).layer == node_frames.GENERATED


def test_of_a_process_that_times_calls_only_these_are_kept(tmp_path):
    told = recorded(tmp_path)
    told["profile"]["nodes"][3]["callFrame"] = frame("", node.CALLING, 1)
    profile = node.PROFILER.of_calls(node.read(told))
    assert all(
        profile.frames[stack.frames[0]].layer != node_frames.HARNESS for stack in profile.stacks
    )
    assert profile.busy == 58 - 3  # the loop's own time
    assert node.PROFILER.of_calls(node.read(recorded(tmp_path / "other"))).busy == 4


def test_a_frame_with_no_more_than_a_name_is_complete():
    assert Frame("f", OWN) == Frame("f", OWN, "", 0, "", "")
