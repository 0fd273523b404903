"""Label instances by hand, with active learning.

A `Desk` asks questions, learns from each answer at once, keeps a journal on the disk and estimates the
accuracy of its model. `river-trapezoid label FILE` is a desk in a terminal, and `Desk.widget` one in a
notebook.
"""

from .answers import Answer
from .desk import Desk
from .explanations import Explanation, Reason, explain
from .journal import JournalError
from .questions import Accuracy, Question

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
