"""Streams with changing feature spaces, made from any stream of `(x, y)`."""

from .capricious import Capricious
from .decremental import Decremental
from .dense import Dense
from .evolvable import Evolvable
from .haphazard import Haphazard
from .incremental import Incremental
from .obsolete import Obsolete
from .pyramid import Pyramid
from .reappearing import Reappearing
from .redundant import Redundant
from .shuffled import Shuffled
from .sudden import Sudden
from .trapezoidal import Trapezoidal

__all__ = [
    "Capricious",
    "Decremental",
    "Dense",
    "Evolvable",
    "Haphazard",
    "Incremental",
    "Obsolete",
    "Pyramid",
    "Reappearing",
    "Redundant",
    "Shuffled",
    "Sudden",
    "Trapezoidal",
]
