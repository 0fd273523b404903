"""Labelling by hand, with a model that says what is worth it.

`Desk` is a session: it asks, learns from each answer at once, keeps a journal on the disk, and
estimates how good the model is. `river-trapezoid label FILE` is a desk in a terminal, and
`Desk.widget` one in a notebook.
"""

from .answers import Answer
from .desk import Accuracy, Desk, Question
from .explanations import Explanation, Reason, explain
from .journal import JournalError

__all__ = [
    "Accuracy",
    "Answer",
    "Desk",
    "Explanation",
    "JournalError",
    "Question",
    "Reason",
    "explain",
]
