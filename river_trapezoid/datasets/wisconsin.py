from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["WBC", "WDBC", "WPBC"]

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
# For each image: the mean over its nuclei, the standard error, and the mean of the three largest.
_NUCLEI = [f"{name}_{part}" for part in ("mean", "se", "worst") for name in _NUCLEUS]


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
    the `time` to recurrence or without disease, the `tumor_size`, and the `lymph_node_status`, whose
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
