"""Downloads, whose files are complete and checked."""

from __future__ import annotations

import bz2
import contextlib
import hashlib
import http.client
import pathlib
import socket
import tarfile
import threading
import urllib.request
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import IO

from river.utils.pretty import humanize_bytes

from river_trapezoid._files import replacing, scratch_file
from river_trapezoid._progress import bar

__all__ = [
    "DownloadError",
    "check",
    "extract",
    "fetch",
    "fetched",
    "is_intact",
    "open_tar",
    "reading",
]

_CHUNK = 1 << 16
# The most seconds without an answer, and for a file.
_TIMEOUT = 60.0
_DEADLINE = 3600
# The most bytes of a file of unknown size or of an unpacked tar archive, and the most members of an
# archive: more than any of the data sets has.
_LARGEST = 1 << 30
_MOST_MEMBERS = 500_000
# Device, inode, size, time and checksum of the files that were found to be intact.
_intact: set[tuple[int, int, int, int, str]] = set()


class DownloadError(RuntimeError):
    """A file cannot be downloaded, or does not have its published content."""


def fetch(
    urls: Sequence[str],
    path: pathlib.Path,
    sums: Mapping[int, str] | None = None,
    verbose: bool = True,
) -> None:
    """Download a file to a temporary file, check it, and move it to its path.

    Parameters
    ----------
    urls
        The addresses; the contents of several are concatenated.
    path
        The path of the file.
    sums
        The possible sizes, each with its sha256; empty or None if unknown.
    verbose
        Whether to print the addresses, with a progress bar if tqdm is installed.

    Raises
    ------
    DownloadError
        If an address does not answer, or if the file is incomplete, too large, takes more than an
        hour, or does not match `sums`.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as scratch:
        _save(_download(urls, verbose), scratch, path.name, sums)


@contextlib.contextmanager
def fetched(
    urls: Sequence[str],
    path: pathlib.Path,
    sums: Mapping[int, str] | None = None,
    verbose: bool = True,
) -> Iterator[pathlib.Path]:
    """Download a file as `fetch` does, to a temporary file that is removed at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch_file(path) as scratch:
        _save(_download(urls, verbose), scratch, path.name, sums)
        yield scratch


def extract(
    archive: pathlib.Path,
    member: str,
    path: pathlib.Path,
    sums: Mapping[int, str] | None = None,
) -> None:
    """Write one member of an archive to `path`, whatever its path in the archive is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as scratch:
        _save(_content(archive, member), scratch, path.name, sums)


def _save(
    chunks: Generator[bytes],
    path: pathlib.Path,
    name: str,
    sums: Mapping[int, str] | None,
) -> None:
    """Write the content of the file `name` to `path`, up to its largest size, and check it."""
    limit = max(sums or (), default=_LARGEST)
    size = 0
    with contextlib.closing(chunks), path.open("wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise DownloadError(f"{name} has more than {limit:,} bytes")
            file.write(chunk)
    check(path, name, sums)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn the errors of the readers of archives into a `DownloadError` about `name`.

    On damaged or malicious content the readers raise errors of some twenty classes, none of which
    is documented.
    """
    try:
        yield
    except DownloadError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DownloadError(f"{name} cannot be read ({reason})") from error


@contextlib.contextmanager
def open_tar(archive: pathlib.Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """Open a tar archive and yield the names and contents of its regular files."""
    with tarfile.open(archive) as tape:
        yield _regular_files(tape)


def _regular_files(tape: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes]]]:
    for n, entry in enumerate(tape):
        # To read the next member, this one is decompressed.
        if n >= _MOST_MEMBERS or entry.offset_data + entry.size > _LARGEST:
            raise DownloadError(f"the archive is too large at {entry.name}")
        # Links are not followed.
        if entry.isfile() and (file := tape.extractfile(entry)):
            yield entry.name, file


def _content(archive: pathlib.Path, member: str) -> Generator[bytes]:
    """Yield the content of a member of a zip or tar archive, or of a bz2 file.

    The member may be in a folder of the archive. Only its content is used, so that no name in an
    archive becomes a path on the disk. Absolute names, and names with `..`, are skipped.
    """
    with reading(f"the archive with {member}"):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                for name in zipped.namelist():
                    if _is_called(member, name):
                        with zipped.open(name) as file:
                            yield from _chunks(file)
                        return
        elif tarfile.is_tarfile(archive):
            with open_tar(archive) as files:
                for name, file in files:
                    if _is_called(member, name):
                        yield from _chunks(file)
                        return
        else:
            with bz2.open(archive) as file:
                yield from _chunks(file)
            return
        raise DownloadError(f"the archive has no {member}")


def _is_called(member: str, name: str) -> bool:
    path = pathlib.PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        return False
    return name == member or name.endswith("/" + member)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(_CHUNK), b"")


def check(path: pathlib.Path, name: str, sums: Mapping[int, str] | None) -> None:
    """Raise a `DownloadError` about `name` if a file does not match `sums`.

    An intact file is read once in the life of the process, unless its size or time changes.
    """
    if not sums:
        return
    stat = path.stat()
    size = stat.st_size
    if size not in sums:
        wanted = " or ".join(f"{known:,}" for known in sums)
        raise DownloadError(f"{name} has {size:,} bytes rather than {wanted}")
    state = (stat.st_dev, stat.st_ino, size, stat.st_mtime_ns, sums[size])
    if state in _intact:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sums[size]:
        raise DownloadError(f"{name} has the sha256 {found} rather than {sums[size]}")
    _intact.add(state)


def is_intact(path: pathlib.Path, sums: Mapping[int, str] | None) -> bool:
    """Whether a file is there and matches `sums`."""
    try:
        check(path, path.name, sums)
        return path.is_file()
    except (DownloadError, OSError):
        return False


def _download(urls: Sequence[str], verbose: bool) -> Generator[bytes]:
    """Yield the content of the addresses; raise an error if it is incomplete or late."""
    with _Watchdog(_DEADLINE) as watchdog:
        for url in urls:
            try:
                yield from _body(url, watchdog, verbose)
            except DownloadError:
                raise
            # A redirection to an invalid address raises a ValueError.
            except (OSError, http.client.HTTPException, ValueError) as error:
                watchdog.check(url)
                raise DownloadError(f"{url} cannot be read ({error})") from error


def _body(url: str, watchdog: _Watchdog, verbose: bool) -> Iterator[bytes]:
    with watchdog.open(url) as response:
        total = response.length
        if total is None and "Content-Length" in response.headers and not response.chunked:
            length = response.headers["Content-Length"]
            raise DownloadError(f"the Content-Length of {url} must be a number; got {length!r}")
        if verbose:
            print(f"Downloading {url}" + (f" ({humanize_bytes(total)})" if total else ""))
        received = 0
        with bar(total, verbose, unit="B", unit_scale=True) as advance:
            # Unlike `read`, `read1` returns what has arrived.
            while chunk := response.read1(_CHUNK):
                watchdog.check(url)
                received += len(chunk)
                advance(len(chunk))
                yield chunk
    watchdog.check(url)
    if total is not None and received != total:
        raise DownloadError(f"{url} ended after {received:,} of {total:,} bytes")


class _Watchdog:
    """Opens addresses, and shuts their connections down when the time is up.

    The timeout of a socket restarts with each byte, so that a server that sends one byte a minute
    could hold a reader for ever.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.expired = False
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        watchdog = self

        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                # A duplicate of the handle, as TLS takes the handle over.
                watchdog._sockets.append(self.sock.dup())
                watchdog.check(self.host)

        class SecureConnection(http.client.HTTPSConnection, Connection):
            pass

        class Handler(urllib.request.HTTPHandler):
            def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(Connection, request)

        class SecureHandler(urllib.request.HTTPSHandler):
            def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(SecureConnection, request)

        self._opener = urllib.request.build_opener(Handler, SecureHandler)

    def open(self, url: str) -> http.client.HTTPResponse:
        response: http.client.HTTPResponse = self._opener.open(url, timeout=_TIMEOUT)
        return response

    def check(self, url: str) -> None:
        if self.expired:
            raise DownloadError(f"{url} took longer than {self.seconds:,} seconds")

    def _expire(self) -> None:
        self.expired = True
        for connection in self._sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        for connection in self._sockets:
            connection.close()
