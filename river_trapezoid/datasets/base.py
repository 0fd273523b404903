from __future__ import annotations

import dataclasses
import pathlib
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from river import datasets

from ._download import DownloadError, check, extract, fetch, fetched, is_intact
from ._formats import load_mat, numbered

__all__ = ["PublicDataset", "RemoteFile", "of_classes"]

Row = tuple[dict[str, float], Any]


@dataclasses.dataclass(frozen=True)
class RemoteFile:
    """A file of a data set: where it lies, where it comes from, and how to know it.

    Parameters
    ----------
    name
        Its path below River's data home.
    urls
        Where it comes from. The contents of several are put one after the other; none if no
        public address is known that has it in this form.
    sums
        The sizes it may have, each with its sha256; empty if none is known.
    member
        Its path in the archive at the address, if it is in one.
    archive_sums
        The size and sum of that archive, if known.

    """

    name: str
    urls: tuple[str, ...] = ()
    sums: Mapping[int, str] = dataclasses.field(default_factory=dict)
    member: str | None = None
    archive_sums: Mapping[int, str] = dataclasses.field(default_factory=dict)

    @property
    def path(self) -> pathlib.Path:
        """Where it lies."""
        return pathlib.Path(datasets.base.get_data_home(), self.name)

    @property
    def is_there(self) -> bool:
        """Whether it lies there, with a size and sum that it may have."""
        return is_intact(self.path, self.sums)

    @property
    def source_path(self) -> pathlib.Path:
        """Where to put by hand what the address has: the file, or the archive it is in."""
        if self.member is None:
            return self.path
        return self.path.with_name(urllib.parse.unquote(self.urls[0].rpartition("/")[2]))

    def describe_source(self) -> str:
        """Tell what to put where by hand."""
        known = self.sums if self.member is None else self.archive_sums
        sums = " or ".join(f"{size:,} bytes, sha256 {sha}" for size, sha in known.items())
        facts = [" followed by ".join(self.urls), sums]
        return f"{self.source_path} ({'; '.join(fact for fact in facts if fact)})"


class PublicDataset(datasets.base.RemoteDataset):
    """A data set in files that are downloaded on first use, unless they are there.

    They lie in River's data home, `~/river_data` or what the environment variable `RIVER_DATA`
    says, in a folder of the data set's usual name. Where there is no network, they can be put
    there by hand; the error says which.

    Parameters
    ----------
    files
        The files.
    desc
        Number of instances and so on, as for a River dataset.

    Attributes
    ----------
    features
        Names of all features, in the order of the columns of the source.

    """

    def __init__(self, *files: RemoteFile, **desc: Any):
        desc = {"task": datasets.base.BINARY_CLF, **desc}
        super().__init__(
            url=next((url for file in files for url in file.urls), "none known"),
            size=sum(next(iter(file.sums), 0) for file in files),
            unpack=any(file.member for file in files),
            filename=pathlib.PurePath(files[0].name).name,
            **desc,
        )
        self.files = files

    @property
    def features(self) -> list[str]:
        """Names of all features, in the order of the columns of the source: f1, f2, and so on."""
        return numbered(self.n_features)

    @property
    def path(self) -> pathlib.Path:
        """Where the file lies, or the folder if there are several."""
        path = self.files[0].path
        return path if len(self.files) == 1 else path.parent

    @property
    def is_downloaded(self) -> bool:
        """Whether all files are there, with the content that they should have where it is known."""
        return all(file.is_there for file in self.files)

    def download(self, force: bool = False, verbose: bool = True) -> None:
        """Download the files that are not there.

        Parameters
        ----------
        force
            Whether to download those that are there as well.
        verbose
            Whether to say what is downloaded, with a progress bar if tqdm is installed.

        Raises
        ------
        DownloadError
            If a file cannot be had, whatever the reason.

        """
        missing = [file for file in self.files if force or not file.is_there]
        self._provide(missing, type(self).__name__, verbose)

    def _provide(self, files: list[RemoteFile], what: str, verbose: bool = True) -> None:
        """Download files, or raise an error that says what cannot be used without them."""
        try:
            self._fetch(files, verbose)
        except (DownloadError, OSError) as error:
            wanted = dict.fromkeys(f"\n  {file.describe_source()}" for file in files)
            raise DownloadError(
                f"{what} could not be downloaded: {error}. To use it without a download, put there "
                f"by hand:{''.join(wanted)}"
            ) from error

    def _read_permutations(self, file: RemoteFile) -> list[list[int]]:
        """Read the orders of the rows that come with a MATLAB file, counted from zero."""
        if not file.is_there:
            self._provide([file], f"The list of permutations of {type(self).__name__}")
        return (load_mat(file.path)["ID_ALL"].astype(int) - 1).tolist()

    def _fetch(self, files: list[RemoteFile], verbose: bool) -> None:
        archives: dict[pathlib.Path, list[RemoteFile]] = {}
        for file in files:
            if not file.urls:
                if file.path.is_file():
                    check(file.path, file.path.name, file.sums)
                raise DownloadError(f"{file.path.name} has no public address that is known here")
            if file.member is None:
                fetch(file.urls, file.path, file.sums, verbose)
            else:
                archives.setdefault(file.source_path, []).append(file)
        for path, members in archives.items():
            urls, sums = members[0].urls, members[0].archive_sums
            if path.is_file():
                check(path, path.name, sums)
                self._unpack(path, members)
                continue
            with fetched(urls, path, sums, verbose) as archive:
                self._unpack(archive, members)

    def _unpack(self, archive: pathlib.Path, files: list[RemoteFile]) -> None:
        for file in files:
            extract(archive, file.member or "", file.path, file.sums)

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        if not self.size:
            content["Size"] = "unknown"
        return content


def of_classes(rows: Iterable[Row], classes: tuple[Any, Any] | None) -> Iterator[Row]:
    """Keep the rows of two classes, with the label whether it is the first; all if None.

    >>> rows = [({"a": 1.0}, 3), ({"a": 2.0}, 1), ({"a": 3.0}, 2)]
    >>> list(of_classes(rows, (2, 3)))
    [({'a': 1.0}, False), ({'a': 3.0}, True)]

    """
    for x, label in rows:
        if classes is None:
            yield x, label
        elif label in classes:
            yield x, label == classes[0]
