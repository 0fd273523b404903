from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["KrVsKp"]

_CHESS = (
    "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri "
    "mulch qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk "
    "wkcti wkna8 wknck wkovl wkpos wtoeg"
)


class KrVsKp(DelimitedDataset):
    """Chess endings: king and rook against king and pawn on a7.

    The positive class is `won`: White, who is to move, can win. All 36 attributes of the board are
    nominal and one-hot encoded, as in `bkblk=f`. The rows are nearly sorted by class: shuffle them.
    3,196 rows of 36 attributes, encoded as 73 features; 1,669 positive.

    Origin: UCI, Chess (King-Rook vs. King-Pawn), CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per attribute, 36 in total, with the values
        numbered 0, 1, 2 in alphabetical order. The values are `f` and `t`, except for `dwipd` (`g`,
        `l`), `katri` (`b`, `n`, `w`) and `wtoeg` (`n`, `t`).

    References
    ----------
    [^1]: [Chess (King-Rook vs. King-Pawn), UCI](https://archive.ics.uci.edu/dataset/22/chess+king+rook+vs+king+pawn)

    """

    def __init__(self, nominal: str = "one-hot"):
        columns = _CHESS.split()
        super().__init__(
            RemoteFile(
                "kr-vs-kp/kr-vs-kp.data",
                (UCI + "chess/king-rook-vs-king-pawn/kr-vs-kp.data",),
                {245952: "70a5540902b4063d3977d3e820ac5b9fe5624eb5d93709eee5d50d7a94fca205"},
            ),
            columns=[*columns, "class"],
            categories={
                **dict.fromkeys(columns, ("f", "t")),
                "dwipd": ("g", "l"),
                "katri": ("b", "n", "w"),
                "wtoeg": ("n", "t"),
            },
            nominal=nominal,
            positive="won",
            n_samples=3196,
        )
