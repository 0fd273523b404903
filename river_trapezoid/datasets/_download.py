"""How a file comes from elsewhere: whole and checked, or not at all."""

from __future__ import annotations

import bz2
import contextlib
import hashlib
import http.client
import os
import pathlib
import secrets
import shutil
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from river.utils.pretty import humanize_bytes

from river_trapezoid._progress import bar

__all__ = ["DownloadError", "check", "extract", "fetch", "open_member", "place", "temporary"]

_CHUNK = 1 << 16
_TIMEOUT = 60.0


class DownloadError(RuntimeError):
    """A file could not be had, or is not the one it should be."""


def fetch(
    urls: Sequence[str],
    path: pathlib.Path,
    sums: Mapping[int, str] | None = None,
    verbose: bool = True,
) -> None:
    """Download a file, to a temporary one that is checked and moved into place.

    Parameters
    ----------
    urls
        Where it comes from. The contents of several are put one after the other.
    path
        Where it goes.
    sums
        The sizes it may have, each with its sha256. Empty or None if none is known.
    verbose
        Whether to say what is downloaded, with a progress bar if tqdm is installed.

    Raises
    ------
    DownloadError
        If an address does not answer, the file is cut short, or it is not as `sums` says.

    """
    with temporary(path) as scratch:
        with scratch.open("xb") as file:
            for url in urls:
                for chunk in _chunks(url, verbose):
                    file.write(chunk)
        place(scratch, path, sums)


def extract(
    archive: pathlib.Path,
    member: str,
    path: pathlib.Path,
    sums: Mapping[int, str] | None = None,
) -> None:
    """Write one member of an archive to `path`, whatever path the archive has for it."""
    with temporary(path) as scratch:
        with open_member(archive, member) as source, scratch.open("xb") as file:
            shutil.copyfileobj(source, file)
        place(scratch, path, sums)


@contextlib.contextmanager
def open_member(archive: pathlib.Path, member: str) -> Iterator[IO[bytes]]:
    """Open a member of a zip or tar archive, or the one content of a bz2 file.

    The archive may have it in a folder. Only its content is read, so that no name in an archive
    can lead anywhere; names that try to are passed over.
    """
    try:
        if zipfile.is_zipfile(archive):
            with (
                zipfile.ZipFile(archive) as zipped,
                zipped.open(_find(member, zipped.namelist())) as file,
            ):
                yield file
        elif tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tape:
                names = [entry.name for entry in tape if entry.isfile()]
                content = tape.extractfile(_find(member, names))
                assert content is not None  # It is a regular file.
                yield content
        else:
            with bz2.open(archive) as file:
                yield file
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise DownloadError(f"the archive with {member} cannot be read ({error})") from error


def _find(member: str, names: list[str]) -> str:
    for name in names:
        path = pathlib.PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            continue
        if name == member or name.endswith("/" + member):
            return name
    raise DownloadError(f"the archive has no {member}")


@contextlib.contextmanager
def temporary(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield a name beside `path`, of a file that is removed in the end unless it was moved.

    No other process has it, so that several may write the same file at once: the last to be done
    moves its own over an equal one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)


def place(scratch: pathlib.Path, path: pathlib.Path, sums: Mapping[int, str] | None = None) -> None:
    """Check a file and move it to `path` in one step."""
    check(scratch, path.name, sums)
    os.replace(scratch, path)


def check(path: pathlib.Path, name: str, sums: Mapping[int, str] | None) -> None:
    """Raise a `DownloadError` about `name` if a file is not as `sums` says."""
    if not sums:
        return
    size = path.stat().st_size
    if size not in sums:
        wanted = " or ".join(f"{known:,}" for known in sums)
        raise DownloadError(f"{name} has {size:,} bytes, not {wanted}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sums[size]:
        raise DownloadError(f"{name} has the sha256 {found}, not {sums[size]}")


def _chunks(url: str, verbose: bool) -> Iterator[bytes]:
    """Yield what an address delivers; raise if it does not, or not all of it."""
    received = 0
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length else None
            if verbose:
                print(f"Downloading {url}" + (f" ({humanize_bytes(total)})" if total else ""))
            with bar(total, verbose, unit="B", unit_scale=True) as advance:
                while chunk := response.read(_CHUNK):
                    received += len(chunk)
                    advance(len(chunk))
                    yield chunk
    except (OSError, http.client.HTTPException) as error:
        raise DownloadError(f"{url} cannot be read ({error})") from error
    if total is not None and received != total:
        raise DownloadError(f"{url} broke off after {received:,} of {total:,} bytes")
