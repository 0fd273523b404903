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

Instance = tuple[dict[str, float], Any]


@dataclasses.dataclass(frozen=True)
class RemoteFile:
    """A file of a data set: where it is, where it comes from, and how to recognise it.

    Parameters
    ----------
    name
        The path below River's data home.
    urls
        The addresses of the file; the contents of several are concatenated. Empty if no public
        address of the file in this form is known.
    sums
        The possible sizes, each with its sha256; empty if unknown.
    member
        The path in the archive at the address; None if the file is not in an archive.
    archive_sums
        The size and sha256 of that archive; empty if unknown.

    """

    name: str
    urls: tuple[str, ...] = ()
    sums: Mapping[int, str] = dataclasses.field(default_factory=dict)
    member: str | None = None
    archive_sums: Mapping[int, str] = dataclasses.field(default_factory=dict)

    @property
    def path(self) -> pathlib.Path:
        """The path of the file."""
        return pathlib.Path(datasets.base.get_data_home(), self.name)

    @property
    def is_there(self) -> bool:
        """Whether the file is there, with one of its sizes and checksums."""
        return is_intact(self.path, self.sums)

    def problem(self) -> str | None:
        """What is wrong with the file; None if the file is there and intact."""
        if not self.path.is_file():
            return f"{self.path} is not there"
        try:
            check(self.path, str(self.path), self.sums)
        except (DownloadError, OSError) as error:
            return str(error)
        return None

    @property
    def source_path(self) -> pathlib.Path:
        """Where to put a download made by hand: the path of the file or of its archive."""
        if self.member is None:
            return self.path
        return self.path.with_name(urllib.parse.unquote(self.urls[0].rpartition("/")[2]))

    def describe_source(self) -> str:
        """Describe which file to put where by hand."""
        known = self.sums if self.member is None else self.archive_sums
        sums = " or ".join(f"{size:,} bytes, sha256 {sha}" for size, sha in known.items())
        facts = [" followed by ".join(self.urls), sums]
        return f"{self.source_path} ({'; '.join(fact for fact in facts if fact)})"


class PublicDataset(datasets.base.RemoteDataset):
    """A data set in files that are downloaded on first use.

    The files are in River's data home, which is `~/river_data` or the value of the environment
    variable `RIVER_DATA`, in a folder with the usual name of the data set. Without a network, put
    them there by hand; the error of the failed download lists them.

    Parameters
    ----------
    files
        The files.
    desc
        Number of instances and so on, as of a River dataset.

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
        """The path of the file, or of the folder if there are several files."""
        path = self.files[0].path
        return path if len(self.files) == 1 else path.parent

    @property
    def is_downloaded(self) -> bool:
        """Whether all files are there, with the right content as far as checksums are known."""
        return all(file.is_there for file in self.files)

    def download(self, force: bool = False, verbose: bool = True) -> None:
        """Download the missing files.

        Parameters
        ----------
        force
            Whether to download existing files again.
        verbose
            Whether to print the addresses, with a progress bar if tqdm is installed.

        Raises
        ------
        DownloadError
            If a file cannot be downloaded, whatever the reason.

        """
        missing = [file for file in self.files if force or not file.is_there]
        self._provide(missing, type(self).__name__, verbose)

    def _provide(self, files: list[RemoteFile], what: str, verbose: bool = True) -> None:
        """Download files, or raise an error that names what needs them and where to put them."""
        try:
            self._fetch(files, verbose)
        except (DownloadError, OSError) as error:
            wanted = dict.fromkeys(f"\n  {file.describe_source()}" for file in files)
            raise DownloadError(
                f"{what} could not be downloaded: {error}. To use it without a download, put "
                f"these files there by hand:{''.join(wanted)}"
            ) from error

    def _read_permutations(self, file: RemoteFile) -> list[list[int]]:
        """Read the orders of the rows in a MATLAB file, counted from zero."""
        if not file.is_there:
            self._provide([file], f"The list of permutations of {type(self).__name__}")
        return (load_mat(file.path)["ID_ALL"].astype(int) - 1).tolist()

    def _fetch(self, files: list[RemoteFile], verbose: bool) -> None:
        archives: dict[pathlib.Path, list[RemoteFile]] = {}
        for file in files:
            if not file.urls:
                if file.path.is_file():
                    check(file.path, file.path.name, file.sums)
                raise DownloadError(f"no public address of {file.path.name} is known")
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


def of_classes(rows: Iterable[Instance], classes: tuple[Any, Any] | None) -> Iterator[Instance]:
    """Keep the rows of two classes, labelled by whether the class is the first; all if None.

    >>> rows = [({"a": 1.0}, 3), ({"a": 2.0}, 1), ({"a": 3.0}, 2)]
    >>> list(of_classes(rows, (2, 3)))
    [({'a': 1.0}, False), ({'a': 3.0}, True)]

    """
    for x, label in rows:
        if classes is None:
            yield x, label
        elif label in classes:
            yield x, label == classes[0]
