"""The data sets of the papers as River datasets, synthetic streams, and your own tables.

`TableFile` reads your own table from CSV, JSON lines, LIBSVM or Parquet. `synth` has synthetic
streams. All others are the data sets of the papers.

Files are downloaded on first use to River's data home, which is `~/river_data` or the value of the
environment variable `RIVER_DATA`. The error of a failed download lists the files to put there by
hand. The rows are in the order of the source. Many sources are sorted by class: use
`stream.Shuffled` to make a stream of them.

Labels are `True` for the positive class that the docstring names. Missing values have no key; nor
do the zeros that a sparse format leaves out. A nominal value is a feature `name=value` with the
value 1, or with `nominal="ordinal"` a code in the feature of its column. Columns without a
published name are called f1, f2, and so on.

`features` lists all features in the order of the columns of the source, which differs from the
order of their first appearance where rows leave some out. Features of a nominal column are in the
order of its sorted values. Three data sets read their features from a file, which is downloaded if
needed: `IMDB` lists the words of its vocabulary, `RCV1Small` the words that occur, `Sensor` the
names in its header.

Some data sets of the papers are not available, or no copy of them was available for tests:

- air (210 rows, 64 features): the paper names UCI and LIBSVM as its sources; no data set of that
  name and size was found.
- RFID (940 rows, 150 features): no copy was found. The address in the paper is
  http://www.lamda.nju.edu.cn/data_RFID.ashx.
- URL (2,396,130 rows, 3,231,961 features) is `river.datasets.MaliciousURL`, of 2.2 GB; no copy was
  available, so that nothing was measured on it.
- The full rcv1 (697,641 rows, LIBSVM's training and test file together): neither file was
  available. `RCV1` downloads the training file, with the 20,242 rows that another paper uses;
  `RCV1Small` is a sample of 1,000.
- `HAPT`, `RCV1`, `Sensor` and the parts of `Splice` are downloaded from their publishers. No copy
  of the files was available, so that their checksums are unknown, and their readers were tested
  only on synthetic rows in their formats.

>>> from river_trapezoid import datasets

>>> german = datasets.German()
>>> german.n_samples, german.n_features
(1000, 24)

>>> datasets.Vote().features[:3]
['handicapped-infants=n', 'handicapped-infants=y', 'water-project-cost-sharing=n']

>>> datasets.Vote(nominal="ordinal").features[:3]
['handicapped-infants', 'water-project-cost-sharing', 'adoption-of-the-budget-resolution']
"""

from . import synth
from ._download import DownloadError
from .adult import A8a, A9a
from .australian import Australian
from .credit_a import CreditA
from .diabetes import Diabetes
from .dna import DNA
from .german import German
from .hapt import HAPT
from .imdb import IMDB
from .ionosphere import Ionosphere
from .isolet import Isolet
from .kr_vs_kp import KrVsKp
from .magic04 import Magic04
from .newsgroups import PCMAC, BaseHock
from .phishing_libsvm import PhishingLIBSVM
from .power_supply import PowerSupply
from .rcv1 import RCV1, RCV1Small
from .sensor import Sensor
from .spambase import Spambase
from .splice import Splice
from .svmguide3 import SVMGuide3
from .table_file import TableFile
from .tables import FileError
from .vote import Vote
from .wisconsin import WBC, WDBC, WPBC

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
    "DownloadError",
    "FileError",
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
