"""The papers' tables and figures, run again, with the published figures beside ours.

`reproduce` runs them, as `python -m benchmarks.papers` does from the command line. There are two protocols: `text` is what
the paper says, with the learners of this package, and `as-run` what the published runs did as far
as it is known. Where a paper leaves a parameter to be chosen, it is chosen on the compared runs,
and beside it stands the honest choice, on the first order of the rows, compared on the others.

The verdict on a figure is `digit` if mean and standard deviation are those in print, `within` if
the mean is within two published standard deviations or two points (2 % of the instances where
errors are counted), and `off` otherwise. A figure on data that cannot be had is counted as such.
`write_page` makes a page of the results, in which every published figure has its verdict or the
reason why it has none.

`haphazard` is no paper whose learners are ours, but what others have published on haphazard inputs.
There systems of ours, by default parameters, stand beside the best published figure, whose settings
were chosen for the compared stream: `above` it if their mean is, by however little, or `below`.
"""

from .job import Job
from .page import write_page
from .paper import Figure, Paper, Plan
from .published import Published, published
from .runner import PAPERS, Reproduction, reproduce
from .store import Store, StoreError

__all__ = [
    "PAPERS",
    "Figure",
    "Job",
    "Paper",
    "Plan",
    "Published",
    "Reproduction",
    "Store",
    "StoreError",
    "published",
    "reproduce",
    "write_page",
]
