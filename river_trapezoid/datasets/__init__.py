"""The data sets of the papers, as River datasets, and streams made up on the fly.

Files are downloaded on first use into River's data home: `~/river_data`, or the folder that the
environment variable `RIVER_DATA` names. The error of a failed download says which file to put
where. The rows are in the order of the source; many of them are sorted by class, and are no stream
until `stream.Shuffled` shuffles them.

Labels are `True` for the class that the docstring names. Missing values have no key, and neither
have the zeros that a sparse format leaves out. A nominal value has the key `name=value`, and is 1.
Columns without a published name are f1, f2, and so on.

Some of the papers' data sets are not to be had here, or were never seen:

- air (210 rows, 64 features): the paper names UCI and LIBSVM as its sources; no data set of that
  name and size was found.
- RFID (940 rows, 150 features): no copy was found. The address that the paper gives is
  http://www.lamda.nju.edu.cn/data_RFID.ashx.
- URL (2,396,130 rows, 3,231,961 features) is River's own `river.datasets.MaliciousURL`, of 2.2 GB;
  no copy was at hand, so that nothing here was measured on it.
- The full rcv1 (697,641 rows, LIBSVM's training and test file together): neither file was at hand.
  `RCV1` downloads the training file, with the 20,242 rows that another paper has; `RCV1Small` is a
  sample of 1,000.
- `HAPT`, `RCV1`, `Sensor` and the parts of `Splice` are downloaded from where they were published.
  No copy of the files was at hand, so that their sums are not known, and reading them was tested on
  rows made up in their formats only.

>>> from river_trapezoid import datasets

>>> german = datasets.German()
>>> german.n_samples, german.n_features
(1000, 24)
"""

from . import synth
from .credit import Australian, CreditA, German
from .imdb import IMDB
from .libsvm import DNA, RCV1, A8a, A9a, PhishingLIBSVM, RCV1Small, Splice, SVMGuide3
from .medical import WBC, WDBC, WPBC, Diabetes
from .newsgroups import PCMAC, BaseHock
from .recordings import HAPT, Isolet
from .streams import PowerSupply, Sensor
from .table_file import TableFile
from .uci import Ionosphere, KrVsKp, Magic04, Spambase, Vote

__all__ = [
    "DNA",
    "HAPT",
    "IMDB",
    "PCMAC",
    "RCV1",
    "WBC",
    "WDBC",
    "WPBC",
    "A8a",
    "A9a",
    "Australian",
    "BaseHock",
    "CreditA",
    "Diabetes",
    "German",
    "Ionosphere",
    "Isolet",
    "KrVsKp",
    "Magic04",
    "PhishingLIBSVM",
    "PowerSupply",
    "RCV1Small",
    "SVMGuide3",
    "Sensor",
    "Spambase",
    "Splice",
    "TableFile",
    "Vote",
    "synth",
]
