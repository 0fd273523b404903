"""Tables from the UCI repository: gamma rays, spam, radar, votes, chess."""

from __future__ import annotations

from ._formats import numbered
from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Ionosphere", "KrVsKp", "Magic04", "Spambase", "Vote"]

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)
_VOTES = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)
_CHESS = (
    "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri "
    "mulch qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk "
    "wkcti wkna8 wknck wkovl wkpos wtoeg"
)


class Ionosphere(DelimitedDataset):
    """Radar returns from the ionosphere.

    The positive class is `g`, a good return that shows structure. 17 pulses, each a complex
    number, as f1 to f34; f2 is always 0. 351 rows, 225 positive.

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


class KrVsKp(DelimitedDataset):
    """Chess endings: king and rook against king and pawn on a7.

    The positive class is `won`: White, who is to move, can win. All 36 attributes of the board are
    nominal and one-hot, as `bkblk=f`. The rows are nearly sorted by class: shuffle them. 3,196
    rows of 36 attributes, which make 73 features; 1,669 positive.

    Origin: UCI, Chess (King-Rook vs. King-Pawn), CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per attribute, 36 in all: its values in
        alphabetical order are 0, 1 and 2. These are `f` and `t`, but for `dwipd` (`g`, `l`), `katri`
        (`b`, `n`, `w`) and `wtoeg` (`n`, `t`).

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


class Magic04(DelimitedDataset):
    """Showers seen by a gamma ray telescope (simulated).

    The positive class is `g`, a gamma ray, against hadrons in the background. The rows are sorted
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


class Spambase(DelimitedDataset):
    """E-mails, by the frequency of words and characters.

    The positive class is spam, the file's `1`. Percentages of words (`word_freq_make`) and
    characters (`char_freq_!`), and lengths of runs of capitals. The rows are sorted by class:
    shuffle them. 4,601 rows of 57 features, 1,813 positive.

    Origin: UCI, Spambase, CC BY 4.0. The file there ends its lines in CR LF, many copies in LF;
    either will do.

    References
    ----------
    [^1]: [Spambase, UCI](https://archive.ics.uci.edu/dataset/94/spambase)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "spambase/spambase.data",
                (UCI + "spambase/spambase.data",),
                {
                    702942: "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12",
                    698341: "ebec58cfca94ea61c77df632314acae15bad410f4769d38b1a66cb41050e3431",
                },
            ),
            columns=[
                *(f"word_freq_{word}" for word in _SPAM_WORDS.split()),
                *(f"char_freq_{character}" for character in ";([!$#"),
                *(f"capital_run_length_{part}" for part in ("average", "longest", "total")),
                "class",
            ],
            positive="1",
            n_samples=4601,
        )


class Vote(DelimitedDataset):
    """Votes of the US House of Representatives in 1984.

    The positive class is `democrat`. Sixteen votes, one-hot as `crime=y` and `crime=n`; where the
    position is not known (392 times, in 203 rows), there is neither. 435 rows of 16 votes, which
    make 32 features; 267 positive.

    Origin: UCI, Congressional Voting Records, CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per vote, 16 in all: `n` is 0 and `y` is 1.

    References
    ----------
    [^1]: [Congressional Voting Records, UCI](https://archive.ics.uci.edu/dataset/105/congressional+voting+records)

    """

    def __init__(self, nominal: str = "one-hot"):
        super().__init__(
            RemoteFile(
                "vote/house-votes-84.data",
                (UCI + "voting-records/house-votes-84.data",),
                {18171: "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e"},
            ),
            columns=["class", *_VOTES],
            categories=dict.fromkeys(_VOTES, ("n", "y")),
            nominal=nominal,
            positive="democrat",
            n_samples=435,
        )
