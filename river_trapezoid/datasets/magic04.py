from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Magic04"]


class Magic04(DelimitedDataset):
    """Showers seen by a gamma ray telescope (simulated).

    The positive class is `g`, gamma rays; the other class is the background of hadrons. The rows are sorted
    by class: shuffle them. 19,020 rows of 10 features, 12,332 positive.

    Origin: UCI, MAGIC Gamma Telescope, CC BY 4.0.

    References
    ----------
    [^1]: [MAGIC Gamma Telescope, UCI](https://archive.ics.uci.edu/dataset/159/magic+gamma+telescope)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "magic04/magic04.data",
                (UCI + "magic/magic04.data",),
                {1477391: "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a"},
            ),
            columns=[
                *("fLength", "fWidth", "fSize", "fConc", "fConc1", "fAsym"),
                *("fM3Long", "fM3Trans", "fAlpha", "fDist", "class"),
            ],
            positive="g",
            n_samples=19020,
        )
