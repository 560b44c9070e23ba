"""What %quiz and %predict show of a question: asked, answered, and with all of its answers."""

from benchbook.notebook.quiz.questions import QuizQuestion
from benchbook.show.markup import Output, bullets, folded, heading, paragraph, total


def asked(question: QuizQuestion, magic: str) -> Output:
    """The question and its choices. magic: what an answer is written behind."""
    how = f"Put a letter in the place of the ? and run the cell again: {magic} {letters(question)}"
    return total([paragraph(question.asks), choices(question), paragraph(how)])


def letters(question: QuizQuestion) -> str:
    """ "a, b or c"."""
    *some, last = question.choices
    return f"{', '.join(some)} or {last}"


def choices(question: QuizQuestion) -> Output:
    return total([paragraph(lettered(question, letter)) for letter in question.choices])


def lettered(question: QuizQuestion, letter: str) -> str:
    return f"{letter}) {question.choices[letter]}"


def answered(question: QuizQuestion, letter: str) -> Output:
    """An answer: right or wrong, and why. The right one is not told to who gave a wrong one."""
    right = letter == question.right
    mark = "✔ Right" if right else "○ Not so"
    parts = [heading(f"{mark}: {lettered(question, letter)}"), paragraph(question.why[letter])]
    if not right:
        parts.append(paragraph("Look again, and write another letter."))
    return total([paragraph(question.asks), *parts])


def solved(question: QuizQuestion) -> Output:
    """The question with every answer's text, the right one marked."""
    told = [
        f"{'✔' if letter == question.right else '○'} {lettered(question, letter)} "
        f"{question.why[letter]}"
        for letter in question.choices
    ]
    return total([paragraph(question.asks), *map(paragraph, told)])


def guessed(question: QuizQuestion, letter: str, reason: str) -> Output:
    """A guess in words, before anything was seen."""
    because = f", because {reason}" if reason else ". Why? Write it behind it: because …"
    said = f"Your guess: {lettered(question, letter)}{because}"
    return total([paragraph(question.asks), paragraph(said)])


def seen(question: QuizQuestion, letter: str) -> Output:
    """What was to be seen, beside the guess; '' for none, for whom it is folded in HTML."""
    why = question.why[question.right]
    found = paragraph(f"What was seen: {lettered(question, question.right)}") + paragraph(why)
    if not letter:
        none = paragraph(f"{question.asks} You have not guessed.")
        return total([none, folded("What was seen", found)])
    mark = "✔" if letter == question.right else "○"
    mine = paragraph(f"{mark} Your guess: {lettered(question, letter)}")
    return total([paragraph(question.asks), mine, found])


def all_of(questions: list[QuizQuestion]) -> Output:
    """The names of questions, to choose from."""
    return bullets([f"{each.name}: {each.asks}" for each in questions])
