"""Linear learners for streams whose features come and go.

`EvidenceClassifier` is new. The learners of the papers are settings of the others, and one of them,
OCO, is a setting of River's:

| paper | here |
|---|---|
| OLSF, OLSF-I, OLSF-II; STSD, -I, -II | `OLSFClassifier(mode=0 / 1 / 2)` |
| OLSF-all, OLSF-rand, OLSF-per | `OLSFClassifier(B=1.0)`, `(selection="random")`, `(step="perceptron")` |
| OLSF-all, as its published figures were obtained | `OLSFClassifier(B=1.0, radius=None)` |
| OFS, OFS_P | `OFSClassifier()`, `OFSClassifier(epsilon=0.2, predict_from="observed")` |
| FESL-c, FESL-s | `FESLClassifier(mode="combine" / "select")` |
| OCDS, OCDS-o, OCDS-r | `OCDSClassifier(prediction="mixture" / "observed" / "reconstructed")` |
| OCO, online gradient descent on the observed features | `river.linear_model.LogisticRegression(optim.SGD(optim.schedulers.InverseScaling(1 / math.log(2))), intercept_lr=0)` |

The systems that query labels (FLLS, PEA and others) are in `active`.
"""

from .evidence import EvidenceClassifier
from .fesl import FESLClassifier
from .multiclass_olsf import MulticlassOLSFClassifier
from .ocds import OCDSClassifier
from .ofs import OFSClassifier
from .olsf import OLSFClassifier

__all__ = [
    "EvidenceClassifier",
    "FESLClassifier",
    "MulticlassOLSFClassifier",
    "OCDSClassifier",
    "OFSClassifier",
    "OLSFClassifier",
]
