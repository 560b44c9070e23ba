"""The quiz, the take-away and what to do on Monday, at the end of our notebooks."""

import re

import pytest

import expectations
from benchbook.model import experiments
from benchbook.notebook import editions
from benchbook.notebook.checking import quizzes
from benchbook.notebook.headless import execute
from benchbook.notebook.quiz import arithmetic, cards, pictures, questions
from benchbook.system import paths

WITHOUT = ("99-scoreboard", "start-")
NOTEBOOKS = [p for p in sorted(paths.notebooks().glob("*.ipynb")) if not p.stem.startswith(WITHOUT)]
KINDS = ["picture", "calculation", "not-shown"]
# what looks like the figure of a result; a line of a shell is none
FIGURE = re.compile(r"\d[\d,.]*\s?(?:%|×|times|µs|ns|ms|kB|MB|requests)")
CODE = re.compile(r"```.*?```", re.DOTALL)
every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def file_of(path):
    """Where the questions of a notebook are."""
    found = experiments.of_notebook(path)
    return questions.file_of(found[0]) if found else questions.OF_OWN_QUESTIONS


def quiz_of(path) -> list[questions.QuizQuestion]:
    found = questions.load(file_of(path)).questions.values()
    return [each for each in found if each.name.isdigit()]


@every
def test_a_notebook_ends_with_a_quiz_of_three_a_take_away_and_monday(path):
    cells = execute.read(path).cells
    assert [each.kind for each in quiz_of(path)] == KINDS
    ids = [cell["id"] for cell in cells]
    assert ids[-8:] == [
        *["quiz", "quiz-1", "quiz-2-text", "quiz-2", "quiz-3-text", "quiz-3", "take-away", "monday"]
    ]
    assert [cells[ids.index(f"quiz-{n}")].source for n in (1, 2, 3)] == [
        f"%quiz {n} ?" for n in (1, 2, 3)
    ]
    take, monday = (cells[ids.index(each)].source for each in ("take-away", "monday"))
    assert len(re.findall(r"(?m)^- \S", take)) == 5
    for part in ("**The decision.**", "**The threshold.**", "\n./bench compare "):
        assert part in monday


@every
def test_the_answers_are_in_no_cell_and_whole(path):
    found = experiments.of_notebook(path)
    if found:
        wrong = quizzes.wrong(execute.read(path), path, found)
        assert [each.text for each in wrong] == []
    text = execute.untyped.writes(editions.student(execute.read(path), path.name))
    for question in quiz_of(path):
        for letter, choice in question.choices.items():
            assert question.why[letter] not in text, choice
            shown = cards.answered(question, letter).text
            assert question.why[letter] in shown
            assert ("✔ Right" in shown) is (letter == question.right)
            if letter != question.right:
                assert question.why[question.right] not in shown, "the answer is not given away"
        told = cards.solved(question).text
        assert all(why in told for why in question.why.values())


@every
def test_the_leader_has_all_answers(path):
    sources = [c.source for c in editions.leader(execute.read(path), path.name, "").cells]
    assert [s for s in sources if s.startswith("%quiz")] == [
        f"%quiz {n} --answers" for n in (1, 2, 3)
    ]


@every
def test_a_picture_shows_what_it_asks_about_and_no_verdict(path):
    (question,) = [each for each in quiz_of(path) if each.picture]
    figure = pictures.drawn(question.picture)
    names = "".join(map(str, figure.plotly["data"])) + str(figure.plotly["layout"]["yaxis"])
    for entry in question.picture.entries:
        assert entry in figure.numbers.text and entry.split("-")[0] in names
    for word in ("reproduced", "opposite", "too close", "ruled out", "no difference"):
        assert word not in figure.numbers.text and word not in str(figure.plotly)
    assert figure.label.startswith("A recorded race: ")


def test_where_no_run_was_recorded_the_question_says_so(checkout):
    shown = pictures.shown(questions.QuizPicture("04-setheader-vs-writehead.json"))
    assert "04-setheader-vs-writehead.json, which is not there" in shown.text


def bound(file: str, at: str) -> str:
    """All words of a place that are bound to recorded runs."""
    return " ".join(s.words for s in expectations.load() if (s.file, s.at) == (file, at))


@every
def test_every_figure_is_bound_to_data_or_follows_from_what_the_question_supposes(path):
    file = file_of(path).relative_to(paths.root()).as_posix()
    notebook = path.relative_to(paths.root()).as_posix()
    for question in quiz_of(path):
        told = " ".join([*question.choices.values(), *question.why.values()])
        sources = bound(file, question.name)
        if question.kind == "calculation":
            assert question.asks.startswith("Suppose"), "its figures are no result"
            right = f"{question.choices[question.right]} {question.why[question.right]}"
            told, sources = right, f"{question.asks} {' '.join(question.arithmetic)}"
        for figure in FIGURE.findall(told):
            number = re.match(r"[\d,.]+", figure)[0].rstrip(".,").replace(",", "")
            assert number in sources.replace(",", ""), f"{question.name}: {figure}: {told}"
    for cell in execute.read(path).cells[-2:]:
        for figure in FIGURE.findall(CODE.sub("", cell.source)):
            assert figure in bound(notebook, cell["id"]), f"{cell['id']}: {figure}"


@pytest.mark.parametrize(
    ("equation", "wrong"),
    [
        ("100 * (1 - 100 / 110) = 9.1", ""),
        ("1 / 3 = 0.33", ""),
        ("-2 * -(3 - 5) = -4", ""),
        ("1 / 3 = 0.34", "1 / 3 is 0.3333, not 0.34"),
        ("1 / 0 = 1", "no equation"),
        ("1 + 1", "no equation"),
        ("2 * (3 = 6", "no equation"),
        ("__import__('os') = 1", "no equation"),
        ("1 2 = 12", "no equation"),
    ],
)
def test_arithmetic_is_calculated(equation, wrong):
    found = arithmetic.wrong(equation)
    assert wrong in found and bool(wrong) is bool(found)
