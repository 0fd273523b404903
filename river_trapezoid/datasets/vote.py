from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Vote"]

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


class Vote(DelimitedDataset):
    """Votes of the US House of Representatives in 1984.

    The positive class is `democrat`. The sixteen votes are one-hot encoded, as in `crime=y` and
    `crime=n`; an unknown position (392, in 203 rows) has neither key. 435 rows of 16 votes, encoded
    as 32 features; 267 positive.

    Origin: UCI, Congressional Voting Records, CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per vote, 16 in total: `n` is 0 and `y` is 1.

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
