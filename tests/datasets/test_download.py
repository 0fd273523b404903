from __future__ import annotations

import bz2
import contextlib
import hashlib
import http.server
import io
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

import pytest

from river_trapezoid.datasets._download import DownloadError, fetch, open_member
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


def test_parts_are_put_one_after_the_other(server, home):
    server.bodies |= {"head": BODY[:1000], "tail": BODY[1000:]}
    urls = (f"{server.url}/head", f"{server.url}/tail")
    fetch(urls, home / "a.txt", SUMS, verbose=False)
    assert (home / "a.txt").read_bytes() == BODY


@pytest.mark.parametrize(
    ("path", "sums", "reason"),
    [
        ("short", {}, "broke off after 244,445 of 488,890 bytes"),
        ("missing", {}, "404"),
        ("good", {len(BODY): "0" * 64}, "has the sha256 [0-9a-f]{64}, not 0000"),
        ("good", {7: "0" * 64}, "has 488,890 bytes, not 7"),
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


def test_without_network_the_error_says_which_file_to_put_where(home):
    dataset = Lines(RemoteFile("lines/a.txt", ("http://127.0.0.1:1/a.txt",), SUMS))
    with pytest.raises(DownloadError) as caught:
        dataset.download()
    message = str(caught.value)
    assert message.startswith("Lines could not be downloaded: http://127.0.0.1:1/a.txt cannot be")
    ((size, sha),) = SUMS.items()
    assert f"{home}/lines/a.txt (http://127.0.0.1:1/a.txt; {size:,} bytes, sha256 {sha})" in message


def test_a_file_without_an_address_is_asked_for(home):
    dataset = Lines(RemoteFile("lines/a.txt", sums=SUMS))
    with pytest.raises(DownloadError, match=r"no public address.*\n  .*lines/a\.txt \("):
        dataset.download()
    dataset.path.parent.mkdir()
    dataset.path.write_bytes(BODY[:-1])
    assert not dataset.is_downloaded
    dataset.path.write_bytes(BODY)
    assert len(list(dataset)) == 50_000


def test_an_interrupted_download_is_followed_by_a_good_one(server, home):
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/flaky",), SUMS))
    with pytest.raises(DownloadError, match="broke off"):
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


def test_two_processes_at_once(server, home):
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


def zipped(entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
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
    with pytest.raises(DownloadError, match=r"has no a\.txt"), open_member(home / "a.tar", "a.txt"):
        pass


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


@pytest.mark.parametrize(
    "body",
    [
        zipped([("a.txt", BODY)])[:-40],
        tarred([("a.txt", BODY)])[:-2000],
        bz2.compress(BODY)[:-10],
        b"no archive at all",
    ],
)
def test_a_broken_archive_is_refused(server, home, body):
    server.bodies["archive"] = body
    dataset = Lines(RemoteFile("lines/a.txt", (f"{server.url}/archive",), SUMS, "a.txt"))
    with pytest.raises(DownloadError, match=r"archive.*cannot be read"):
        dataset.download(verbose=False)
    assert tree(home) == ["lines"]


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
    with pytest.raises(DownloadError, match=r"has .* bytes, not"):
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
