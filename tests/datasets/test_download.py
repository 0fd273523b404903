from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import http.server
import io
import os
import resource
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

import pytest

from river_trapezoid.datasets import _download, imdb
from river_trapezoid.datasets._download import DownloadError, extract, fetch
from river_trapezoid.datasets.base import PublicDataset, RemoteFile

BODY = b"".join(b"row %d\n" % i for i in range(50_000))
SUMS = {len(BODY): hashlib.sha256(BODY).hexdigest()}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(self.path)
        with contextlib.suppress(OSError, threading.BrokenBarrierError):
            self.answer(server.bodies.get(self.path.strip("/")))

    def answer(self, body):
        if body is None:
            self.send_error(404)
            return
        if callable(body):
            for block in body():
                self.wfile.write(block)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path == "/short" or (self.path == "/flaky" and self.server.requests[1:] == []):
            self.wfile.write(body[: len(body) // 2])
        elif self.path == "/together":
            self.wfile.write(body[: len(body) // 2])
            self.server.both_half_way.wait()
            self.wfile.write(body[len(body) // 2 :])
        else:
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.requests = []
        server.both_half_way = threading.Barrier(2, timeout=60)
        server.bodies = dict.fromkeys(("good", "short", "flaky", "together"), BODY)
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("RIVER_DATA", str(home))
    return home


class Lines(PublicDataset):
    """Lines of a file."""

    def __init__(self, *files):
        super().__init__(*files, n_samples=50_000, n_features=1)

    def _iter(self):
        with self.path.open() as lines:
            for line in lines:
                yield {"row": float(line.split()[1])}, True


def tree(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def test_a_good_file_is_downloaded_once(server, home, capsys):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/good",), SUMS))
    assert not dataset.is_downloaded
    assert [x["row"] for x, _ in dataset.take(3)] == [0.0, 1.0, 2.0]
    assert dataset.is_downloaded
    assert len(list(dataset)) == dataset.n_samples
    assert server.requests == ["/good"]
    assert dataset.path == home / "lines" / "a.txt"
    assert dataset.path.read_bytes() == BODY
    assert tree(home) == ["lines", "lines/a.txt"]
    assert f"Downloading {server.url}/good" in capsys.readouterr().out
    dataset.download()
    assert server.requests == ["/good"]
    dataset.download(force=True, verbose=False)
    assert server.requests == ["/good", "/good"]
    out = capsys.readouterr()
    assert out.out == out.err == ""


def test_contents_of_several_addresses_are_concatenated(server, home):
    server.bodies |= {"head": BODY[:1000], "tail": BODY[1000:]}
    urls = (f"{server.url}/head", f"{server.url}/tail")
    fetch(urls, home / "a.txt", SUMS, verbose=False)
    assert (home / "a.txt").read_bytes() == BODY


@pytest.mark.parametrize(
    ("path", "sums", "reason"),
    [
        ("short", {}, "ended after 244,445 of 488,890 bytes"),
        ("missing", {}, "404"),
        ("good", {len(BODY): "0" * 64}, "has the sha256 [0-9a-f]{64} rather than 0000"),
        ("good", {7: "0" * 64}, "a.txt has more than 7 bytes"),
    ],
)
def test_a_bad_download_leaves_nothing_and_says_what_to_do(server, home, path, sums, reason):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/{path}",), sums))
    with pytest.raises(DownloadError, match=reason) as caught:
        next(iter(dataset))
    assert f"{home}/lines/a.txt ({server.url}/{path}" in str(caught.value)
    assert tree(home) == ["lines"]


def test_a_bad_download_leaves_the_file_that_is_there_alone(server, home):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/short",)))
    (home / "lines").mkdir()
    dataset.path.write_text("row 1\n")
    with pytest.raises(DownloadError):
        dataset.download(force=True, verbose=False)
    assert list(dataset) == [({"row": 1.0}, True)]


def test_without_a_network_the_error_lists_the_files_to_put_there(home):
    dataset = Lines(RemoteFile("lines/a.txt", ("http://127.0.0.1:1/a.txt",), SUMS))
    with pytest.raises(DownloadError) as caught:
        dataset.download()
    message = str(caught.value)
    assert message.startswith("Lines could not be downloaded: http://127.0.0.1:1/a.txt cannot be")
    ((size, sha),) = SUMS.items()
    assert f"{home}/lines/a.txt (http://127.0.0.1:1/a.txt; {size:,} bytes, sha256 {sha})" in message


def test_the_error_about_a_file_without_an_address_gives_its_path(home):
    dataset = Lines(RemoteFile("lines/a.txt", sums=SUMS))
    with pytest.raises(DownloadError, match=r"no public address.*\n  .*lines/a\.txt \("):
        dataset.download()
    dataset.path.parent.mkdir()
    dataset.path.write_bytes(BODY[:-1])
    assert not dataset.is_downloaded
    dataset.path.write_bytes(BODY)
    assert len(list(dataset)) == 50_000


def test_a_file_of_the_right_size_with_the_wrong_content_is_refused(server, home):
    ((size, sha),) = SUMS.items()
    wrong = BODY.replace(b"row 7\n", b"row 8\n")
    file = RemoteFile("lines/a.txt", (f"{server.url}/good",), SUMS)
    file.path.parent.mkdir()
    file.path.write_bytes(wrong)
    assert len(wrong) == size
    assert not Lines(file).is_downloaded
    by_hand = Lines(RemoteFile("lines/a.txt", sums=SUMS))
    with pytest.raises(
        DownloadError, match=f"a.txt has the sha256 [0-9a-f]{{64}} rather than {sha}"
    ):
        next(iter(by_hand))
    assert file.path.read_bytes() == wrong
    assert len(list(Lines(file))) == 50_000
    assert file.path.read_bytes() == BODY
    assert by_hand.is_downloaded


def test_the_checksum_of_a_file_is_computed_once(home, monkeypatch):
    digests = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *args: digests.append(1) or digest(*args))
    (home / "a.txt").write_bytes(BODY)
    dataset = Lines(RemoteFile("a.txt", sums=SUMS))
    assert [len(list(dataset.take(3))) for _ in range(5)] == [3] * 5
    assert dataset.is_downloaded
    assert digests == [1]
    os.utime(home / "a.txt", (1, 1))
    assert dataset.is_downloaded
    assert digests == [1, 1]


HEAD = b"HTTP/1.1 200 OK\r\n"


def endless(start):
    yield start
    while True:
        yield b"x" * 65536


def endless_chunks():
    yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"10000\r\n" + b"x" * 65536 + b"\r\n"


@pytest.mark.parametrize("sums", [SUMS, {}], ids=["known", "unknown"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(lambda: endless(HEAD + b"\r\n"), id="until it closes"),
        pytest.param(lambda: endless(HEAD + b"Content-Length: %d\r\n\r\n" % 10**15), id="petabyte"),
        pytest.param(endless_chunks, id="chunked"),
    ],
)
def test_an_endless_response_is_cut_off(server, home, monkeypatch, body, sums):
    monkeypatch.setattr(_download, "_LARGEST", 1_000_000)
    server.bodies["endless"] = body
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/endless",), sums))
    limit = max(sums, default=1_000_000)
    with largest_file(2_000_000), pytest.raises(DownloadError, match=f"more than {limit:,} bytes"):
        dataset.download(verbose=False)
    assert tree(home) == ["lines"]


def drip(start, then=b"x"):
    yield start
    for _ in range(100):
        time.sleep(0.05)
        yield then


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(lambda: drip(HEAD, b"X"), id="header"),
        pytest.param(lambda: drip(HEAD + b"\r\n"), id="until it closes"),
        pytest.param(lambda: drip(HEAD + b"Content-Length: 100\r\n\r\n"), id="body"),
        pytest.param(
            lambda: drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"), id="chunk size"
        ),
    ],
)
def test_a_slow_server_is_left_at_the_deadline(server, home, monkeypatch, body):
    monkeypatch.setattr(_download, "_DEADLINE", 0.5)
    server.bodies |= {"slow": body}
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/slow",)))
    started = time.monotonic()
    with pytest.raises(DownloadError, match=r"/slow took longer than 0\.5 seconds"):
        dataset.download(verbose=False)
    assert time.monotonic() - started < 3
    assert tree(home) == ["lines"]


def test_an_endless_handshake_is_left_at_the_deadline(home, monkeypatch):
    monkeypatch.setattr(_download, "_DEADLINE", 0.5)

    def handshake(listener):
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            # The start of a record of 16 kB.
            for block in drip(b"\x16\x03\x03\x40\x00\x02"):
                connection.sendall(block)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=handshake, args=(listener,))
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/a.txt"
        with pytest.raises(DownloadError, match=r"/a\.txt took longer than 0\.5 seconds"):
            fetch([url], home / "a.txt", verbose=False)
        thread.join()


def redirection(target):
    return lambda: [b"HTTP/1.1 302 Found\r\nLocation: " + target + b"\r\n\r\n"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(lambda: [HEAD + b"Content-Length: abc\r\n\r\nx"], id="length of letters"),
        pytest.param(lambda: [HEAD + b"Content-Length: -5\r\n\r\nx"], id="negative length"),
        pytest.param(
            lambda: [HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"], id="chunk of letters"
        ),
        pytest.param(lambda: [b"\0" * 100_000], id="no HTTP"),
        pytest.param(list, id="nothing"),
        pytest.param(lambda: [HEAD + b"X: y\r\n" * 1000 + b"\r\n"], id="a thousand headers"),
        pytest.param(redirection(b"/evil"), id="to itself"),
        pytest.param(redirection(b"http://[::1/"), id="to no address"),
        pytest.param(redirection(b"http://" + b"a" * 70 + b".invalid/"), id="to no name"),
        pytest.param(redirection(b"http://127.0.0.1:port/"), id="to no port"),
        pytest.param(redirection(b"file:///etc/passwd"), id="to a file"),
    ],
)
def test_every_bad_answer_of_a_server_is_a_download_error(server, home, body):
    server.bodies["evil"] = body
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/evil",)))
    with pytest.raises(DownloadError, match=r"/evil (cannot be read|must be a number; got '.*')"):
        dataset.download(verbose=False)
    assert tree(home) == ["lines"]


@contextlib.contextmanager
def largest_file(size):
    """Make writing fail where a file would grow, as on a full disk."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def test_a_full_disk_is_a_download_error(server, home):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/good",), SUMS))
    server.bodies["x.zip"] = zipped([("a.txt", BODY)], zipfile.ZIP_DEFLATED)
    member = Lines(RemoteFile("lines/b.txt", (f"{server.url}/x.zip",), SUMS, "a.txt"))
    for each in (dataset, member):
        with largest_file(300_000), pytest.raises(DownloadError, match="File too large"):
            each.download(verbose=False)
        assert tree(home) == ["lines"]


def test_a_data_home_that_is_not_a_folder_is_a_download_error(server, home, monkeypatch):
    (home / "file").touch()
    monkeypatch.setenv("RIVER_DATA", str(home / "file"))
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/good",), SUMS))
    with pytest.raises(DownloadError, match=r"Not a directory.*put these files there by hand"):
        dataset.download(verbose=False)


def test_an_interrupted_download_is_followed_by_a_good_one(server, home):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/flaky",), SUMS))
    with pytest.raises(DownloadError, match="ended after"):
        dataset.download(verbose=False)
    assert not dataset.is_downloaded
    dataset.download(verbose=False)
    assert dataset.path.read_bytes() == BODY
    assert tree(home) == ["lines", "lines/a.txt"]


def start(server, home):
    code = (
        "import pathlib, sys\n"
        "from river_trapezoid.datasets._download import fetch\n"
        "url, path, size, sha = sys.argv[1:]\n"
        "fetch([url], pathlib.Path(path), {int(size): sha}, verbose=False)\n"
    )
    ((size, sha),) = SUMS.items()
    args = [f"{server.url}/together", str(home / "lines" / "a.txt"), str(size), sha]
    return subprocess.Popen([sys.executable, "-c", code, *args])


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_two_processes_download_the_same_file_at_once(server, home):
    both = [start(server, home), start(server, home)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert server.requests == ["/together", "/together"]
    assert (home / "lines" / "a.txt").read_bytes() == BODY
    assert tree(home) == ["lines", "lines/a.txt"]


def test_a_killed_download_is_followed_by_a_good_one(server, home):
    killed = start(server, home)
    wait_for(lambda: any(p.suffix == ".part" for p in home.rglob("*")))
    killed.kill()
    killed.wait(30)
    server.both_half_way.abort()
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/good",), SUMS))
    assert not dataset.is_downloaded
    dataset.download(verbose=False)
    assert dataset.path.read_bytes() == BODY
    assert tree(home) == ["lines", "lines/a.txt"]


def zipped(entries, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(entries, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_cannot_write_elsewhere(server, home, pack):
    evil = [("../evil.txt", b"evil"), ("/root/in/a.txt", b"evil"), ("../in/a.txt", b"evil")]
    server.bodies["archive.bin"] = pack([*evil, ("folder/in/a.txt", BODY), ("b.txt", b"other")])
    before = tree(home.parent)
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/archive.bin",), SUMS, "in/a.txt"))
    dataset.download(verbose=False)
    assert dataset.path.read_bytes() == BODY
    added = set(tree(home.parent)) - set(before)
    assert added == {"home/lines", "home/lines/a.txt"}

    server.bodies["archive.bin"] = pack(evil)
    dataset.path.unlink()
    with pytest.raises(DownloadError, match=r"the archive has no in/a\.txt"):
        dataset.download(verbose=False)
    assert set(tree(home.parent)) - set(before) == {"home/lines"}


def test_a_link_in_an_archive_is_not_followed(home):
    secret = home / "secret.txt"
    secret.write_text("secret")
    with tarfile.open(home / "a.tar", "w") as archive:
        link = tarfile.TarInfo("a.txt")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(link)
    with pytest.raises(DownloadError, match=r"has no a\.txt"):
        extract(home / "a.tar", "a.txt", home / "b.txt")
    assert tree(home) == ["a.tar", "secret.txt"]


def test_members_of_one_archive_are_downloaded_together(server, home):
    server.bodies["x.zip"] = zipped([("a.txt", BODY), ("b.txt", b"b")])
    urls = (f"{server.url}/x.zip",)
    dataset = Lines(*(RemoteFile(f"lines/{n}", urls, member=n) for n in ("a.txt", "b.txt")))
    assert dataset.path == home / "lines"
    dataset.download(verbose=False)
    assert server.requests == ["/x.zip"]
    assert tree(home) == ["lines", "lines/a.txt", "lines/b.txt"]
    (home / "lines" / "b.txt").unlink()
    assert not dataset.is_downloaded


def patched(archive, old, new):
    assert old in archive
    return archive.replace(old, new)


def sparse(size):
    """A tar archive with a file that consists of a hole."""
    header = bytearray(tarfile.TarInfo("a.txt").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(1024)


LZMA_ZIP = zipped([("a.txt", BODY)], zipfile.ZIP_LZMA)
XZ = tarred([("a.txt", BODY)], "w:xz")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(zipped([("a.txt", BODY)])[:-40], id="zip cut short"),
        pytest.param(tarred([("a.txt", BODY)])[:-2000], id="tar cut short"),
        pytest.param(bz2.compress(BODY)[:-10], id="bz2 cut short"),
        pytest.param(b"no archive at all", id="no archive"),
        pytest.param(b"", id="empty"),
        pytest.param(
            # Bit 0 of the flags, which follow the version, says that a member is encrypted.
            patched(
                patched(zipped([("a.txt", BODY)]), b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0"),
                b"PK\1\2\x14\3\x14\0\0\0",
                b"PK\1\2\x14\3\x14\0\1\0",
            ),
            id="encrypted",
        ),
        pytest.param(
            # The compression follows the flags; there is no method 99.
            patched(zipped([("a.txt", BODY)]), b"\x14\0\0\0\0\0", b"\x14\0\0\0\x63\0"),
            id="unknown compression",
        ),
        pytest.param(patched(LZMA_ZIP, LZMA_ZIP[60:100], b"\xff" * 40), id="broken lzma in a zip"),
        pytest.param(XZ[:100] + b"\0" * 8 + XZ[108:], id="broken xz"),
    ],
)
def test_a_broken_archive_is_refused(server, home, body):
    server.bodies["archive"] = body
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/archive",), SUMS, "a.txt"))
    with pytest.raises(DownloadError, match=r"archive.*cannot be read"):
        dataset.download(verbose=False)
    assert tree(home) == ["lines"]


@pytest.mark.parametrize("sums", [SUMS, {}], ids=["known", "unknown"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(zipped([("a.txt", bytes(20_000_000))], zipfile.ZIP_DEFLATED), id="zip"),
        pytest.param(tarred([("a.txt", bytes(20_000_000))]), id="tar"),
        pytest.param(bz2.compress(b"x" * 20_000_000), id="bz2"),
        pytest.param(sparse(20_000_000), id="sparse tar"),
    ],
)
def test_an_archive_that_grows_beyond_bounds_is_refused(server, home, monkeypatch, body, sums):
    monkeypatch.setattr(_download, "_LARGEST", 1_000_000)
    server.bodies["archive"] = body
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/archive",), sums, "a.txt"))
    # Nothing larger may be written meanwhile.
    with largest_file(2_000_000), pytest.raises(DownloadError, match=r"more than|too large at"):
        dataset.download(verbose=False)
    assert tree(home) == ["lines"]


def test_a_hole_is_read_as_zeros(home):
    (home / "a.tar").write_bytes(sparse(5000))
    extract(home / "a.tar", "a.txt", home / "a.txt")
    assert (home / "a.txt").read_bytes() == bytes(5000)


def test_an_archive_of_too_many_members_is_refused(home, monkeypatch):
    monkeypatch.setattr(_download, "_MOST_MEMBERS", 10)
    (home / "a.tar").write_bytes(tarred([(f"{i}.txt", b"") for i in range(10)], "w"))
    with pytest.raises(DownloadError, match=r"has no a\.txt"):
        extract(home / "a.tar", "a.txt", home / "a.txt")
    (home / "a.tar").write_bytes(tarred([(f"{i}.txt", b"") for i in range(11)], "w"))
    with pytest.raises(DownloadError, match=r"too large at 10\.txt"):
        extract(home / "a.tar", "a.txt", home / "a.txt")


@pytest.mark.parametrize("read", ["extract", "pack"])
def test_links_in_a_circle_are_not_followed(home, read):
    name = "a.txt" if read == "extract" else "aclImdb/train/pos/1_9.txt"
    with tarfile.open(home / "a.tar", "w") as archive:
        for link in (tarfile.TarInfo(name), tarfile.TarInfo("b")):
            link.type, link.linkname = tarfile.SYMTYPE, "b" if link.name == name else f"/{name}"
            archive.addfile(link)
    if read == "extract":
        with pytest.raises(DownloadError, match=r"has no a\.txt"):
            extract(home / "a.tar", name, home / "a.txt")
    else:
        imdb.pack_reviews(home / "a.tar", home / "reviews.gz")
        assert gzip.decompress((home / "reviews.gz").read_bytes()) == b""


def test_reviews_that_are_not_text_are_refused(home):
    entries = [("aclImdb/train/pos/1_9.txt", b"\xff\xfe")]
    (home / "a.tar").write_bytes(tarred(entries, "w"))
    with pytest.raises(DownloadError, match=r"archive of reviews cannot be read \(UnicodeDecode"):
        imdb.pack_reviews(home / "a.tar", home / "reviews.gz")


def test_an_archive_put_there_by_hand_is_used(home):
    packed = bz2.compress(BODY)
    file = RemoteFile(
        "lines/a.txt",
        ("http://127.0.0.1:1/a%20b.bz2",),
        member="a.txt",
        archive_sums={len(packed): hashlib.sha256(packed).hexdigest()},
    )
    dataset = Lines(file)
    with pytest.raises(DownloadError, match=r"lines/a b\.bz2 \(http.*bytes, sha256"):
        dataset.download()
    archive = home / "lines" / "a b.bz2"
    archive.write_bytes(packed[:-1])
    with pytest.raises(DownloadError, match=r"has .* bytes rather than"):
        dataset.download()
    archive.write_bytes(packed)
    assert len(list(dataset)) == 50_000


def test_progress_bar_needs_tqdm_but_a_download_does_not(server, home, capsys, monkeypatch):
    url = (f"{server.url}/good",)
    fetch(url, home / "with.txt", SUMS)
    assert "100%" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    fetch(url, home / "without.txt", SUMS)
    assert capsys.readouterr().err == ""
    assert (home / "without.txt").read_bytes() == BODY
