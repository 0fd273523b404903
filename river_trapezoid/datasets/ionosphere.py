from __future__ import annotations

from ._formats import numbered
from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Ionosphere"]


class Ionosphere(DelimitedDataset):
    """Radar returns from the ionosphere.

    The positive class is `g`, a good return that shows structure. The features f1 to f34 are the
    real and imaginary parts of 17 pulses; f2 is always 0. 351 rows, 225 positive.

    Origin: UCI, Ionosphere, CC BY 4.0.

    References
    ----------
    [^1]: [Ionosphere, UCI](https://archive.ics.uci.edu/dataset/52/ionosphere)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "ionosphere/ionosphere.data",
                (UCI + "ionosphere/ionosphere.data",),
                {76467: "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd"},
            ),
            columns=[*numbered(34), "class"],
            positive="g",
            n_samples=351,
        )
