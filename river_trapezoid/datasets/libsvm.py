from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._formats import libsvm_rows
from .base import Instance, PublicDataset, RemoteFile, of_classes

__all__ = ["BINARY", "MULTICLASS", "LIBSVMDataset"]

BINARY = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
MULTICLASS = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"


class LIBSVMDataset(PublicDataset):
    """A data set in one or more files of LIBSVM's format.

    Features are called f1, f2, and so on, by their index. A feature that a row leaves out has no
    key.

    Parameters
    ----------
    files
        The files.
    classes
        The labels of the positive and the negative class; rows of other classes are left out. None
        to keep all labels.
    desc
        Number of instances and so on, as of a River dataset.

    """

    def __init__(self, *files: RemoteFile, classes: tuple[int, int] | None = (1, -1), **desc: Any):
        super().__init__(*files, **desc)
        self.classes = classes

    def _iter(self) -> Iterator[Instance]:
        for file in self.files:
            with file.path.open(encoding="ascii") as lines:
                yield from of_classes(libsvm_rows(lines), self.classes)
