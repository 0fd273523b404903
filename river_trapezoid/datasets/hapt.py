from __future__ import annotations

from collections.abc import Iterator

from river import datasets

from river_trapezoid._parameters import check_choice

from .base import Instance, PublicDataset, RemoteFile, of_classes
from .delimited import UCI

__all__ = ["HAPT"]


class HAPT(PublicDataset):
    """Movements, recorded by a smartphone at the waist.

    Classes 1 to 6 are walking, walking upstairs, walking downstairs, sitting, standing and lying;
    classes 7 to 12 are the transitions between the last three. The rows of the training file come
    before those of the test file. The features are called f1 to f561, as their published names were
    not available.

    Origin: UCI, Smartphone-Based Recognition of Human Activities and Postural Transitions, CC BY
    4.0. The checksums of the files are unknown, so that a download is only checked for
    completeness.

    Parameters
    ----------
    classes
        The positive and the negative class; all other rows are left out. Papers on
        feature streams use the 3,266 rows of walking and walking upstairs. None for all 10,929
        rows of the twelve classes, with their number as label.

    References
    ----------
    [^1]: [Smartphone-Based Recognition of Human Activities and Postural Transitions, UCI](https://archive.ics.uci.edu/dataset/341/smartphone+based+recognition+of+human+activities+and+postural+transitions)

    """

    def __init__(self, classes: tuple[int, int] | None = (1, 2)):
        pairs = [(i, j) for i in range(1, 13) for j in range(1, 13) if i != j]
        check_choice("classes", classes, (None, *pairs))
        archive = (UCI + "00341/HAPT%20Data%20Set.zip",)
        super().__init__(
            *(
                RemoteFile(f"hapt/{name}", archive, member=f"{part}/{name}")
                for part in ("Train", "Test")
                for name in (f"X_{part.lower()}.txt", f"y_{part.lower()}.txt")
            ),
            task=datasets.base.BINARY_CLF if classes else datasets.base.MULTI_CLF,
            n_samples={None: 10929, (1, 2): 3266, (2, 1): 3266}.get(classes),
            n_features=561,
            n_classes=None if classes else 12,
        )
        self.classes = classes

    def _iter(self) -> Iterator[Instance]:
        names = self.features
        for features, labels in (self.files[:2], self.files[2:]):
            with features.path.open() as lines, labels.path.open() as classes:
                yield from of_classes(
                    (
                        (dict(zip(names, map(float, line.split()), strict=True)), int(label))
                        for line, label in zip(lines, classes, strict=True)
                    ),
                    self.classes,
                )
