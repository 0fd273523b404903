from __future__ import annotations

from .base import RemoteFile
from .delimited import DelimitedDataset

__all__ = ["Diabetes"]


class Diabetes(DelimitedDataset):
    """Pima women, and whether they develop diabetes within five years.

    The positive class is `Outcome` 1, diabetes. In the source, zeros in `Glucose`, `BloodPressure`,
    `SkinThickness`, `Insulin` and `BMI` are unmarked missing measurements; they are kept as zeros.
    768 rows of 8 features, 268 positive.

    Origin: National Institute of Diabetes and Digestive and Kidney Diseases. UCI no longer offers
    it; the address is that of one of many copies. No licence is stated there.

    References
    ----------
    [^1]: Smith, J.W., Everhart, J.E., Dickson, W.C., Knowler, W.C. and Johannes, R.S., 1988. Using the ADAP learning algorithm to forecast the onset of diabetes mellitus. Symposium on Computer Applications and Medical Care, pp.261-265.

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "diabetes/diabetes.csv",
                (
                    "https://raw.githubusercontent.com/npradaschnor/"
                    "Pima-Indians-Diabetes-Dataset/master/diabetes.csv",
                ),
                {23105: "b78029447fae2743b3218bb2b76ef0d04afe8d7e55ce2faf4d1ec82d8f8ae8ac"},
            ),
            columns=[
                "Pregnancies",
                "Glucose",
                "BloodPressure",
                "SkinThickness",
                "Insulin",
                "BMI",
                "DiabetesPedigreeFunction",
                "Age",
                "Outcome",
            ],
            label="Outcome",
            positive="1",
            n_samples=768,
            header=True,
        )
