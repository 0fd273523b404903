"""Who is ill: breast cancer in Wisconsin, diabetes among the Pima."""

from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["WBC", "WDBC", "WPBC", "Diabetes"]

_NUCLEUS = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave_points",
    "symmetry",
    "fractal_dimension",
)
# Of each image: the mean over its nuclei, the standard error, and the mean of the three largest.
_NUCLEI = [f"{name}_{part}" for part in ("mean", "se", "worst") for name in _NUCLEUS]


class Diabetes(DelimitedDataset):
    """Pima women, and whether they develop diabetes within five years.

    The positive class is `Outcome` 1, diabetes. Zeros in `Glucose`, `BloodPressure`,
    `SkinThickness`, `Insulin` and `BMI` stand for missing measurements in the source, which does
    not mark them; they stay zeros. 768 rows of 8 features, 268 positive.

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


class WBC(DelimitedDataset):
    """Breast tumours, graded under the microscope.

    The positive class is malignant, the file's `4`. Missing values (16 of `bare_nuclei`) have no
    key. The sample code is left out. 699 rows of 9 features, 241 positive.

    Origin: UCI, Breast Cancer Wisconsin (Original), CC BY 4.0.

    References
    ----------
    [^1]: [Breast Cancer Wisconsin (Original), UCI](https://archive.ics.uci.edu/dataset/15/breast+cancer+wisconsin+original)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "wbc/breast-cancer-wisconsin.data",
                (UCI + "breast-cancer-wisconsin/breast-cancer-wisconsin.data",),
                {19889: "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"},
            ),
            columns=[
                "id",
                "clump_thickness",
                "uniformity_of_cell_size",
                "uniformity_of_cell_shape",
                "marginal_adhesion",
                "single_epithelial_cell_size",
                "bare_nuclei",
                "bland_chromatin",
                "normal_nucleoli",
                "mitoses",
                "class",
            ],
            ignored=("id",),
            positive="4",
            n_samples=699,
        )


class WDBC(DelimitedDataset):
    """Breast tumours, measured in images of their nuclei: diagnosis.

    The positive class is malignant, the file's `M`. Ten measures of a nucleus, each as mean,
    standard error and worst (mean of the three largest) over the image, as `radius_mean`. The
    identifier is left out. 569 rows of 30 features, 212 positive.

    Origin: UCI, Breast Cancer Wisconsin (Diagnostic), CC BY 4.0.

    References
    ----------
    [^1]: [Breast Cancer Wisconsin (Diagnostic), UCI](https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "wdbc/wdbc.data",
                (UCI + "breast-cancer-wisconsin/wdbc.data",),
                {124103: "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a"},
            ),
            columns=["id", "class", *_NUCLEI],
            ignored=("id",),
            positive="M",
            n_samples=569,
        )


class WPBC(DelimitedDataset):
    """Breast tumours, measured in images of their nuclei: prognosis.

    The positive class is a recurrent tumour, the file's `R`. The features are those of `WDBC`,
    the `time` to recurrence or disease-free, the `tumor_size` and the `lymph_node_status`, whose
    4 missing values have no key. The identifier is left out. 198 rows of 33 features, 47 positive.

    Origin: UCI, Breast Cancer Wisconsin (Prognostic), CC BY 4.0.

    References
    ----------
    [^1]: [Breast Cancer Wisconsin (Prognostic), UCI](https://archive.ics.uci.edu/dataset/16/breast+cancer+wisconsin+prognostic)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "wpbc/wpbc.data",
                (UCI + "breast-cancer-wisconsin/wpbc.data",),
                {44234: "f2bd5ccdb6086fa832370dc043319907430cf6bfcfd3b96a3961a357be345c8e"},
            ),
            columns=["id", "class", "time", *_NUCLEI, "tumor_size", "lymph_node_status"],
            ignored=("id",),
            positive="R",
            n_samples=198,
        )
