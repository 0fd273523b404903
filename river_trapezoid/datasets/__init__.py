"""The data sets of the papers, as River datasets, streams made up on the fly, and one's own tables.

`TableFile` reads a table of one's own: CSV, JSON lines, LIBSVM or Parquet. `synth` makes streams up.
The others are the papers' data sets.

Files are downloaded on first use into River's data home: `~/river_data`, or the folder that the
environment variable `RIVER_DATA` names. The error of a failed download says which file to put
where. The rows are in the order of the source; many of them are sorted by class, and are no stream
until `stream.Shuffled` shuffles them.

Labels are `True` for the class that the docstring names. Missing values have no key, and neither
have the zeros that a sparse format leaves out. A nominal value has the key `name=value`, and is 1;
with `nominal="ordinal"` it has the name of its column, and is a code. Columns without a published
name are f1, f2, and so on.

`features` lists all features in the order of the columns of the source, which is not that of their
first appearance where rows leave some out. Features of one nominal column are in the order of its
sorted values. For three data sets it reads a file, which is downloaded like the others: `IMDB` lists
the words of its vocabulary, `RCV1Small` the words that occur, `Sensor` the names in its header.

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

>>> datasets.Vote().features[:3]
['handicapped-infants=n', 'handicapped-infants=y', 'water-project-cost-sharing=n']

>>> datasets.Vote(nominal="ordinal").features[:3]
['handicapped-infants', 'water-project-cost-sharing', 'adoption-of-the-budget-resolution']
"""

from . import synth
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
