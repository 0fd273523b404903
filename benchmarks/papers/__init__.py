"""The papers' tables and figures, run again and compared with the published figures.

`reproduce` runs them, as `python -m benchmarks.papers` does from the command line. There are two
protocols: `text` follows the paper's words, with the learners of this package, and `as-run` the
published runs, as far as they are known. A parameter that a paper leaves open is chosen on the
compared runs; where it can also be chosen on the first order of the rows, that is a protocol of its
own, compared on the other orders.

The verdict on a figure is `digit` if mean and standard deviation are those in print. Otherwise it
depends on the difference of the means: `point` up to one point, `holds` up to two points or the
standard error of the published mean, whichever is larger, but at most five points, and `off`
beyond. Errors are divided by the number of instances, so that a point is a hundredth of them. A run
that overflows has no mean: `diverged`. Shares of labels queried hold `by construction` and are not
counted. `write_page` writes a page of the results, in which every published figure has its verdict
or the reason why it has none.

`haphazard` is not a paper whose learners are in this package, but a collection of what others have
published on haphazard inputs. Our systems, with default parameters, are `above` or `below` the best
published figure, whose settings were chosen on the compared stream.
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
