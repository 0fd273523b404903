from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Spambase"]

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)


class Spambase(DelimitedDataset):
    """E-mails, by the frequency of words and characters.

    The positive class is spam, the file's `1`. The features are percentages of words
    (`word_freq_make`) and characters (`char_freq_!`), and lengths of runs of capital letters. The
    rows are sorted by class: shuffle them. 4,601 rows of 57 features, 1,813 positive.

    Origin: UCI, Spambase, CC BY 4.0. Lines end in CR LF there, and in LF in many copies; both are
    accepted.

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
