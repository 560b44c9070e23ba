"""JUnit's XML, for whoever has only a tab of tests: a test case for each entry.

Without a gate none fails, but for what is broken; what a gate can't tell is a failure of its own
type, or skipped where that is let through.
"""

import xml.etree.ElementTree as xml
from collections.abc import Mapping

from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.compare import gate
from benchbook.compare.gate import Gated, Passage
from benchbook.model.runs import Run
from benchbook.show import gated as told
from benchbook.show.cards import compare_cards
from benchbook_kernels.base.errors import printable

TAGS = {gate.SLOWER: "failure", gate.UNDECIDED: "failure", gate.BROKEN: "error"}
TYPES = {gate.SLOWER: "slower", gate.UNDECIDED: "undecided", gate.BROKEN: "broken"}


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole file."""
    passages = {each.name: each for each in gated.passages} if gated else {}
    seconds = run.timing.get("total_seconds", 0.0)
    said = zip(results.judgements, compare_cards.lines(results))
    cases = [case(run, results, *each, gated, passages) for each in said]
    found = [child.tag for each in cases for child in each]
    counts = {
        "errors": found.count("error"),
        "failures": found.count("failure"),
        "skipped": found.count("skipped"),
        "tests": len(cases),
    }
    suites = xml.Element("testsuites")
    suite = xml.SubElement(
        suites,
        "testsuite",
        {
            "name": printable(run.experiment.title),
            **{key: str(count) for key, count in counts.items()},
            "time": f"{seconds:.3f}",
            "timestamp": run.started,
        },
    )
    suite.extend(cases)
    return xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def case(
    run: Run,
    results: Results,
    judgement: Judgement,
    line: str,
    gated: Gated | None,
    passages: Mapping[str, Passage],
) -> xml.Element:
    """The test case of one entry. line: the answer, which is its output, with the control."""
    name, other = judgement.statement.names
    found = xml.Element(
        "testcase",
        {
            "classname": printable(run.experiment.name),
            "name": printable(f"{name} against {other}"),
            "time": f"{sum(s.seconds for s in run.samples if s.variant == name):.3f}",
        },
    )
    passage, why = passages.get(name), printable(judgement.why)
    if gated and passage and passage.code != gate.FINE:
        sentence = printable(told.sentence(run, gated, passage))
        outcome(found, passage, sentence, gated.undecided_ok)
    elif not gated and gate.is_broken(run, judgement):
        xml.SubElement(found, "error", message=why).text = why
    output = f"{line}\n{compare_cards.control(run, results)}"
    xml.SubElement(found, "system-out").text = printable(output)
    return found


def outcome(found: xml.Element, passage: Passage, sentence: str, undecided_ok: bool) -> None:
    """How a case ended that did not pass."""
    if passage.code == gate.UNDECIDED and undecided_ok:
        xml.SubElement(found, "skipped", type=TYPES[passage.code], message=sentence)
        return
    tag = xml.SubElement(found, TAGS[passage.code], type=TYPES[passage.code], message=sentence)
    tag.text = sentence
